/* Gaps, on the vector operations of the simd-*.h header that was included before in single
 * precision; see gaps.h. Defines gap_of_boxes() and so on. */
#include "pruning/gaps.h"

#include <string.h>

#define NAME(x) gap_##x
#define SCALAR float

#include "arithmetic/power-template.h"

/* From one point, or box, to RAISED vectors of others. */
struct gap_sums {
  V sum[RAISED];
};

INLINE TARGET struct gap_sums no_gaps(void) {
  struct gap_sums sums;
  EACH (v) sums.sum[v] = v_set1(0);
  return sums;
}

/* Adds gaps in one coordinate. `halves` are the half powers of the metric: 0 is to be a
 * constant, so that one of the two powers is compiled. */
INLINE TARGET void add_gaps(enum pcf_operation operation, const struct pcf_metric *metric,
                            int halves, V *gap, struct gap_sums *sums) {
  if (operation == PCF_LP && halves) {
    raise_to_halves(gap, halves);
  } else if (operation == PCF_LP) {
    raise(gap, spread_exponent(&metric->power));
  } else if (operation == PCF_L2) {
    EACH (v) gap[v] = v_mul(gap[v], gap[v]);
  }
  EACH (v) {
    sums->sum[v] =
      operation == PCF_LINF ? v_max(sums->sum[v], gap[v]) : v_add(sums->sum[v], gap[v]);
  }
}

/* Beyond `most` or before `least`. */
INLINE TARGET V gap_of(V least, V most, V other_least, V other_most) {
  return v_max(v_max(v_sub(least, other_most), v_sub(other_least, most)), v_set1(0));
}

/* From run time to compile time. */
#define WITH_METRIC(metric, CALL)                                 \
  switch ((metric)->operation) {                                  \
  case PCF_L1: CALL(PCF_L1, 0); break;                            \
  case PCF_L2: CALL(PCF_L2, 0); break;                            \
  case PCF_LP:                                                    \
    if ((metric)->half_powers) CALL(PCF_LP, metric->half_powers); \
    else CALL(PCF_LP, 0);                                         \
    break;                                                        \
  default: CALL(PCF_LINF, 0);                                     \
  }

/* ---- Two boxes: the lanes are coordinates ---- */

INLINE TARGET float boxes(enum pcf_operation operation, const struct pcf_metric *metric,
                          int halves, const struct pcf_box *a, const struct pcf_box *b) {
  struct gap_sums sums = no_gaps();
  float lane[RAISED * LANES], sum = 0;
  for (int c = 0; c < metric->coordinates; c += RAISED * LANES) {
    V gap[RAISED];
    EACH (v) {
      int at = c + v * LANES;
      gap[v] = gap_of(v_load(a->least + at), v_load(a->most + at), v_load(b->least + at),
                      v_load(b->most + at));
    }
    add_gaps(operation, metric, halves, gap, &sums);
  }
  EACH (v) v_store(lane + v * LANES, sums.sum[v]);
  for (int k = 0; k < RAISED * LANES; k++) {
    if (operation != PCF_LINF) sum += lane[k];
    else sum = lane[k] > sum ? lane[k] : sum;
  }
  return sum;
}

static TARGET float NAME(of_boxes)(const struct pcf_metric *metric, const struct pcf_box *a,
                                   const struct pcf_box *b) {
#define BOXES(operation, halves) return boxes(operation, metric, halves, a, b)
  WITH_METRIC(metric, BOXES)
  return 0;
}

/* ---- The points of a band: the lanes are points ---- */

/* `single`: is the box a point? */
INLINE TARGET void points(enum pcf_operation operation, const struct pcf_metric *metric,
                          int halves, int single, const struct pcf_box *box, const float *point,
                          float *gaps) {
  for (int k = 0; k < PCF_BAND_POINTS; k += RAISED * LANES) {
    struct gap_sums sums = no_gaps();
    for (int c = 0; c < metric->coordinates; c++) {
      V least = v_set1(box->least[c]), most = v_set1(box->most[c]), gap[RAISED];
      EACH (v) {
        V other = v_load(point + c * PCF_BAND_POINTS + k + v * LANES);
        gap[v] = single ? v_abs(v_sub(least, other)) : gap_of(least, most, other, other);
      }
      add_gaps(operation, metric, halves, gap, &sums);
    }
    EACH (v) v_store(gaps + k + v * LANES, sums.sum[v]);
  }
}

static TARGET void NAME(of_points)(const struct pcf_metric *metric, const struct pcf_box *box,
                                   const float *point, float *gap) {
#define POINTS(operation, halves) points(operation, metric, halves, 0, box, point, gap)
#define OF_POINT(operation, halves) points(operation, metric, halves, 1, box, point, gap)
  if (box->least == box->most) {
    WITH_METRIC(metric, OF_POINT)
  } else {
    WITH_METRIC(metric, POINTS)
  }
}

/* ---- The points of a band in bytes: the lanes are words ---- */

/* Vectors of words that are added up side by side: a whole band of the widest. */
#if B_WORDS < 8
#define WORD_VECTORS 8
#else
#define WORD_VECTORS 4
#endif
enum { WORDS_AT_ONCE = WORD_VECTORS * B_WORDS };
#define EACH_WORD(v) EACH_OF(v, WORD_VECTORS)

INLINE TARGET void add_words(B own, const uint64_t *word, B_SUM *sum) {
  EACH_WORD(v) sum[v] = b_add_apart(sum[v], own, b_load(word + v * B_WORDS));
}

INLINE TARGET void add_words_beyond(B least, B most, const uint64_t *word, B_SUM *sum) {
  EACH_WORD(v) {
    B other = b_load(word + v * B_WORDS);
    B gap = b_or(b_less(least, other), b_less(other, most));
    sum[v] = b_add_apart(sum[v], gap, b_set1(0));
  }
}

static TARGET uint32_t NAME(near_box)(int words, const uint64_t *least, const uint64_t *most,
                                      const uint64_t *band, const int64_t *reach) {
  uint32_t beyond = 0;
  for (int k = 0; k < PCF_BAND_POINTS; k += WORDS_AT_ONCE) {
    B_SUM sum[WORD_VECTORS];
    EACH_WORD(v) sum[v] = b_no_sum();
    for (int w = 0; w < words; w++) {
      add_words_beyond(b_set1(least[w]), b_set1(most[w]), band + w * PCF_BAND_POINTS + k, sum);
    }
    EACH_WORD(v) {
      int at = k + v * B_WORDS;
      beyond |= (uint32_t)b_greater(sum[v], b_load(reach + at)) << at;
    }
  }
  return ~beyond;
}

static TARGET uint32_t NAME(near_point)(int words, const uint64_t *point, const uint64_t *band,
                                        int64_t reach) {
  uint32_t beyond = 0;
  for (int k = 0; k < PCF_BAND_POINTS; k += WORDS_AT_ONCE) {
    B_SUM sum[WORD_VECTORS];
    EACH_WORD(v) sum[v] = b_no_sum();
    for (int w = 0; w < words; w++) {
      add_words(b_set1(point[w * PCF_BAND_POINTS]), band + w * PCF_BAND_POINTS + k, sum);
    }
    EACH_WORD(v) {
      beyond |= (uint32_t)b_greater(sum[v], b_set1(reach)) << (k + v * B_WORDS);
    }
  }
  return ~beyond;
}

#undef PCF_SINGLE
#include "arithmetic/simd-end.h"
