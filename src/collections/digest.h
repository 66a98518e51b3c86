/* A digest of a collection: the same numbers give the same digest, on any machine. */
#pragma once

#include "base/threads.h"
#include "collections/collection.h"

/* Computes the digest of all times, left limits and values, in the order of the functions. It
 * differs between step functions and lines with the same numbers. */
enum pcf_status pcf_digest(const struct pcf_collection *x, int threads, const atomic_int *stop,
                           uint64_t *digest, struct pcf_error *error);
