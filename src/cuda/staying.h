/* What stays on a device, for the runs that use it. */
#ifndef PCF_CUDA_STAYING_H
#define PCF_CUDA_STAYING_H

#include "collections/collection.h"
#include "cuda/kernels.h"
#include "cuda/memory.h"
#include "cuda/session.h"

/* Bytes of a collection on a device. */
double pcf_cuda_packed_bytes(const struct pcf_collection *x);

/* The collection as it is on a device, which reads it until pcf_cuda_done_with_packed().
 * Returns whether it is there. */
int pcf_cuda_use_packed(int device, const struct pcf_collection *x,
                        struct pcf_cuda_packed *packed);
void pcf_cuda_done_with_packed(int device, const struct pcf_collection *x);

/* The same for a call that is no run: what is not there is brought there, and goes with the
 * session. pcf_cuda_leave() is needed after failures, too. */
struct pcf_cuda_found {
  struct pcf_cuda_packed packed;
  const int64_t *offsets; /* on the device */
  int stays;
};
enum pcf_status pcf_cuda_find(struct pcf_cuda_session *session, const struct pcf_collection *x,
                              struct pcf_cuda_found *found, struct pcf_error *error);
void pcf_cuda_leave(const struct pcf_cuda_session *session, const struct pcf_collection *x,
                    const struct pcf_cuda_found *found);

/* ---- Forms ---- */

/* What a form is: whose, of which method, and all numbers that it depends on beside its
 * functions. Unused numbers are 0, and none is NaN. */
enum { PCF_CUDA_KEY_NUMBERS = 11, PCF_CUDA_METHOD_KEY = 2 };
struct pcf_cuda_form_key {
  int64_t collection;
  const void *method;
  double number[PCF_CUDA_KEY_NUMBERS];
};

/* A form on a device: a block of its memory, and a description of it, of at most so many bytes,
 * that is the caller's own. */
enum { PCF_CUDA_FORM_BYTES = 128 };
struct pcf_cuda_kept_form {
  int64_t owner; /* 0: none */
  void *memory;
  char description[PCF_CUDA_FORM_BYTES];
};

/* Finds a form, and keeps it from being freed until pcf_cuda_done_with_form(); its owner is 0
 * where there is none. */
struct pcf_cuda_kept_form pcf_cuda_use_form(int device, const struct pcf_cuda_form_key *key);
void pcf_cuda_done_with_form(int device, const struct pcf_cuda_kept_form *form);

/* Lets a form stay, in `bytes` of memory that were allocated on the device, as if it had been
 * found. Does nothing where its collection is no longer there, or forms would take more than
 * `most` bytes of the device. */
void pcf_cuda_keep_form(struct pcf_cuda_memory *device, const struct pcf_cuda_form_key *key,
                        double bytes, double most, struct pcf_cuda_kept_form *form);

#endif
