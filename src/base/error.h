/* Errors of the C layers: every function that can fail returns a code and describes the
 * failure in a struct. Only the glue turns that into an R condition. */
#pragma once

enum pcf_status {
  PCF_OK = 0,
  PCF_ERROR_MEMORY,        /* an allocation failed */
  PCF_ERROR_ARGUMENT,      /* the request makes no sense or is not supported */
  PCF_ERROR_DEVICE,        /* a device failed */
  PCF_ERROR_DEVICE_MEMORY, /* a device has too little memory: smaller blocks may fit */
  PCF_ERROR_SYSTEM,        /* the operating system refused a thread */
  PCF_ERROR_INTERRUPTED,   /* the caller asked the run to stop */
  PCF_ERROR_FILE,          /* a file cannot be written or read, or is not what it should be */
};

struct pcf_error {
  enum pcf_status status;
  char message[480];
};

/* Fills `error` (which may be NULL) and returns `status`. */
enum pcf_status pcf_fail(struct pcf_error *error, enum pcf_status status, const char *format,
                         ...) __attribute__((format(printf, 3, 4)));
