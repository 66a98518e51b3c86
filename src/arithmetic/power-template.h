/* x^p for vectors of x >= 0 and one p >= 1, in one precision (PCF_SINGLE) on the vector
 * operations of the simd-*.h header that was included before, with the SCALAR, NAME() and
 * INLINE of the template that includes it. Defines `struct exponents`, spread_exponent(),
 * raise(), raise_by_table(), raise_to_halves(), RAISED and EACH, and NAME(power) and
 * NAME(power_by_table) for arrays.
 *
 * x = 2^whole · m with m from √½ to √2, and with s = (m − 1) / (m + 1)
 *
 *   p log2(x) = p · whole + 2p / log(2) · artanh(s),   artanh(s) = s + s³ · (1/3 + s²/5 + …),
 *
 * is a whole number and a rest from −½ to ½. The whole number is taken from the first, large
 * term without an error, and 2^rest = 1 + rest · (…) is a polynomial.
 *
 * The coefficients are those of the least largest relative error of artanh(s) and of 2^rest
 * (Remez's algorithm with 60 digits, then rounded), which is 1.9e-16 and 2.3e-16 (single: 9e-10
 * and 1.6e-8). With all roundings, x^p has a relative error below
 *
 *   5e-16 + 5e-16 · min(|log2(x^p)|, p / 2)    (single: 1.5e-7 + 2.5e-7 · min(…)),
 *
 * and the p-th root of sums of such powers one below 1e-15 (3e-7). 1^p is 1 and 0^p is 0
 * exactly; powers below 2^-1021 (2^-125) are 0. None may overflow. */

#include "base/hints.h"

/* RAISED: vectors that are raised side by side. One alone would wait for its own steps; four
 * take 8 % (AVX-512) to 20 % (SSE2) less time than two on Zen 4. They must fit in the narrowest
 * tile. */
#if PCF_SINGLE
#define MANTISSA_BITS 23
#define BIAS 127
#define WHOLE 0x1p23f /* from here on a number's last bit counts ones */
#define ONE_BITS 0x3f800000u
#define ROOT_BITS 0x3f3504f3u /* √½ */
#define FRACTION_BITS 0x7fffffu
#define RAISED 2
#else
#define MANTISSA_BITS 52
#define BIAS 1023
#define WHOLE 0x1p52
#define ONE_BITS 0x3ff0000000000000u
#define ROOT_BITS 0x3fe6a09e667f3bcdu
#define FRACTION_BITS 0xfffffffffffffu
#define RAISED 4
#endif

#define EACH(v) EACH_OF(v, RAISED)

#define exponents NAME(exponents)
#define spread_exponent NAME(spread_exponent)
#define raise NAME(raise)
#define raise_to_halves NAME(raise_to_halves)
#define artanh_terms NAME(artanh_terms)
#define exp2_terms NAME(exp2_terms)
#define polynomial NAME(polynomial)
#define artanh NAME(artanh)
#define add_whole NAME(add_whole)

#if PCF_SINGLE
static const float artanh_terms[] = {0x1.55557ap-2f, 0x1.995ed2p-3f, 0x1.31e0b6p-3f};
static const float exp2_terms[] = {0x1.62e430p-1f, 0x1.ebfbdcp-3f,  0x1.c6aee8p-5f,
                                   0x1.3b2d4cp-7f, 0x1.5f3e50p-10f, 0x1.41fbacp-13f};
#else
static const double artanh_terms[] = {0x1.5555555553984p-2, 0x1.999999a28cbb9p-3,
                                      0x1.2492417b92ef2p-3, 0x1.c72276202e020p-4,
                                      0x1.732c5f8706ddfp-4, 0x1.587500aeee971p-4};
static const double exp2_terms[] = {
  0x1.62e42fefa3a12p-1,  0x1.ebfbdff82c431p-3,  0x1.c6b08d703e181p-5,  0x1.3b2ab6fbd6cd4p-7,
  0x1.5d87fe9b8e51ap-10, 0x1.4309126c09568p-13, 0x1.ffcb58cbcd70cp-17, 0x1.62c14790e911cp-20,
  0x1.b671b19e8cf33p-24, 0x1.e3a92435a0f2dp-28};
#endif
#define TERMS(c) (int)(sizeof(c) / sizeof *(c))

/* struct pcf_exponent in every lane, and p itself. */
struct exponents {
  V p, high, low, log;
};

INLINE TARGET struct exponents spread_exponent(const struct pcf_exponent *p) {
  return (struct exponents){v_set1((SCALAR)(p->high + p->low)), v_set1((SCALAR)p->high),
                            v_set1((SCALAR)p->low), v_set1((SCALAR)p->log)};
}

/* c[0] + c[1] x + … */
INLINE TARGET void polynomial(const SCALAR *c, int terms, const V *x, V *sum) {
  EACH (v) sum[v] = v_set1(c[terms - 1]);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 16
#endif
  for (int k = terms - 2; k >= 0; k--) {
    EACH (v) sum[v] = v_fma(sum[v], x[v], v_set1(c[k]));
  }
}

/* sum + p · whole with the error of the addition only, where `sum` is about −p · whole. */
INLINE TARGET V add_whole(V sum, struct exponents p, V whole) {
#if FUSED && !PCF_SINGLE
  return v_fma(p.p, whole, sum);
#else
  return v_fma(p.low, whole, v_fma(p.high, whole, sum));
#endif
}

/* artanh((m − 1) / (m + 1)) = log(m) / 2 */
INLINE TARGET void artanh(const V *m, V *result) {
  V s[RAISED], square[RAISED], series[RAISED];
  EACH (v) s[v] = v_div(v_sub(m[v], v_set1(1)), v_add(m[v], v_set1(1)));
  EACH (v) square[v] = v_mul(s[v], s[v]);
  polynomial(artanh_terms, TERMS(artanh_terms), square, series);
  EACH (v) result[v] = v_fma(v_mul(s[v], square[v]), series[v], s[v]);
}

/* x[v] = x[v]^p. The last bits of `rounded` are the whole number that is nearest to y. */
INLINE TARGET void raise(V *x, struct exponents p) {
  V shifted[RAISED], whole[RAISED], m[RAISED], y[RAISED], rounded[RAISED], rest[RAISED];
  EACH (v) shifted[v] = v_add_bits(x[v], v_bits(ONE_BITS - ROOT_BITS));
  EACH (v) m[v] = v_add_bits(v_and(shifted[v], v_bits(FRACTION_BITS)), v_bits(ROOT_BITS));
  artanh(m, m);
  EACH (v) whole[v] = v_or(v_right(shifted[v], MANTISSA_BITS), v_set1(WHOLE));
  EACH (v) whole[v] = v_sub(whole[v], v_set1(WHOLE + BIAS));
  EACH (v) y[v] = v_fma(p.log, m[v], v_mul(p.p, whole[v]));
  EACH (v) rounded[v] = v_add(y[v], v_set1(3 * WHOLE / 2));
  EACH (v) rest[v] = add_whole(v_sub(v_set1(3 * WHOLE / 2), rounded[v]), p, whole[v]);
  EACH (v) rest[v] = v_fma(p.log, m[v], rest[v]);
  polynomial(exp2_terms, TERMS(exp2_terms), rest, x);
  EACH (v) x[v] = v_fma(rest[v], x[v], v_set1(1));
  EACH (v) x[v] = v_add_bits(x[v], v_left(rounded[v], MANTISSA_BITS));
  EACH (v) x[v] = v_where_greater(y[v], v_set1(2 - BIAS), x[v]);
}

/* The same for x that are 0 or from 2^-239 to 1, where `p` has a table: with a relative error
 * below 8e-16. v_of_sixteen() finds the number for the last four bits of each lane; without it
 * there is no table. */
#ifdef v_of_sixteen
#define HAS_TABLE(p) ((p)->table.made)
#define raise_by_table NAME(raise_by_table)
INLINE TARGET void raise_by_table(V *x, const struct pcf_exponent *p) {
  const struct pcf_power_table *table = &p->table;
  V rest[RAISED], power[RAISED], sum[RAISED];
  EACH (v) {
    V m = v_or(v_and(x[v], v_bits(FRACTION_BITS)), v_set1(1));
    V sixteenth = v_right(x[v], MANTISSA_BITS - 4);
    rest[v] = v_fma(m, v_of_sixteen(table->inverse, sixteenth), v_set1(-1));
    power[v] = v_of_sixteen(table->mantissa, sixteenth);
  }
  EACH (v) {
    power[v] = v_mul(power[v], v_of_sixteen(table->ones, v_right(x[v], MANTISSA_BITS)));
  }
  EACH (v) {
    power[v] = v_mul(power[v], v_of_sixteen(table->sixteens, v_right(x[v], MANTISSA_BITS + 4)));
  }
  polynomial(table->binomial, TERMS(table->binomial), rest, sum);
  EACH (v) x[v] = v_fma(v_mul(power[v], rest[v]), sum[v], power[v]);
}
#else
#define HAS_TABLE(p) ((void)(p), 0)
#define raise_by_table(x, p) ((void)0)
#endif

/* x[v] = x[v]^(halves / 2) for x[v] >= 0, by squaring. */
INLINE TARGET void raise_to_halves(V *x, int halves) {
  V square[RAISED];
  EACH (v) square[v] = x[v];
  EACH (v) x[v] = halves & 1 ? v_sqrt(x[v]) : v_set1(1);
  for (int n = halves / 2; n; n >>= 1) {
    if (n & 1) {
      EACH (v) x[v] = v_mul(x[v], square[v]);
    }
    EACH (v) square[v] = v_mul(square[v], square[v]);
  }
}

/* x[k] = x[k]^p for all `count` numbers, in this precision. */
INLINE TARGET void NAME(raise_all)(const struct pcf_exponent *p, int by_table, int64_t count,
                                   void *x) {
  enum { STEP = RAISED * LANES };
  struct exponents spread = spread_exponent(p);
  SCALAR *from = x, padded[STEP] = {0};
  for (int64_t k = 0; k < count; k += STEP) {
    SCALAR *at = count - k < STEP ? padded : from + k;
    V power[RAISED];
    if (at == padded) memcpy(padded, from + k, (size_t)(count - k) * sizeof *from);
    EACH (v) power[v] = v_load(at + v * LANES);
    if (by_table) raise_by_table(power, p);
    else raise(power, spread);
    EACH (v) v_store(at + v * LANES, power[v]);
    if (at == padded) memcpy(from + k, padded, (size_t)(count - k) * sizeof *from);
  }
}

INLINE TARGET void NAME(power)(const struct pcf_exponent *p, int64_t count, void *x) {
  NAME(raise_all)(p, 0, count, x);
}

/* The same by a table, as far as there is one. */
INLINE TARGET void NAME(power_by_table)(const struct pcf_exponent *p, int64_t count, void *x) {
  NAME(raise_all)(p, HAS_TABLE(p), count, x);
}

#undef MANTISSA_BITS
#undef BIAS
#undef WHOLE
#undef ONE_BITS
#undef ROOT_BITS
#undef FRACTION_BITS
