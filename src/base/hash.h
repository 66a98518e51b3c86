/* A hash of bytes: XXH64 with the seed 0, which others can compute again. */
#pragma once

#include <stddef.h>
#include <stdint.h>

uint64_t pcf_hash(const void *bytes, size_t count);
