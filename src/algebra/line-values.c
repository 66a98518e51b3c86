#include "algebra/line-values.h"

#include "arithmetic/lanes.h"

#include <float.h>
#include <math.h>

/* Sums of two doubles, in the lanes of vectors: see arithmetic/double-double.h. */
struct exact {
  V high, low;
};

INLINE struct exact exact_sum(V a, V b) {
  V high = v_add(a, b), part = v_sub(high, a);
  return (struct exact){high, v_add(v_sub(a, v_sub(high, part)), v_sub(b, part))};
}

INLINE struct exact exact_difference(V a, V b) {
  V high = v_sub(a, b), part = v_sub(high, a);
  return (struct exact){high, v_sub(v_sub(a, v_sub(high, part)), v_add(b, part))};
}

INLINE V upper_half(V a) {
  V product = v_mul(v_set1(134217729), a);
  return v_sub(product, v_sub(product, a));
}

INLINE struct exact exact_product(V a, V b) {
  V high = v_mul(a, b), a_high = upper_half(a), b_high = upper_half(b);
  V a_low = v_sub(a, a_high), b_low = v_sub(b, b_high);
  V low = v_add(v_sub(v_mul(a_high, b_high), high), v_mul(a_high, b_low));
  low = v_add(v_add(low, v_mul(a_low, b_high)), v_mul(a_low, b_low));
  return (struct exact){high, low};
}

/* The share of the line that is passed is a quotient and what it leaves. */
INLINE V line_values(V from, V to, V value, V left, V at) {
  struct exact rise = exact_difference(left, value), run = exact_difference(to, from);
  struct exact passed = exact_difference(at, from);
  V share = v_div(passed.high, run.high);
  struct exact whole = exact_product(share, run.high), part = exact_product(share, rise.high);
  V rest = v_add(v_sub(v_sub(passed.high, whole.high), whole.low), passed.low);
  rest = v_div(v_sub(rest, v_mul(share, run.low)), run.high);
  struct exact sum = exact_sum(value, part.high);
  V low = v_add(v_add(part.low, v_mul(share, rise.low)), v_mul(rest, rise.high));
  return v_add(sum.high, v_add(sum.low, low));
}

/* Counted from the nearer end, since the value at the other one may be much larger. */
static double plain_value(struct pcf_polyline lines, int64_t k, double at) {
  double from = lines.time[k], to = lines.time[k + 1], value = lines.value[k];
  double passed = (at - from) / (to - from), ahead = (to - at) / (to - from);
  double end = lines.left[k + 1], rise = end - value;
  return passed >= ahead ? end - rise * ahead : value + rise * passed;
}

static const double most = 1e290;

static int is_moderate(struct pcf_polyline lines, int64_t k) {
  return fabs(lines.time[k]) <= most && fabs(lines.time[k + 1]) <= most &&
         fabs(lines.value[k]) <= most && fabs(lines.left[k + 1]) <= most;
}

static void set_extreme_values(struct pcf_polyline lines, const struct pcf_line_places *places,
                               const double *at, double *left, double *value) {
  for (int64_t l = 0; l < places->count; l++) {
    int64_t k = places->line[l], place = places->place[l];
    if (is_moderate(lines, k) && fabs(value[place]) <= DBL_MAX) continue;
    left[place] = value[place] = plain_value(lines, k, at[place]);
  }
}

#if LANES == 1
#define GATHER(x, k) (x)[(k)[0]]
#else
#define GATHER(x, k) ((V){(x)[(k)[0]], (x)[(k)[1]]}) /* baselines have two lanes */
#endif

void pcf_set_line_values(struct pcf_polyline lines, struct pcf_line_places *places,
                         const double *at, double *left, double *value) {
  V largest = v_set1(0), zero = v_set1(0);
  double result[LANES], size[LANES], zeros[LANES];
  int64_t count = places->count;
  if (count == 0) return;
  places->line[count] = places->line[count - 1]; /* for the second lane */
  places->place[count] = places->place[count - 1];
  for (int64_t l = 0; l < count; l += LANES) {
    const int32_t *k = places->line + l, *place = places->place + l;
    V from = GATHER(lines.time, k), to = GATHER(lines.time + 1, k);
    V begin = GATHER(lines.value, k), end = GATHER(lines.left + 1, k);
    V there = line_values(from, to, begin, end, GATHER(at, place));
    largest = v_max(v_max(v_abs(from), v_abs(to)), largest);
    largest = v_max(v_max(v_abs(begin), v_abs(end)), largest);
    zero = v_add(zero, v_sub(there, there));
    v_store(result, there);
    for (int i = 0; i < LANES; i++) left[place[i]] = value[place[i]] = result[i];
  }
  v_store(size, largest);
  v_store(zeros, zero);
  int extreme = 0;
  for (int i = 0; i < LANES; i++) extreme |= !(size[i] <= most && zeros[i] == 0);
  if (extreme) set_extreme_values(lines, places, at, left, value);
}
