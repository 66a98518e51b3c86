/* A hash of bytes: XXH64 with the seed 0, which others can compute again. */
#pragma once

#include <stddef.h>
#include <stdint.h>

uint64_t pcf_hash(const void *bytes, size_t count);

/* The same for numbers, of which equal ones have the same hash: that of their bytes, where a
 * zero is positive, and a missing value is pcf_missing(). */
uint64_t pcf_hash_numbers(const double *numbers, size_t count);
