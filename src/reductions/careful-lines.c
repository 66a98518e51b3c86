#include "reductions/careful-lines.h"

#include <math.h>
#include <string.h>

/* ---- Residues ---- */

static const uint64_t prime = (UINT64_C(1) << 61) - 1;

static uint64_t reduced(uint64_t x) {
  x = (x & prime) + (x >> 61);
  return x >= prime ? x - prime : x;
}

static uint64_t residue_sum(uint64_t a, uint64_t b) {
  return reduced(a + b);
}

static uint64_t opposite_if(int negative, uint64_t a) {
  return negative && a ? prime - a : a;
}

static uint64_t residue_product(uint64_t a, uint64_t b) {
  struct pcf_narrow product = pcf_narrow_product(a, b);
  return residue_sum(product.low & prime, product.high << 3 | product.low >> 61);
}

/* x · 2^exponent: the powers of two go round. */
static uint64_t residue_shift(uint64_t x, int exponent) {
  int by = exponent % 61;
  if (by < 0) by += 61;
  return reduced((x << by & prime) | x >> (61 - by));
}

/* x^(prime - 2), from x^(2^n - 1) for larger and larger n up to 59; 1 for 0. */
static uint64_t residue_inverse(uint64_t x) {
  uint64_t power = x;
  int n = 1;
  if (x == 0) return 1;
  for (int bit = 16; bit; bit >>= 1) {
    uint64_t shifted = power;
    for (int k = 0; k < n; k++) shifted = residue_product(shifted, shifted);
    power = residue_product(shifted, power);
    n *= 2;
    if (!(59 & bit)) continue;
    power = residue_product(residue_product(power, power), x);
    n++;
  }
  power = residue_product(power, power);
  return residue_product(residue_product(power, power), x);
}

static uint64_t residue_of(struct pcf_scaled number) {
  int exponent;
  uint64_t mantissa = pcf_mantissa(number.x, &exponent);
  return opposite_if(number.x < 0, residue_shift(mantissa, exponent + number.exponent));
}

/* Of a magnitude of so many limbs. */
static uint64_t residue_of_limbs(const uint64_t *limbs, const struct pcf_fixed *fixed) {
  uint64_t residue = 0;
  for (int k = fixed->limbs - 1; k >= 0; k--) {
    residue = residue_sum(residue_shift(residue, 64), reduced(limbs[k]));
  }
  return residue_shift(residue, fixed->unit);
}

/* ---- Numbers ---- */

static struct pcf_scaled scaled_of(double x, int exponent) {
  int own;
  x = frexp(x, &own);
  return (struct pcf_scaled){x, own + exponent};
}

struct pcf_scaled pcf_scaled_product(double a, double b) {
  struct pcf_scaled first = scaled_of(a, 0), second = scaled_of(b, 0);
  return scaled_of(first.x * second.x, first.exponent + second.exponent);
}

static struct pcf_double_double difference(double a, double b, int exponent) {
  struct pcf_double_double exact = pcf_exact_sum_of(a, -b);
  return (struct pcf_double_double){ldexp(exact.high, exponent), ldexp(exact.low, exponent)};
}

/* Adds x · 2^shift, cut to a whole number, or subtracts it; returns whether it is cut. */
static int add_shifted(uint64_t *sum, int limbs, struct pcf_narrow x, int shift, int negative) {
  int cut = 0;
  if (shift < 0) {
    struct pcf_narrow kept = pcf_narrow_shift(x, shift), back = pcf_narrow_shift(kept, -shift);
    cut = back.low != x.low || back.high != x.high;
    x = kept;
    shift = 0;
  }
  int within = shift % 64;
  struct pcf_narrow low = pcf_narrow_shift(x, within);
  uint64_t part[] = {low.low, low.high, within ? x.high >> (64 - within) : 0}, carry = 0;
  for (int k = 0, at = shift / 64; at < limbs && (k < 3 || carry); k++, at++) {
    uint64_t more = k < 3 ? part[k] : 0, old = sum[at];
    sum[at] = negative ? old - more - carry : old + more + carry;
    carry = negative ? old < more || (old == more && carry)
                     : sum[at] < old || (sum[at] == old && carry);
  }
  return cut;
}

static int add_number(const struct pcf_fixed *fixed, uint64_t *sum, struct pcf_scaled number,
                      int negative) {
  int exponent;
  struct pcf_narrow mantissa = {pcf_mantissa(number.x, &exponent), 0};
  return add_shifted(sum, fixed->limbs, mantissa, exponent + number.exponent - fixed->unit,
                     (number.x < 0) != negative);
}

static int is_negative(const uint64_t *number, int limbs) {
  return number[limbs - 1] >> 63 != 0;
}

/* ---- Lines ---- */

/* The parts of a sum after its values and slopes. */
static uint64_t *errors_of(const struct pcf_summing *summing, uint64_t *sum) {
  return sum + summing->fixed.limbs + summing->slopes.limbs;
}

static uint64_t *residues_of(const struct pcf_summing *summing, uint64_t *sum) {
  return errors_of(summing, sum) + summing->fixed.limbs;
}

/* Subtracts a · b from a number. */
static int subtract_product(const struct pcf_fixed *fixed, uint64_t *number, double a,
                            double b) {
  int exponent, other;
  uint64_t mantissa = pcf_mantissa(a, &exponent), by = pcf_mantissa(b, &other);
  return add_shifted(number, fixed->limbs, pcf_narrow_product(mantissa, by),
                     exponent + other - fixed->unit, (a < 0) == (b < 0));
}

/* Long division, for a quotient of about 1: sets its digits, which are doubles, and returns
 * whether that is all. */
static int divide(struct pcf_double_double a, struct pcf_double_double b, double *digit) {
  enum { LIMBS = 12 };
  const struct pcf_fixed fixed = {8 - 64 * LIMBS, LIMBS};
  const struct pcf_divisor one = pcf_divisor_of(1, 0);
  uint64_t rest[LIMBS] = {0};
  int cut = add_number(&fixed, rest, (struct pcf_scaled){a.high, 0}, 0);
  cut |= add_number(&fixed, rest, (struct pcf_scaled){a.low, 0}, 0);
  for (int k = 0; k < PCF_SLOPE_PARTS; k++) {
    double left = pcf_wide_quotient(rest, &fixed, &one);
    if (left == 0) return !cut;
    digit[k] = left / b.high;
    cut |= subtract_product(&fixed, rest, digit[k], b.high);
    cut |= subtract_product(&fixed, rest, digit[k], b.low);
  }
  return 0;
}

struct pcf_careful_line pcf_careful_line_of(const struct pcf_summing *summing,
                                            struct pcf_scaled from, struct pcf_scaled to,
                                            double begin, double end) {
  struct pcf_careful_line line = {.time = begin - summing->origin, .value = from, .exact = 1};
  line.residue = residue_of(from);
  int exponent = from.exponent > to.exponent ? from.exponent : to.exponent;
  if (from.x == 0) exponent = to.exponent;
  if (to.x == 0) exponent = from.exponent;
  struct pcf_double_double rise =
    difference(ldexp(to.x, to.exponent - exponent), ldexp(from.x, from.exponent - exponent), 0);
  if (rise.high == 0) return line;
  int half = isinf(end - begin), width;
  struct pcf_double_double run =
    half ? difference(end / 2, begin / 2, 0) : difference(end, begin, 0);
  uint64_t of_run = residue_sum(residue_of((struct pcf_scaled){run.high, half}),
                                residue_of((struct pcf_scaled){run.low, half}));
  uint64_t of_rise = residue_sum(residue_of(to), opposite_if(1, line.residue));
  frexp(run.high, &width);
  run.high = ldexp(run.high, -width);
  run.low = ldexp(run.low, -width);
  line.rise = (struct pcf_scaled){rise.high, exponent};
  line.exact = divide(rise, run, line.part);
  line.exponent = exponent - width - half;
  line.slope_residue = residue_product(of_rise, residue_inverse(of_run));
  uint64_t of_time = residue_of((struct pcf_scaled){line.time, 0});
  line.residue =
    residue_sum(line.residue, opposite_if(1, residue_product(line.slope_residue, of_time)));
  return line;
}

/* A part of the slope, and what it comes to between the line's time and 0. */
static int add_part(const struct pcf_summing *summing, uint64_t *values, uint64_t *slopes,
                    const struct pcf_careful_line *line, double part, int negative) {
  int exponent, of_time;
  uint64_t mantissa = pcf_mantissa(part, &exponent), time = pcf_mantissa(line->time, &of_time);
  if (mantissa == 0) return 0;
  int falls = (part < 0) != negative;
  exponent += line->exponent;
  int cut = add_shifted(slopes, summing->slopes.limbs, (struct pcf_narrow){mantissa, 0},
                        exponent - summing->slopes.unit, falls);
  return cut | add_shifted(values, summing->fixed.limbs, pcf_narrow_product(mantissa, time),
                           exponent + of_time - summing->fixed.unit, falls == (line->time < 0));
}

/* What is cut, of the parts of a slope and on the way to the end of the line, is less than so
 * many units. */
enum { CUT_UNITS = 32, SLOPE_BITS = 380 };

void pcf_careful_add_line(const struct pcf_summing *summing, uint64_t *sum,
                          const struct pcf_careful_line *line, int negative) {
  const struct pcf_fixed *fixed = &summing->fixed;
  uint64_t *errors = errors_of(summing, sum), *residue = residues_of(summing, sum);
  int cut = !line->exact, exponent;
  add_number(fixed, sum, line->value, negative);
  residue[0] = residue_sum(residue[0], opposite_if(negative, line->residue));
  if (line->rise.x == 0) return;
  for (int k = 0; k < PCF_SLOPE_PARTS; k++) {
    cut |= add_part(summing, sum, sum + fixed->limbs, line, line->part[k], negative);
  }
  residue[1] = residue_sum(residue[1], opposite_if(negative, line->slope_residue));
  if (!cut) return;
  struct pcf_narrow mantissa = {pcf_mantissa(line->rise.x, &exponent) + 1, 0};
  exponent += line->rise.exponent - SLOPE_BITS - fixed->unit;
  add_shifted(errors, fixed->limbs, mantissa, exponent, negative);
  add_shifted(errors, fixed->limbs, (struct pcf_narrow){CUT_UNITS, 0}, 0, negative);
}

void pcf_careful_add_value(const struct pcf_summing *summing, struct pcf_careful_values *sum,
                           struct pcf_scaled value) {
  add_number(&summing->fixed, sum->limbs, value, 0);
  sum->residue = residue_sum(sum->residue, residue_of(value));
}

void pcf_careful_join(const struct pcf_summing *summing, uint64_t *sum, const uint64_t *more) {
  const struct pcf_fixed *fixed = &summing->fixed, *slopes = &summing->slopes;
  int errors = fixed->limbs + slopes->limbs, residues = errors + fixed->limbs;
  pcf_wide_sum(fixed, sum, more);
  pcf_wide_sum(slopes, sum + fixed->limbs, more + fixed->limbs);
  pcf_wide_sum(fixed, sum + errors, more + errors);
  for (int k = residues; k < residues + 2; k++) sum[k] = residue_sum(sum[k], more[k]);
}

uint64_t pcf_careful_slopes(const struct pcf_summing *summing, const uint64_t *sum) {
  return sum[2 * summing->fixed.limbs + summing->slopes.limbs + 1];
}

/* ---- Values ---- */

struct pcf_careful_values pcf_careful_at(const struct pcf_summing *summing, const uint64_t *sum,
                                         double time, uint64_t *error) {
  const struct pcf_fixed *fixed = &summing->fixed;
  int limbs = summing->slopes.limbs, exponent, cut = 0;
  uint64_t slopes[PCF_MAX_LIMBS], mantissa = pcf_mantissa(time, &exponent);
  const uint64_t *errors = sum + fixed->limbs + limbs, *residue = errors + fixed->limbs;
  struct pcf_careful_values values = {.residue = residue_of((struct pcf_scaled){time, 0})};
  values.residue = residue_sum(residue[0], residue_product(residue[1], values.residue));
  memcpy(values.limbs, sum, (size_t)fixed->limbs * sizeof *sum);
  memcpy(slopes, sum + fixed->limbs, (size_t)limbs * sizeof *sum);
  int falls = is_negative(slopes, limbs), below = falls != (time < 0);
  pcf_limbs_negate(slopes, falls, limbs);
  int shift = exponent + summing->slopes.unit - fixed->unit;
  for (int k = 0; k < limbs; k++, shift += 64) {
    struct pcf_narrow product = pcf_narrow_product(slopes[k], mantissa);
    cut |= add_shifted(values.limbs, fixed->limbs, product, shift, below);
  }
  pcf_wide_sum(fixed, error, errors);
  if (cut) add_shifted(error, fixed->limbs, (struct pcf_narrow){(uint64_t)limbs, 0}, 0, 0);
  return values;
}

void pcf_careful_add_values(const struct pcf_summing *summing, struct pcf_careful_values *sum,
                            const struct pcf_careful_values *more) {
  pcf_wide_sum(&summing->fixed, sum->limbs, more->limbs);
  sum->residue = residue_sum(sum->residue, more->residue);
}

/* The place of the highest bit of a positive number, counted from 1. */
static int bits_of(const uint64_t *number, int limbs) {
  int k = limbs - 1;
  while (k > 0 && number[k] == 0) k--;
  return number[k] ? 64 * (k + 1) - pcf_leading_zeros(number[k]) : 0;
}

/* Rounds a magnitude to a multiple of 2^bits. */
static void round_to(uint64_t *magnitude, int limbs, int bits) {
  add_shifted(magnitude, limbs, (struct pcf_narrow){1, 0}, bits - 1, 0);
  for (int k = 0; k < bits / 64; k++) magnitude[k] = 0;
  magnitude[bits / 64] &= ~UINT64_C(0) << (bits % 64);
}

/* There is at most one number of few digits within the error: that may be it. Otherwise the sum
 * is not 0, nor such a number, and is known well enough. */
double pcf_careful_quotient(const struct pcf_summing *summing,
                            const struct pcf_careful_values *sum, const uint64_t *error,
                            const struct pcf_divisor *divisor) {
  const struct pcf_fixed *fixed = &summing->fixed;
  int limbs = fixed->limbs, bits = bits_of(error, limbs) + 2;
  uint64_t known[PCF_MAX_LIMBS], magnitude[PCF_MAX_LIMBS];
  int negative = is_negative(sum->limbs, limbs);
  memcpy(magnitude, sum->limbs, (size_t)limbs * sizeof *magnitude);
  pcf_limbs_negate(magnitude, negative, limbs);
  memcpy(known, magnitude, (size_t)limbs * sizeof *known);
  if (bits > 2 && bits < 64 * limbs) {
    round_to(known, limbs, bits);
    uint64_t residue = opposite_if(negative, residue_of_limbs(known, fixed));
    if (residue == sum->residue) memcpy(magnitude, known, (size_t)limbs * sizeof *magnitude);
  }
  double quotient = pcf_wide_quotient(magnitude, fixed, divisor);
  return negative ? -quotient : quotient;
}
