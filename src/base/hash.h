/* A hash of bytes: XXH64 with the seed 0, which others can compute again. */
#ifndef PCF_HASH_H
#define PCF_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t pcf_hash(const void *bytes, size_t count);

#endif
