/* Sums of whole numbers of units, for the instruction set ISA; see kernels.h and lengths.h. The
 * vectors of doubles carry bits. */
#define PCF_SINGLE 0
#include SIMD

#define LENGTHS_NAME_3(what, isa) pcf_##what##_##isa
#define LENGTHS_NAME_2(what, isa) LENGTHS_NAME_3(what, isa)
#define LENGTHS_NAME(what) LENGTHS_NAME_2(what, ISA)
#if defined(__GNUC__) && !defined(__clang__)
#define EACH_VECTOR(v) _Pragma("GCC unroll 8") for (int v = 0; v < ROW_VECTORS; v++)
#define EACH_OF_LIST(l) _Pragma("GCC unroll 8") for (int l = 0; l < PCF_LIST_STEP; l++)
#else
#define EACH_OF_LIST(l) for (int l = 0; l < PCF_LIST_STEP; l++)
#define EACH_VECTOR(v) for (int v = 0; v < ROW_VECTORS; v++)
#endif

enum { ROW_VECTORS = PCF_ROW_LANES / LANES };

INLINE TARGET V LENGTHS_NAME(load_bits)(const int64_t *from) {
  V bits;
  memcpy(&bits, from, sizeof bits);
  return bits;
}

INLINE TARGET void LENGTHS_NAME(store_bits)(int64_t *to, V bits) {
  memcpy(to, &bits, sizeof bits);
}

static TARGET void LENGTHS_NAME(add_elapsed)(const int64_t *held, const int64_t *going,
                                             int64_t time, int width, int64_t *sum) {
  V times = v_bits((uint64_t)time);
  for (int k = 0; k < width; k += LANES) {
    V elapsed = v_and(LENGTHS_NAME(load_bits)(going + k), times);
    elapsed = v_add_bits(LENGTHS_NAME(load_bits)(held + k), elapsed);
    LENGTHS_NAME(store_bits)(sum + k, v_add_bits(LENGTHS_NAME(load_bits)(sum + k), elapsed));
  }
}

/* The sums of a list are in registers, so that only the rows are read. */
static TARGET void LENGTHS_NAME(add_rows)(const int64_t (*rows)[PCF_ROW_LANES],
                                          const int32_t *list, const int64_t *start, int lists,
                                          int64_t (*sum)[PCF_ROW_LANES]) {
  for (int j = 0; j < lists; j++) {
    V sums[ROW_VECTORS];
    EACH_VECTOR(v) sums[v] = v_bits(0);
    for (int64_t g = start[j]; g < start[j + 1]; g += PCF_LIST_STEP) {
      EACH_OF_LIST(l) {
        const int64_t *row = rows[list[g + l]];
        EACH_VECTOR(v) sums[v] = v_add_bits(sums[v], LENGTHS_NAME(load_bits)(row + v * LANES));
      }
    }
    EACH_VECTOR(v) LENGTHS_NAME(store_bits)(sum[j] + v * LANES, sums[v]);
  }
}

/* The upper and the lower half of a number become digits of 2^84 and of 2^52, less which they
 * are the halves; their sum is rounded once. */
INLINE TARGET V LENGTHS_NAME(to_double)(V number) {
  const uint64_t upper = UINT64_C(0x4530000000000000), lower = UINT64_C(0x4330000000000000);
  V high = v_or(v_right(number, 32), v_bits(upper));
  V low = v_or(v_and(number, v_bits(UINT32_MAX)), v_bits(lower));
  return v_add(v_sub(high, v_set1(0x1p84 + 0x1p52)), low);
}

static TARGET int LENGTHS_NAME(to_doubles)(const int64_t *number, int count, double unit,
                                           int64_t least, double *to) {
  V units = v_set1(unit), less = v_bits((uint64_t)-least), below = v_bits(0);
  int64_t signs[LANES], small = 0;
  int k = 0;
  for (; k + LANES <= count; k += LANES) {
    V some = LENGTHS_NAME(load_bits)(number + k);
    below = v_or(below, v_or(some, v_add_bits(some, less)));
    v_store(to + k, v_mul(LENGTHS_NAME(to_double)(some), units));
  }
  for (; k < count; k++) {
    small |= number[k] < least;
    to[k] = (double)number[k] * unit;
  }
  LENGTHS_NAME(store_bits)(signs, below);
  for (int l = 0; l < LANES; l++) small |= signs[l] < 0;
  return small != 0;
}

static TARGET void LENGTHS_NAME(divide)(double *results, const double *lengths, int64_t count,
                                        int root) {
  int64_t k = 0;
  for (; k + LANES <= count; k += LANES) {
    V length = v_load(lengths + k);
    v_store(results + k, v_div(v_load(results + k), root == 2 ? v_sqrt(length) : length));
  }
  for (; k < count; k++) results[k] /= root == 2 ? sqrt(lengths[k]) : lengths[k];
}

#undef EACH_VECTOR
#undef EACH_OF_LIST
#undef PCF_SINGLE
#include "base/simd-end.h"
