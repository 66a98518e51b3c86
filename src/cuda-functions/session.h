/* One device for one call on single functions: its memory, the copies to it and back, and the
 * functions that compute there. */
#pragma once

#include "cuda-kernels/kernels.h"
#include "cuda/upload.h"
#include "functions/single.h"

struct pcf_cuda_session {
  struct pcf_cuda_memory memory;
  struct pcf_cuda_uplink uplink;
  double total;          /* bytes that the device has */
  int64_t reads;         /* the resident collection that is read; 0: none */
  int belongs_to_curves; /* do these close it? */
};

/* Starts the devices that are wanted, and opens the one with that index. A session that was
 * opened is closed once, by any thread: that gives back all that was allocated. */
enum pcf_status pcf_cuda_session_open(struct pcf_cuda_session **session, int index,
                                      const struct pcf_settings *settings,
                                      const atomic_int *stop, struct pcf_error *error);
void pcf_cuda_session_close(struct pcf_cuda_session *session);

/* Makes the device of a session the current one of the calling thread, which need not be the
 * one that opened it. */
enum pcf_status pcf_cuda_session_resume(const struct pcf_cuda_session *session,
                                        struct pcf_error *error);

/* Allocates memory, as pcf_cuda_allocate() does, and brings an array there; NULL without an
 * array. */
void *pcf_cuda_session_send(struct pcf_cuda_session *session, const void *array, size_t bytes,
                            enum pcf_status *status, struct pcf_error *error);

/* Finds a sound collection on the device. What is not resident is copied there, and freed with
 * the session. Kernels that are launched afterwards find it, and all that was sent before. */
enum pcf_status pcf_cuda_session_find(struct pcf_cuda_session *session,
                                      const struct pcf_collection *x,
                                      struct pcf_cuda_packed *packed, struct pcf_error *error);

/* Waits for a kernel that was launched with `code`. PCF_ERROR_INTERRUPTED where the session is
 * to stop. */
enum pcf_status pcf_cuda_session_finish(const struct pcf_cuda_session *session,
                                        cudaError_t code, const char *what,
                                        struct pcf_error *error);

/* The stream on which kernels run; they find what was sent after pcf_cuda_arrive(). */
static inline cudaStream_t pcf_cuda_session_stream(const struct pcf_cuda_session *session) {
  return session->uplink.stream[0];
}

/* ---- The functions of the list ---- */

typedef enum pcf_status pcf_cuda_function(struct pcf_cuda_session *session, void *call,
                                          struct pcf_error *error);
#define PCF_DECLARATION(name, thread, least, gpu, host, cuda) pcf_cuda_function cuda;
PCF_SINGLE_OPERATIONS(PCF_DECLARATION)
#undef PCF_DECLARATION

/* For tests: so many values come back at once, at most. */
extern int64_t pcf_cuda_most_values;

/* ---- Functions that were made on the device ---- */

/* Functions end to end in the memory of a session, piecewise linear ones with left limits:
 * function i has the breakpoints starts[i] … starts[i + 1] - 1, or, if these are none, is 0.
 * `starts` is the host's, from pcf_allocate().
 */
struct pcf_cuda_made {
  const double *time, *value, *left; /* the last NULL of step functions */
  int64_t count, *starts;
};

/* Leaves functions where they are until R has memory for them. The curves own the session and
 * made->starts then: writing them brings the functions back, and freeing them closes the
 * session, each on any thread. PCF_ERROR_ARGUMENT as pcf_curves_count(). After a failure there
 * is nothing to free but the session. */
enum pcf_status pcf_cuda_leave_curves(struct pcf_cuda_session *session,
                                      const struct pcf_cuda_made *made,
                                      struct pcf_curves *curves, struct pcf_error *error);
