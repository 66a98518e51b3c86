#include "reductions/fixed.h"

#include <math.h>

/* Sums are below 2^(ilogb(most) + 1) * terms in magnitude; one bit is the sign. */
struct pcf_fixed pcf_fixed_for(double least, double most, int64_t terms) {
  if (most == 0) return (struct pcf_fixed){0, PCF_NARROW_LIMBS};
  int unit = ilogb(least) - 52, bits = ilogb(most) + 2;
  if (unit < -1074) unit = -1074;
  for (int64_t n = 1; n < terms; n *= 2) bits++;
  int limbs = (bits - unit + 63) / 64;
  return (struct pcf_fixed){unit, limbs < PCF_NARROW_LIMBS ? PCF_NARROW_LIMBS : limbs};
}

/* ---- Any number of limbs ---- */

/* The mantissa lies across two limbs; a carry or borrow runs on from there. */
void pcf_wide_add(const struct pcf_fixed *fixed, uint64_t *limbs, double x, int negative) {
  int exponent;
  uint64_t mantissa = pcf_mantissa(x, &exponent);
  if (mantissa == 0) return;
  int shift = exponent - fixed->unit, at = shift / 64, within = shift % 64;
  uint64_t low = mantissa << within, high = mantissa >> 1 >> (63 - within);
  int below = (x < 0) != (negative != 0);
  uint64_t before = limbs[at];
  limbs[at] = below ? before - low : before + low;
  uint64_t carry = below ? before < low : limbs[at] < low;
  for (at++; at < fixed->limbs && (high || carry); at++) {
    uint64_t more = high + carry;
    before = limbs[at];
    limbs[at] = below ? before - more : before + more;
    carry = below ? before < more : limbs[at] < more;
    high = 0;
  }
}

void pcf_wide_sum(const struct pcf_fixed *fixed, uint64_t *limbs, const uint64_t *more) {
  uint64_t carry = 0;
  for (int k = 0; k < fixed->limbs; k++) {
    uint64_t sum = limbs[k] + more[k];
    uint64_t next = sum < more[k];
    limbs[k] = sum + carry;
    carry = next | (limbs[k] < carry);
  }
}

/* ---- Back to double ---- */

/* The magnitude's limbs from the top down to the second below the leading one; what is below
 * only counts as zero or not. */
double pcf_wide_quotient(const uint64_t *limbs, const struct pcf_fixed *fixed,
                         const struct pcf_divisor *divisor) {
  uint64_t magnitude[PCF_MAX_LIMBS];
  int negative = limbs[fixed->limbs - 1] >> 63 != 0, top = -1, bottom = fixed->limbs;
  uint64_t carry = negative;
  for (int k = 0; k < fixed->limbs; k++) {
    magnitude[k] = (negative ? ~limbs[k] : limbs[k]) + carry;
    carry = carry && magnitude[k] == 0;
    if (magnitude[k]) top = k;
    if (magnitude[k] && bottom > k) bottom = k;
  }
  if (top < 0) return 0;
  uint64_t lower = top > 0 ? magnitude[top - 1] : 0;
  if (bottom < top - 1) lower |= 1;
  return pcf_quotient(pcf_leading_of(magnitude[top], lower, fixed->unit + 64 * (top - 1)),
                      negative, divisor);
}

double pcf_exact_sum(const double *x, int64_t count) {
  double least = INFINITY, most = 0;
  for (int64_t k = 0; k < count; k++) {
    double magnitude = fabs(x[k]);
    if (magnitude > most) most = magnitude;
    if (magnitude > 0 && magnitude < least) least = magnitude;
  }
  struct pcf_fixed fixed = pcf_fixed_for(least, most, count);
  struct pcf_divisor one = pcf_divisor_of(1, 0);
  uint64_t limbs[PCF_MAX_LIMBS] = {0};
  for (int64_t k = 0; k < count; k++) pcf_wide_add(&fixed, limbs, x[k], 0);
  return pcf_wide_quotient(limbs, &fixed, &one);
}
