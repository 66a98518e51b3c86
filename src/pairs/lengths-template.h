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

/* The state of the rows at a time; those from `begin` to before `end` are asked for. `going`
 * has all bits set where a row is observed. held[0] is what they have been observed but for
 * `going`, and held[1] is −held[0]. */
struct LENGTHS_NAME(observing) {
  const struct pcf_observed_change *next, *last;
  int begin, end;
  int64_t going[PCF_OBSERVED_WIDTH], held[2][PCF_OBSERVED_WIDTH];
};

static TARGET void LENGTHS_NAME(start_observing)(const struct pcf_observed_band *rows,
                                                 const struct pcf_rectangle *wanted,
                                                 struct LENGTHS_NAME(observing) * observing) {
  enum { GROUP = PCF_OBSERVED_GROUP };
  observing->next = rows->change;
  observing->last = rows->change + rows->changes;
  observing->begin = (int)(wanted->row / GROUP * GROUP);
  observing->end = (int)((wanted->row + wanted->rows + GROUP - 1) / GROUP * GROUP);
  memcpy(observing->going, rows->going, sizeof observing->going);
  for (int k = 0; k < PCF_OBSERVED_WIDTH; k++) {
    observing->held[0][k] = rows->held[k];
    observing->held[1][k] = (int64_t)(0 - (uint64_t)rows->held[k]);
  }
}

/* Brings rows up to a time. */
INLINE TARGET void LENGTHS_NAME(go_on)(struct LENGTHS_NAME(observing) * rows, double time) {
  for (; rows->next < rows->last && rows->next->time < time; rows->next++) {
    const struct pcf_observed_change *change = rows->next;
    uint64_t held = (uint64_t)rows->held[0][change->lane], now = (uint64_t)change->units;
    held += change->begins ? 0 - now : now;
    rows->held[0][change->lane] = (int64_t)held;
    rows->held[1][change->lane] = (int64_t)(0 - held);
    rows->going[change->lane] = -change->begins;
  }
}

/* How long each row has been observed up to then; with `less`, held[1] takes the place of
 * held[0]. */
INLINE TARGET V LENGTHS_NAME(observed)(const struct LENGTHS_NAME(observing) * rows, int less,
                                       V units, int k) {
  V elapsed = v_and(LENGTHS_NAME(load_bits)(rows->going + k), units);
  return v_add_bits(LENGTHS_NAME(load_bits)(rows->held[less] + k), elapsed);
}

/* Columns that have few times in common: one change after the other. */
INLINE TARGET void LENGTHS_NAME(add_changes)(const struct pcf_observed_band *columns,
                                             struct LENGTHS_NAME(observing) * rows,
                                             struct pcf_overlap_lengths *lengths) {
  const struct pcf_rectangle *wanted = &lengths->wanted;
  for (int64_t e = 0; e < columns->changes; e++) {
    const struct pcf_observed_change *change = &columns->change[e];
    uint64_t now = (uint64_t)change->units;
    V units = v_bits(change->begins ? 0 - now : now);
    int64_t *sum = lengths->sum[change->lane];
    if (change->lane < wanted->column || change->lane >= wanted->column + wanted->columns) {
      continue;
    }
    LENGTHS_NAME(go_on)(rows, change->time);
    for (int k = rows->begin; k < rows->end; k += LANES) {
      V observed = LENGTHS_NAME(observed)(rows, change->begins, units, k);
      LENGTHS_NAME(store_bits)
      (sum + k, v_add_bits(LENGTHS_NAME(load_bits)(sum + k), observed));
    }
  }
}

/* Adds what has been observed when a column ends to be, and takes away what has been when it
 * begins, at its edges from `edge` to before `next`; `observed` begins at the time `first`. As
 * many sums as there are registers for go through these at once. */
INLINE TARGET void LENGTHS_NAME(add_edges)(const struct pcf_observed_edge *edge,
                                           const struct pcf_observed_edge *next,
                                           const int64_t *observed, int64_t first, int begin,
                                           int end, int64_t *sum) {
  for (int group = begin; group < end; group += HELD * LANES) {
    V sums[HELD];
    EACH_HELD(v) sums[v] = LENGTHS_NAME(load_bits)(sum + group + v * LANES);
    for (const struct pcf_observed_edge *e = edge; e < next; e++) {
      const int64_t *from = observed + (e->time - first) * PCF_OBSERVED_WIDTH + group;
      if (e->begins) {
        EACH_HELD(v)
        sums[v] = v_sub_bits(sums[v], LENGTHS_NAME(load_bits)(from + v * LANES));
      } else {
        EACH_HELD(v)
        sums[v] = v_add_bits(sums[v], LENGTHS_NAME(load_bits)(from + v * LANES));
      }
    }
    EACH_HELD(v) LENGTHS_NAME(store_bits)(sum + group + v * LANES, sums[v]);
  }
}

/* Columns that share their times: some of these after the others. What rows have been observed
 * up to each comes first, and then the columns, one by one. */
INLINE TARGET void LENGTHS_NAME(add_times)(const struct pcf_observed_band *columns,
                                           struct LENGTHS_NAME(observing) * rows,
                                           struct pcf_overlap_lengths *lengths) {
  const struct pcf_rectangle *wanted = &lengths->wanted;
  int64_t next[PCF_OBSERVED_WIDTH];
  memcpy(next, columns->first, sizeof next);
  for (int64_t first = 0; first < columns->times; first += PCF_OBSERVED_TIMES) {
    int64_t rest = columns->times - first;
    int64_t last = first + (rest < PCF_OBSERVED_TIMES ? rest : PCF_OBSERVED_TIMES);
    for (int64_t t = first; t < last; t++) {
      V units = v_bits((uint64_t)columns->units[t]);
      LENGTHS_NAME(go_on)(rows, columns->time[t]);
      for (int k = rows->begin; k < rows->end; k += LANES) {
        V observed = LENGTHS_NAME(observed)(rows, 0, units, k);
        LENGTHS_NAME(store_bits)(lengths->observed[t - first] + k, observed);
      }
    }
    for (int64_t j = wanted->column; j < wanted->column + wanted->columns; j++) {
      const struct pcf_observed_edge *edge = columns->edge + next[j];
      while (next[j] < columns->first[j + 1] && columns->edge[next[j]].time < last) next[j]++;
      LENGTHS_NAME(add_edges)
      (edge, columns->edge + next[j], lengths->observed[0], first, rows->begin, rows->end,
       lengths->sum[j]);
    }
  }
}

static TARGET void LENGTHS_NAME(overlaps)(const struct pcf_observed_band *rows,
                                          const struct pcf_observed_band *columns,
                                          struct pcf_overlap_lengths *lengths) {
  enum { MUCH = 4 };
  const struct pcf_rectangle *wanted = &lengths->wanted;
  struct LENGTHS_NAME(observing) observing;
  LENGTHS_NAME(start_observing)(rows, wanted, &observing);
  memset(lengths->sum[wanted->column], 0, (size_t)wanted->columns * sizeof lengths->sum[0]);
  if (columns->times * MUCH > columns->changes) {
    LENGTHS_NAME(add_changes)(columns, &observing, lengths);
  } else {
    LENGTHS_NAME(add_times)(columns, &observing, lengths);
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
