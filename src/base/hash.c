/* Written from the specification of XXH64: four sums over words of 8 bytes, 32 bytes a step;
 * then what is left, and a last mixing of all bits. Words are little-endian, as the machine is
 * to be: files of results are not written on others. */
#include "base/hash.h"

#include "base/bits.h"
#include "base/hints.h"

#include <string.h>

static const uint64_t prime1 = UINT64_C(0x9E3779B185EBCA87);
static const uint64_t prime2 = UINT64_C(0xC2B2AE3D27D4EB4F);
static const uint64_t prime3 = UINT64_C(0x165667B19E3779F9);
static const uint64_t prime4 = UINT64_C(0x85EBCA77C2B2AE63);
static const uint64_t prime5 = UINT64_C(0x27D4EB2F165667C5);

static inline uint64_t rotate(uint64_t x, int bits) {
  return x << bits | x >> (64 - bits);
}

/* Of equal numbers, missing ones and zeros among them, the bits are the same. */
INLINE uint64_t word_at(const unsigned char *from, int of_numbers) {
  uint64_t word;
  memcpy(&word, from, sizeof word);
  if (!of_numbers) return word;
  double number = pcf_double_of(word);
  if (pcf_is_missing(number)) return pcf_bits_of_double(pcf_missing());
  return number == 0 ? 0 : word;
}

static inline uint32_t half_word_at(const unsigned char *from) {
  uint32_t word;
  memcpy(&word, from, sizeof word);
  return word;
}

static inline uint64_t add_word(uint64_t sum, uint64_t word) {
  return rotate(sum + word * prime2, 31) * prime1;
}

/* The sums of all whole steps of 32 bytes, joined. */
INLINE uint64_t join_steps(const unsigned char *from, size_t steps, int of_numbers) {
  uint64_t sum[4] = {prime1 + prime2, prime2, 0, 0 - prime1};
  for (size_t s = 0; s < steps; s++, from += 32) {
    for (int k = 0; k < 4; k++) sum[k] = add_word(sum[k], word_at(from + 8 * k, of_numbers));
  }
  uint64_t hash =
    rotate(sum[0], 1) + rotate(sum[1], 7) + rotate(sum[2], 12) + rotate(sum[3], 18);
  for (int k = 0; k < 4; k++) hash = (hash ^ add_word(0, sum[k])) * prime1 + prime4;
  return hash;
}

static uint64_t mix(uint64_t hash) {
  hash = (hash ^ hash >> 33) * prime2;
  hash = (hash ^ hash >> 29) * prime3;
  return hash ^ hash >> 32;
}

INLINE uint64_t hash_of(const void *bytes, size_t count, int of_numbers) {
  const unsigned char *from = bytes;
  size_t steps = count / 32, left = count % 32;
  uint64_t hash = steps ? join_steps(from, steps, of_numbers) : prime5;
  from += 32 * steps;
  hash += count;
  for (; left >= 8; left -= 8, from += 8) {
    hash = rotate(hash ^ add_word(0, word_at(from, of_numbers)), 27) * prime1 + prime4;
  }
  for (; left >= 4; left -= 4, from += 4) {
    hash = rotate(hash ^ half_word_at(from) * prime1, 23) * prime2 + prime3;
  }
  for (; left; left--, from++) hash = rotate(hash ^ *from * prime5, 11) * prime1;
  return mix(hash);
}

uint64_t pcf_hash(const void *bytes, size_t count) {
  return hash_of(bytes, count, 0);
}

uint64_t pcf_hash_numbers(const double *numbers, size_t count) {
  return hash_of(numbers, count * sizeof *numbers, 1);
}
