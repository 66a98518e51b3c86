/* Exact sums of doubles. All terms of a computation are whole multiples of one power of two,
 * 2^unit, and are added as integers of a fixed number of 64-bit limbs in two's complement. Such
 * sums do not depend on the order, come back to exactly 0, and may be split over threads and
 * stretches of time. Two limbs hold most collections and stay in registers; values of very
 * different magnitudes take more. */
#pragma once

#include "base/bits.h"
#include "base/host-device.h"

#include <stdint.h>

enum {
  PCF_NARROW_LIMBS = 2,
  PCF_MAX_LIMBS = 92, /* 36 for any doubles, 2^100 of them; the rest is for lines */
};

struct pcf_fixed {
  int unit;
  int limbs;
};

/* The form in which sums of up to `terms` doubles of magnitudes between least > 0 and most (or
 * zeros) are exact. Where there is nothing to add, least is infinite and most 0. */
struct pcf_fixed pcf_fixed_for(double least, double most, int64_t terms);

/* ---- Two limbs ---- */

struct pcf_narrow {
  uint64_t low, high;
};

PCF_HOST_DEVICE struct pcf_narrow pcf_narrow_sum(struct pcf_narrow a, struct pcf_narrow b) {
  struct pcf_narrow sum = {a.low + b.low, a.high + b.high};
  sum.high += sum.low < a.low;
  return sum;
}

PCF_HOST_DEVICE struct pcf_narrow pcf_narrow_difference(struct pcf_narrow a,
                                                        struct pcf_narrow b) {
  struct pcf_narrow difference = {a.low - b.low, a.high - b.high - (a.low < b.low)};
  return difference;
}

/* The mantissa of a finite double with its implicit bit, and the power of two of its last bit.
 */
PCF_HOST_DEVICE uint64_t pcf_mantissa(double x, int *exponent) {
  uint64_t bits = pcf_bits_of_double(x);
  int biased = (int)(bits >> 52 & 2047);
  *exponent = (biased ? biased : 1) - 1075;
  return (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(biased != 0) << 52;
}

/* x as a multiple of 2^unit: 0, or a number between the magnitudes that pcf_fixed_for() was
 * called with. */
PCF_HOST_DEVICE struct pcf_narrow pcf_narrow_of(double x, int unit) {
  int exponent;
  uint64_t mantissa = pcf_mantissa(x, &exponent);
  unsigned shift = mantissa ? (unsigned)(exponent - unit) : 0, within = shift & 63;
  uint64_t low = mantissa << within, high = mantissa >> 1 >> (63 - within);
  uint64_t sign = x < 0 ? ~UINT64_C(0) : 0;
  struct pcf_narrow magnitude = {shift < 64 ? low : 0, shift < 64 ? high : low};
  struct pcf_narrow negative = {sign, sign};
  magnitude.low ^= sign;
  magnitude.high ^= sign;
  return pcf_narrow_difference(magnitude, negative);
}

/* x · 2^shift, cut to a whole number of 128 bits. */
PCF_HOST_DEVICE struct pcf_narrow pcf_narrow_shift(struct pcf_narrow x, int shift) {
  struct pcf_narrow zero = {0, 0}, shifted;
  int within = shift & 63;
  if (shift >= 0) {
    if (shift >= 128) return zero;
    shifted.low = shift < 64 ? x.low << within : 0;
    shifted.high =
      shift < 64 ? x.high << within | x.low >> 1 >> (63 - within) : x.low << within;
    return shifted;
  }
  if (shift <= -128) return zero;
  uint64_t low = shift > -64 ? x.low : x.high, high = shift > -64 ? x.high : 0;
  within = -shift & 63;
  shifted.low = low >> within | high << 1 << (63 - within);
  shifted.high = high >> within;
  return shifted;
}

/* The product of two whole numbers. */
PCF_HOST_DEVICE struct pcf_narrow pcf_narrow_product(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 whole;
  whole product = (whole)a * b;
  return (struct pcf_narrow){(uint64_t)product, (uint64_t)(product >> 64)};
#else
  uint64_t half = UINT32_MAX, low = (a & half) * (b & half), high = (a >> 32) * (b >> 32);
  uint64_t first = (a >> 32) * (b & half) + (low >> 32), second = (a & half) * (b >> 32);
  second += first & half;
  return (struct pcf_narrow){second << 32 | (low & half),
                             high + (first >> 32) + (second >> 32)};
#endif
}

/* ---- Any number of limbs ---- */

/* Adds x (subtracts it if `negative`) to `limbs` of the form `fixed`, the lowest first. */
void pcf_wide_add(const struct pcf_fixed *fixed, uint64_t *limbs, double x, int negative);

/* Adds the number `more` of the same form. */
void pcf_wide_sum(const struct pcf_fixed *fixed, uint64_t *limbs, const uint64_t *more);

/* ---- Back to double ---- */

/* What sums are divided by: divisor * 2^shift, finite and not 0. */
struct pcf_divisor {
  double mantissa, inverse, upper, lower; /* the halves of the mantissa */
  int exponent;
};

/* A number of 62 bits, the last of which is set if anything was cut off below. */
struct pcf_leading {
  int64_t digits;
  int exponent;
};

PCF_HOST_DEVICE int pcf_leading_zeros(uint64_t x) {
#if defined(__CUDA_ARCH__)
  return __clzll((long long)x);
#else
  return __builtin_clzll(x);
#endif
}

/* The top 62 bits of upper * 2^64 + lower, upper not 0. */
PCF_HOST_DEVICE struct pcf_leading pcf_leading_of(uint64_t upper, uint64_t lower,
                                                  int exponent) {
  int zeros = pcf_leading_zeros(upper);
  uint64_t top = zeros ? upper << zeros | lower >> (64 - zeros) : upper;
  uint64_t cut = lower << zeros | (top & 3);
  struct pcf_leading leading = {(int64_t)(top >> 2 | (cut != 0)), exponent + 66 - zeros};
  return leading;
}

PCF_HOST_DEVICE double pcf_upper_half(double x) {
  double scaled = 134217729 * x; /* 2^27 + 1 */
  return scaled - (scaled - x);
}

PCF_HOST_DEVICE struct pcf_divisor pcf_divisor_of(double divisor, int shift) {
  struct pcf_divisor result;
  result.mantissa = frexp(divisor, &result.exponent);
  result.exponent += shift;
  result.inverse = 1 / result.mantissa;
  result.upper = pcf_upper_half(result.mantissa);
  result.lower = result.mantissa - result.upper;
  return result;
}

/* Corrects a first quotient by its remainder, which Dekker's product gives exactly. */
PCF_HOST_DEVICE double pcf_quotient(struct pcf_leading number, int negative,
                                    const struct pcf_divisor *divisor) {
  double high = (double)number.digits, low = (double)(number.digits - (int64_t)high);
  double first = high * divisor->inverse, product = first * divisor->mantissa;
  double upper = pcf_upper_half(first), lower = first - upper;
  double rest = upper * divisor->upper - product;
  rest += upper * divisor->lower + lower * divisor->upper;
  rest += lower * divisor->lower;
  double remainder = (high - product) - rest + low;
  double result = first + remainder * divisor->inverse;
  result = pcf_times_power_of_2(result, number.exponent - divisor->exponent);
  return negative ? -result : result;
}

/* The quotient of an exact sum and a divisor, rounded as if it were known to 60 bits: a
 * quotient that is a double comes out as it is. Infinite where it is too large for a double. */
PCF_HOST_DEVICE double pcf_narrow_quotient(struct pcf_narrow sum, const struct pcf_fixed *fixed,
                                           const struct pcf_divisor *divisor) {
  struct pcf_narrow zero = {0, 0};
  int negative = sum.high >> 63 != 0;
  if (negative) sum = pcf_narrow_difference(zero, sum);
  if (sum.high) {
    return pcf_quotient(pcf_leading_of(sum.high, sum.low, fixed->unit), negative, divisor);
  }
  if (sum.low == 0) return 0;
  return pcf_quotient(pcf_leading_of(sum.low, 0, fixed->unit - 64), negative, divisor);
}
double pcf_wide_quotient(const uint64_t *limbs, const struct pcf_fixed *fixed,
                         const struct pcf_divisor *divisor);

/* The sum of `count` finite doubles, rounded once. */
double pcf_exact_sum(const double *x, int64_t count);
