/* Sums of whole numbers of units, for the instruction set ISA, on the vector operations of the
 * simd-*.h header that was included before: of 64 bits or (PCF_SINGLE) of 32; see kernels.h and
 * lengths.h. The vectors of numbers carry bits. */
#include "base/hints.h"

#include <string.h>

#if PCF_SINGLE
#define WHOLE int32_t
#define BITS uint32_t
#define SCALAR float
#define LENGTHS_NAME(what) LENGTHS_NAME_2(what, ISA, single)
#else
#define WHOLE int64_t
#define BITS uint64_t
#define SCALAR double
#define LENGTHS_NAME(what) LENGTHS_NAME_2(what, ISA, double)
#endif
#define LENGTHS_NAME_2(what, isa, precision) LENGTHS_NAME_3(what, isa, precision)
#define LENGTHS_NAME_3(what, isa, precision) pcf_##what##_##isa##_##precision
#define EACH_HELD(v) EACH_OF(v, HELD)
#define HELD (PCF_CELL_LANES / LANES < 8 ? PCF_CELL_LANES / LANES : 8) /* vectors of sums */

INLINE TARGET V LENGTHS_NAME(load_bits)(const WHOLE *from) {
  V bits;
  memcpy(&bits, from, sizeof bits);
  return bits;
}

INLINE TARGET void LENGTHS_NAME(store_bits)(WHOLE *to, V bits) {
  memcpy(to, &bits, sizeof bits);
}

static TARGET void LENGTHS_NAME(add_elapsed)(const void *held_, const void *going_,
                                             int64_t time, int width, void *sum_) {
  const WHOLE *held = held_, *going = going_;
  WHOLE *sum = sum_;
  V times = v_bits((BITS)time);
  for (int k = 0; k < width; k += LANES) {
    V elapsed = v_and(LENGTHS_NAME(load_bits)(going + k), times);
    elapsed = v_add_bits(LENGTHS_NAME(load_bits)(held + k), elapsed);
    LENGTHS_NAME(store_bits)(sum + k, v_add_bits(LENGTHS_NAME(load_bits)(sum + k), elapsed));
  }
}

/* Vectors of 16 lanes have masks of them, and no table. */
#if LANES <= 8
/* All bits in the lanes whose bit is set, by the bits of a vector. */
static const BITS LENGTHS_NAME(lanes_of)[1 << LANES][LANES] = {
#define ALL(bits, lane) ((bits) >> (lane)&1 ? (BITS)-1 : 0)
#if LANES > 4
#define LANES_OF(b) \
  { ALL(b, 0), ALL(b, 1), ALL(b, 2), ALL(b, 3), ALL(b, 4), ALL(b, 5), ALL(b, 6), ALL(b, 7) }
#elif LANES > 2
#define LANES_OF(b) \
  { ALL(b, 0), ALL(b, 1), ALL(b, 2), ALL(b, 3) }
#elif LANES > 1
#define LANES_OF(b) \
  { ALL(b, 0), ALL(b, 1) }
#else
#define LANES_OF(b) \
  { ALL(b, 0) }
#endif
#define LANES_OF_2(b) LANES_OF(b), LANES_OF(b + 1)
#define LANES_OF_4(b) LANES_OF_2(b), LANES_OF_2(b + 2)
#define LANES_OF_16(b) LANES_OF_4(b), LANES_OF_4(b + 4), LANES_OF_4(b + 8), LANES_OF_4(b + 12)
#define LANES_OF_64(b) \
  LANES_OF_16(b), LANES_OF_16(b + 16), LANES_OF_16(b + 32), LANES_OF_16(b + 48)
#if LANES > 4
  LANES_OF_64(0),
  LANES_OF_64(64),
  LANES_OF_64(128),
  LANES_OF_64(192),
#elif LANES == 4
  LANES_OF_16(0),
#elif LANES == 2
  LANES_OF_4(0),
#else
  LANES_OF_2(0),
#endif
#undef LANES_OF_64
#undef LANES_OF_16
#undef LANES_OF_4
#undef LANES_OF_2
#undef LANES_OF
#undef ALL
};
#endif

/* The sum with a where the bit of a lane is set. Where there are masks of lanes and a table,
 * masks are for some of the vectors: it takes the processor time to fill them, too (of eight
 * vectors, three by masks take 0.69 times as long as all, on Zen 4). */
INLINE TARGET V LENGTHS_NAME(add_where)(int v, V sum, uint64_t bits, V a) {
  (void)v;
#ifdef v_add_where_bits
  if (LANES > 8 || v < 3) return v_add_where_bits(sum, bits, a);
#endif
#if LANES <= 8
  V lanes;
  memcpy(&lanes, LENGTHS_NAME(lanes_of)[bits & ((1 << LANES) - 1)], sizeof lanes);
  return v_add_bits(sum, v_and(a, lanes));
#else
  return sum;
#endif
}

/* As many sums as there are registers for go through the list at once. */
static TARGET void LENGTHS_NAME(add_cells)(const uint64_t *observed,
                                           const struct pcf_listed_cell *list, int64_t count,
                                           const void *all_, void *sum_) {
  const WHOLE *all = all_;
  WHOLE *sum = sum_;
  for (int first = 0; first < PCF_CELL_LANES; first += HELD * LANES) {
    V sums[HELD];
    EACH_HELD(v) sums[v] = LENGTHS_NAME(load_bits)(all + first + v * LANES);
    for (int64_t e = 0; e < count; e++) {
      uint64_t bits = observed[list[e].cell] >> first;
      V length = v_bits((BITS)list[e].length);
      EACH_HELD(v)
      sums[v] = LENGTHS_NAME(add_where)(v, sums[v], bits >> (v * LANES), length);
    }
    EACH_HELD(v) LENGTHS_NAME(store_bits)(sum + first + v * LANES, sums[v]);
  }
}

/* The upper and the lower half of a number that is not negative become digits, less which they
 * are the halves; their sum is rounded once. */
INLINE TARGET V LENGTHS_NAME(to_scalar)(V number) {
#if PCF_SINGLE
  V digit = v_bits(UINT32_C(0x4b000000)), low = v_or(v_and(number, v_bits(0xffff)), digit);
  V high = v_sub(v_or(v_right(number, 16), digit), v_set1(0x1p23f));
  return v_add(v_mul(high, v_set1(0x1p16f)), v_sub(low, v_set1(0x1p23f)));
#else
  const uint64_t upper = UINT64_C(0x4530000000000000), lower = UINT64_C(0x4330000000000000);
  V high = v_or(v_right(number, 32), v_bits(upper));
  V low = v_or(v_and(number, v_bits(UINT32_MAX)), v_bits(lower));
  return v_add(v_sub(high, v_set1(0x1p84 + 0x1p52)), low);
#endif
}

/* Single precision has not all products of numbers with units that double has. */
static TARGET int LENGTHS_NAME(to_scalars)(const void *number_, int count, double unit,
                                           int64_t least, void *to_) {
  const WHOLE *number = number_;
  SCALAR *to = to_;
  V units = v_set1((SCALAR)unit), less = v_bits((BITS)-least), below = v_bits(0);
  WHOLE signs[LANES];
  int k = 0, small = 0, direct = !PCF_SINGLE || (unit >= 0x1p-100 && unit <= 0x1p60);
  for (; direct && k + LANES <= count; k += LANES) {
    V some = LENGTHS_NAME(load_bits)(number + k);
    below = v_or(below, v_or(some, v_add_bits(some, less)));
    v_store(to + k, v_mul(LENGTHS_NAME(to_scalar)(some), units));
  }
  for (; k < count; k++) {
    small |= number[k] < least;
    to[k] = (SCALAR)((double)number[k] * unit);
  }
  LENGTHS_NAME(store_bits)(signs, below);
  for (int l = 0; l < LANES; l++) small |= signs[l] < 0;
  return small != 0;
}

#if !PCF_SINGLE
INLINE TARGET int LENGTHS_NAME(quotients)(double *results, const void *lengths,
                                          enum pcf_precision precision, double unit,
                                          int64_t count, int root) {
  V units = v_set1(unit), one = v_set1(1), none = v_set1(0), positive = one;
  double least[LANES];
  int64_t k = 0;
  for (; k + LANES <= count; k += LANES) {
    V length = precision == PCF_DOUBLE ? v_load((const double *)lengths + k)
                                       : v_load_singles((const float *)lengths + k);
    length = v_mul(length, units);
    positive = v_min(positive, v_select(v_greater(length, none), one, none));
    v_store(results + k, v_div(v_load(results + k), root == 2 ? v_sqrt(length) : length));
  }
  v_store(least, positive);
  int all = 1;
  for (int l = 0; l < LANES; l++) all &= least[l] > 0;
  for (; k < count; k++) {
    double length = pcf_load_scalar(lengths, k, precision) * unit;
    all &= length > 0;
    results[k] /= root == 2 ? sqrt(length) : length;
  }
  return all;
}

static TARGET int LENGTHS_NAME(divide)(double *results, const void *lengths,
                                       enum pcf_precision precision, double unit, int64_t count,
                                       int root) {
#define QUOTIENTS(precision, root) \
  LENGTHS_NAME(quotients)(results, lengths, precision, unit, count, root)
  if (precision == PCF_DOUBLE && root == 2) return QUOTIENTS(PCF_DOUBLE, 2);
  if (precision == PCF_DOUBLE) return QUOTIENTS(PCF_DOUBLE, 1);
  if (root == 2) return QUOTIENTS(PCF_SINGLE_PRECISION, 2);
  return QUOTIENTS(PCF_SINGLE_PRECISION, 1);
#undef QUOTIENTS
}
#endif

#undef EACH_HELD
#undef HELD
#undef LENGTHS_NAME
#undef LENGTHS_NAME_2
#undef LENGTHS_NAME_3
#undef WHOLE
#undef BITS
#undef SCALAR
#undef PCF_SINGLE
#include "base/simd-end.h"
