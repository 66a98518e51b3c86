/* Resident collections, which stay on the devices between calls, and their forms, which were
 * made of them for the kernels. */
#pragma once

#include "blocks/device.h"
#include "collections/collection.h"

struct pcf_cuda_memory;
struct pcf_cuda_packed;
struct pcf_cuda_uplink;

/* Copies a sound collection to each device that settings->gpus asks for, and sets *number to
 * the number under which it is found there. It stays until it is dropped or its room is wanted.
 * After a failure *number is 0, and no device has a copy. */
enum pcf_status pcf_cuda_make_resident(const struct pcf_collection *x,
                                       const struct pcf_settings *settings,
                                       const atomic_int *stop, int64_t *number,
                                       struct pcf_error *error);

/* Drops a collection and its forms; returns the bytes of device memory that are freed: 0 where
 * it is not resident, such as in a process that was forked. */
double pcf_cuda_drop_resident(int64_t number);

/* Is a collection on all devices that a call with at most `gpus` of them (0: all) would use? */
int pcf_cuda_is_resident(int64_t number, int gpus);

/* ---- On the devices ---- */

/* A number that no collection and no form had before. */
int64_t pcf_cuda_new_number(void);

/* Bytes of a collection on a device. */
double pcf_cuda_packed_bytes(const struct pcf_collection *x);

/* Brings a collection to a device, into memory that is allocated there. */
enum pcf_status pcf_cuda_pack(struct pcf_cuda_uplink *uplink, struct pcf_cuda_memory *memory,
                              const struct pcf_collection *x, struct pcf_cuda_packed *packed,
                              struct pcf_error *error);

/* Finds a collection on a device, and keeps it from being freed until pcf_pool_done() with its
 * number. Returns whether it is resident there. */
int pcf_cuda_use_resident(int device, const struct pcf_collection *x,
                          struct pcf_cuda_packed *packed);

/* ---- Forms ---- */

/* What identifies a form: the collection, the method, and all numbers that it depends on beside
 * its functions. Unused numbers are 0. Keys are compared byte by byte. */
enum { PCF_CUDA_KEY_NUMBERS = 11, PCF_CUDA_METHOD_KEY = 2 };
struct pcf_cuda_form_key {
  int64_t collection;
  const void *method;
  double number[PCF_CUDA_KEY_NUMBERS];
};

/* A form of a resident collection: a block of device memory, and what the caller needs to know
 * about it, in at most so many bytes. */
enum { PCF_CUDA_FORM_BYTES = 128 };
struct pcf_cuda_resident_form {
  int64_t owner; /* 0: none */
  void *memory;
  char description[PCF_CUDA_FORM_BYTES];
};

/* Finds a form, and keeps it from being freed until pcf_pool_done() with its owner, which is 0
 * where there is none. */
struct pcf_cuda_resident_form pcf_cuda_use_form(int device,
                                                const struct pcf_cuda_form_key *key);

/* Makes a form resident, with the `bytes` of device memory that it takes, as if
 * pcf_cuda_use_form() had found it. Does nothing where its collection is no longer there, or
 * all forms would take more than `most` bytes of the device. */
void pcf_cuda_make_form_resident(struct pcf_cuda_memory *device,
                                 const struct pcf_cuda_form_key *key, double bytes, double most,
                                 struct pcf_cuda_resident_form *form);
