#include "arithmetic/binned.h"

#include "arithmetic/lanes.h"
#include "base/bits.h"

#include <math.h>
#include <string.h>

/* The tops for which 2^(−26 · top) is a double: all that pcf_binned_add() works with. Its terms
 * are too small for the bins of larger tops. */
enum { LEAST_TOP = -39, MOST_TOP = 39 };

/* No term has been added yet. */
static const int64_t empty = INT64_MIN / 64;

static const double bin_size = (double)(1 << PCF_BIN_BITS);

void pcf_binned_clear(struct pcf_binned *sums) {
  memset(sums, 0, sizeof *sums);
  for (int lane = 0; lane < PCF_BINNED_LANES; lane++) sums->top[lane] = empty;
}

/* ---- Tops ---- */

/* The first bin for a number that is less than 2^exponent. */
static int64_t top_for(int64_t exponent) {
  int64_t top = exponent / PCF_BIN_BITS;
  return top * PCF_BIN_BITS > exponent ? top - 1 : top;
}

static void raise(struct pcf_binned *sums, int lane, int64_t top) {
  int64_t steps = top - sums->top[lane];
  for (int k = PCF_BINS - 1; k >= 0; k--) {
    sums->bin[k][lane] = k >= steps ? sums->bin[k - steps][lane] : 0;
  }
  sums->top[lane] = top;
}

/* ---- All lanes ---- */

/* 2^(−26 · top), or 0 where terms are too small for all bins. */
static inline double scale_of(int64_t top) {
  int64_t exponent = 1023 - PCF_BIN_BITS * (top < LEAST_TOP ? LEAST_TOP : top);
  return top > MOST_TOP ? 0 : pcf_double_of((uint64_t)exponent << 52);
}

static void raise_for(struct pcf_binned *sums, const double *term) {
  for (int lane = 0; lane < PCF_BINNED_LANES; lane++) {
    int exponent;
    frexp(term[lane], &exponent);
    int64_t top = term[lane] == 0 ? LEAST_TOP : top_for(exponent);
    if (top < LEAST_TOP) top = LEAST_TOP;
    if (top > sums->top[lane]) raise(sums, lane, top);
  }
}

/* Converts terms to the units of the first bins. Returns whether any is too large for its
 * bin. */
static int scale_terms(const struct pcf_binned *sums, const double *term, double *scaled) {
  double scale[PCF_BINNED_LANES];
  int over = 0;
  for (int lane = 0; lane < PCF_BINNED_LANES; lane++) scale[lane] = scale_of(sums->top[lane]);
  for (int lane = 0; lane < PCF_BINNED_LANES; lane++) {
    scaled[lane] = term[lane] * scale[lane];
    over |= (fabs(scaled[lane]) >= bin_size / 2) | (sums->top[lane] < LEAST_TOP);
  }
  return over;
}

/* Adding this number, whose last digit counts units, and subtracting it again rounds to a whole
 * number. */
static const double rounding = 6755399441055744; /* 1.5 · 2^52 */

void pcf_binned_add(struct pcf_binned *sums, const double *term) {
  double rest[PCF_BINNED_LANES];
  if (scale_terms(sums, term, rest)) {
    raise_for(sums, term);
    scale_terms(sums, term, rest);
  }
  for (int lane = 0; lane < PCF_BINNED_LANES; lane += LANES) {
    V left = v_load(rest + lane);
    UNROLL
    for (int k = 0; k < PCF_BINS; k++) {
      V part = v_sub(v_add(left, v_set1(rounding)), v_set1(rounding));
      v_store(&sums->bin[k][lane], v_add(v_load(&sums->bin[k][lane]), part));
      left = v_mul(v_sub(left, part), v_set1(bin_size));
    }
  }
}

/* ---- One lane ---- */

void pcf_binned_add_one(struct pcf_binned *sums, int lane, double number, int64_t exponent) {
  int more;
  double left = frexp(number, &more);
  if (left == 0) return;
  exponent += more;
  if (top_for(exponent) > sums->top[lane]) raise(sums, lane, top_for(exponent));
  int64_t shift = exponent - PCF_BIN_BITS * sums->top[lane];
  if (shift < -PCF_BINS * PCF_BIN_BITS) return;
  left = ldexp(left, (int)shift);
  for (int k = 0; k < PCF_BINS; k++) {
    double part = (left + rounding) - rounding;
    sums->bin[k][lane] += part;
    left = (left - part) * bin_size;
  }
}

/* ---- Sums ---- */

/* The same sum may be spread over the bins in several ways: carrying makes it unique. */
double pcf_binned_sum(const struct pcf_binned *sums, int lane, int64_t *exponent) {
  double bin[PCF_BINS];
  for (int k = 0; k < PCF_BINS; k++) bin[k] = sums->bin[k][lane];
  for (int k = PCF_BINS - 1; k > 0; k--) {
    double carry = floor(bin[k] / bin_size);
    bin[k] -= carry * bin_size;
    bin[k - 1] += carry;
  }
  *exponent = PCF_BIN_BITS * sums->top[lane];
  return bin[0] + (bin[1] + bin[2] / bin_size) / bin_size;
}

double pcf_binned_value(const struct pcf_binned *sums, int lane) {
  enum { FAR = 4096 };
  int64_t exponent;
  double sum = pcf_binned_sum(sums, lane, &exponent);
  if (exponent > FAR) exponent = FAR;
  return ldexp(sum, exponent < -FAR ? -FAR : (int)exponent);
}
