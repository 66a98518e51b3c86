/* Sums of whole numbers of units, for the instruction set ISA, on the vector operations in
 * double precision of the simd-*.h header that was included before, whose vectors carry bits;
 * and the quotients by them. See kernels.h and lengths.h. */
#include "base/hints.h"

#include <string.h>

#define LENGTHS_NAME(what) LENGTHS_NAME_2(what, ISA)
#define LENGTHS_NAME_2(what, isa) LENGTHS_NAME_3(what, isa)
#define LENGTHS_NAME_3(what, isa) pcf_##what##_##isa
#define EACH_HELD(v) EACH_OF(v, HELD)
#define HELD 8 /* vectors of sums in registers */

INLINE TARGET V LENGTHS_NAME(load_bits)(const int64_t *from) {
  V bits;
  memcpy(&bits, from, sizeof bits);
  return bits;
}

INLINE TARGET void LENGTHS_NAME(store_bits)(int64_t *to, V bits) {
  memcpy(to, &bits, sizeof bits);
}

/* Rows while time goes on. */
struct LENGTHS_NAME(observing) {
  const struct pcf_observed_change *next, *end;
  int64_t going[PCF_OBSERVED_WIDTH], held[PCF_OBSERVED_WIDTH];
};

/* What each row has been observed up to a time. */
INLINE TARGET void LENGTHS_NAME(observe)(struct LENGTHS_NAME(observing) * rows, double time,
                                         int64_t units, int64_t *observed) {
  for (; rows->next < rows->end && rows->next->time < time; rows->next++) {
    const struct pcf_observed_change *change = rows->next;
    uint64_t held = (uint64_t)rows->held[change->lane], now = (uint64_t)change->units;
    rows->held[change->lane] = (int64_t)(change->begins ? held - now : held + now);
    rows->going[change->lane] = -change->begins;
  }
  V elapsed = v_bits((uint64_t)units);
  for (int k = 0; k < PCF_OBSERVED_WIDTH; k += LANES) {
    V going = v_and(LENGTHS_NAME(load_bits)(rows->going + k), elapsed);
    LENGTHS_NAME(store_bits)
    (observed + k, v_add_bits(LENGTHS_NAME(load_bits)(rows->held + k), going));
  }
}

/* Adds what has been observed when a column ends to be, and takes away what has been when it
 * begins, for its edges at the times first … last - 1. Returns the edge that is next. */
INLINE TARGET int64_t LENGTHS_NAME(add_edges)(const struct pcf_observed_band *columns,
                                              int64_t edge, int64_t end, int64_t first,
                                              int64_t last, const int64_t *observed,
                                              int64_t *sum) {
  int64_t next = edge;
  while (next < end && columns->edge[next].time < last) next++;
  if (next == edge) return next;
  for (int group = 0; group < PCF_OBSERVED_WIDTH; group += HELD * LANES) {
    V sums[HELD];
    EACH_HELD(v) sums[v] = LENGTHS_NAME(load_bits)(sum + group + v * LANES);
    for (int64_t e = edge; e < next; e++) {
      const int64_t *from =
        observed + (columns->edge[e].time - first) * PCF_OBSERVED_WIDTH + group;
      if (columns->edge[e].begins) {
        EACH_HELD(v)
        sums[v] = v_sub_bits(sums[v], LENGTHS_NAME(load_bits)(from + v * LANES));
      } else {
        EACH_HELD(v)
        sums[v] = v_add_bits(sums[v], LENGTHS_NAME(load_bits)(from + v * LANES));
      }
    }
    EACH_HELD(v) LENGTHS_NAME(store_bits)(sum + group + v * LANES, sums[v]);
  }
  return next;
}

static TARGET void LENGTHS_NAME(overlaps)(const struct pcf_observed_band *rows,
                                          const struct pcf_observed_band *columns,
                                          struct pcf_overlap_lengths *lengths) {
  struct LENGTHS_NAME(observing)
    observing = {.next = rows->change, .end = rows->change + rows->changes};
  int64_t next[PCF_OBSERVED_WIDTH];
  memcpy(observing.going, rows->going, sizeof observing.going);
  memcpy(observing.held, rows->held, sizeof observing.held);
  memcpy(next, columns->first, sizeof next);
  memset(lengths->sum, 0, sizeof lengths->sum);
  for (int64_t first = 0; first < columns->times; first += PCF_OBSERVED_TIMES) {
    int64_t rest = columns->times - first;
    int64_t last = first + (rest < PCF_OBSERVED_TIMES ? rest : PCF_OBSERVED_TIMES);
    for (int64_t t = first; t < last; t++) {
      LENGTHS_NAME(observe)
      (&observing, columns->time[t], columns->units[t], lengths->observed[t - first]);
    }
    for (int j = 0; j < columns->count; j++) {
      next[j] = LENGTHS_NAME(add_edges)(columns, next[j], columns->first[j + 1], first, last,
                                        lengths->observed[0], lengths->sum[j]);
    }
  }
}

/* The upper and the lower half of a number that is not negative become digits, less which they
 * are the halves; their sum is rounded once. */
INLINE TARGET V LENGTHS_NAME(to_double)(V number) {
  const uint64_t upper = UINT64_C(0x4530000000000000), lower = UINT64_C(0x4330000000000000);
  V high = v_or(v_right(number, 32), v_bits(upper));
  V low = v_or(v_and(number, v_bits(UINT32_MAX)), v_bits(lower));
  return v_add(v_sub(high, v_set1(0x1p84 + 0x1p52)), low);
}

INLINE TARGET int LENGTHS_NAME(quotients)(double *results, const int64_t *lengths, double unit,
                                          int64_t least, int64_t count, int root) {
  V units = v_set1(unit), less = v_bits((uint64_t)-least), below = v_bits(0);
  int64_t signs[LANES], k = 0;
  int small = 0;
  for (; k + LANES <= count; k += LANES) {
    V some = LENGTHS_NAME(load_bits)(lengths + k);
    below = v_or(below, v_or(some, v_add_bits(some, less)));
    V length = v_mul(LENGTHS_NAME(to_double)(some), units);
    v_store(results + k, v_div(v_load(results + k), root == 2 ? v_sqrt(length) : length));
  }
  LENGTHS_NAME(store_bits)(signs, below);
  for (int l = 0; l < LANES; l++) small |= signs[l] < 0;
  for (; k < count; k++) {
    double length = (double)lengths[k] * unit;
    small |= lengths[k] < least;
    results[k] /= root == 2 ? sqrt(length) : length;
  }
  return small;
}

static TARGET int LENGTHS_NAME(divide)(double *results, const int64_t *lengths, double unit,
                                       int64_t least, int64_t count, int root) {
  if (root == 2) return LENGTHS_NAME(quotients)(results, lengths, unit, least, count, 2);
  return LENGTHS_NAME(quotients)(results, lengths, unit, least, count, 1);
}

#undef EACH_HELD
#undef HELD
#undef LENGTHS_NAME
#undef LENGTHS_NAME_2
#undef LENGTHS_NAME_3
#undef PCF_SINGLE
#include "base/simd-end.h"
