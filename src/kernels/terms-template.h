/* What a stretch adds under each operation but general p, in vectors. Part of tile-template.h.
 */

/* ---- Steps: the functions have the values a and b ---- */

INLINE TARGET V combine(int operation, V a, V b) {
  if (operation == PCF_INNER) return v_mul(a, b);
  if (operation == PCF_RELATIVE) {
    V ratio = v_div(v_abs(v_sub(a, b)), v_max(v_abs(a), v_abs(b)));
    return v_max(ratio, v_set1(0)); /* drops the NaN of 0 / 0, and of what is missing */
  }
  int whole = pcf_whole_form(operation);
  V difference = v_sub(a, b);
  V combined = whole == PCF_L2 ? v_mul(difference, difference) : v_abs(difference);
  return operation == whole ? combined : v_max(combined, v_set1(0));
}

/* The same for a partial form, of values that are 0 where they are missing: `known` points to
 * the bits of an absolute value where b is known, and to none where it is not. */
INLINE TARGET V NAME(combine_known)(int operation, V a, V b, const BITS *known) {
  V difference = v_sub(a, b);
#ifdef v_square_known
  if (pcf_whole_form(operation) == PCF_L2) return v_square_known(known, difference);
#endif
  V distance = v_and(difference, v_bits(*known));
  return pcf_whole_form(operation) == PCF_L2 ? v_mul(distance, distance) : distance;
}

/* v_max() drops a first operand that is NaN. */
INLINE TARGET V accumulate(int operation, V sum, V length, V combined) {
  if (pcf_is_supremum(operation)) return v_max(v_where_positive(length, combined), sum);
  return v_fma(length, combined, sum);
}

/* ---- Lines ----
 *
 * Lines are given by their values at the end of the stretch and by their slopes, and everything
 * follows from the middle of the stretch and the rise over it. With slopes of 0 this is the
 * arithmetic of step functions, bit for bit but for powers. */

/* The lines of a function and of LANES others on a stretch. */
struct NAME(lines) {
  V end, slope, other_end, other_slope;
};

INLINE TARGET V NAME(end_of)(const struct NAME(lines) * lines) {
  return v_sub(lines->end, lines->other_end);
}

/* The difference at the start of a stretch of that length, from that at its end. Products and
 * sums are fused here, and not by the compiler as it likes: results must have the same bits
 * wherever this is compiled in. */
INLINE TARGET V NAME(start_of)(const struct NAME(lines) * lines, V length, V end) {
  return v_fma(v_sub(lines->other_slope, lines->slope), length, end);
}

INLINE TARGET V NAME(rise_of)(const struct NAME(lines) * lines, V length) {
  return v_mul(v_sub(lines->slope, lines->other_slope), length);
}

/* Adds a stretch to a sum: `share` of its length counts. Where |d| falls from one end of the
 * stretch to 0 and rises again to the other, its mean is (h + d²/h) / 2 for d in the middle and
 * h of half the rise; elsewhere it is |d|, which is then greater than h. */
INLINE TARGET V NAME(add_stretch)(int operation, V sum, V length, V share,
                                  const struct NAME(lines) * lines) {
  const V minus_half = v_set1((SCALAR)-0.5), twelfth = v_set1((SCALAR)(1.0 / 12));
  int whole = pcf_whole_form(operation);
  V combined, end = NAME(end_of)(lines), rise = NAME(rise_of)(lines, length);
  if (pcf_is_supremum(operation)) {
    combined = v_max(v_abs(end), v_abs(NAME(start_of)(lines, length, end)));
    return accumulate(operation, sum, length, combined);
  }
  if (operation == PCF_INNER) {
    V own = v_mul(lines->slope, length), other = v_mul(lines->other_slope, length);
    V product =
      v_mul(v_fma(minus_half, own, lines->end), v_fma(minus_half, other, lines->other_end));
    combined = v_fma(v_mul(own, twelfth), other, product);
  } else if (whole == PCF_L2) {
    V middle = v_fma(minus_half, rise, end);
    combined = v_fma(v_mul(rise, rise), twelfth, v_mul(middle, middle));
  } else {
    V middle = v_abs(v_fma(minus_half, rise, end)),
      larger = v_max(middle, v_abs(v_mul(minus_half, rise)));
    V ratio = v_div(middle, v_max(larger, v_set1(SMALLEST_NORMAL)));
    combined = v_fma(middle, ratio, larger);
    share = v_mul(share, v_set1((SCALAR)0.5));
  }
  if (operation != whole) combined = v_max(combined, v_set1(0)); /* drops what is missing */
  return v_fma(share, combined, sum);
}
