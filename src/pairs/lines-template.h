/* The sweep's arithmetic for piecewise linear functions: an event ends a stretch on which both
 * functions of a pair are lines. Part of tile-template.h, in place of what that has for step
 * functions.
 *
 * Lines are given by their values at the end of the stretch and by their slopes, and everything
 * follows from the middle of the stretch and the rise over it. With slopes of 0 this is the
 * arithmetic of step functions, bit for bit but for powers. */

/* The lines of a function and of LANES others on a stretch. */
struct lines {
  V end, slope, other_end, other_slope;
};

INLINE TARGET V NAME(end_of)(const struct lines *lines) {
  return v_sub(lines->end, lines->other_end);
}

/* The difference at the start of a stretch of that length, from that at its end. Products and
 * sums are fused here, and not by the compiler as it likes: results must have the same bits
 * wherever this is compiled in. */
INLINE TARGET V NAME(start_of)(const struct lines *lines, V length, V end) {
  return v_fma(v_sub(lines->other_slope, lines->slope), length, end);
}

INLINE TARGET V NAME(rise_of)(const struct lines *lines, V length) {
  return v_mul(v_sub(lines->slope, lines->other_slope), length);
}

/* Adds a stretch to a sum: `share` of its length counts. Where |d| falls from one end of the
 * stretch to 0 and rises again to the other, its mean is (h + d²/h) / 2 for d in the middle and
 * h of half the rise; elsewhere it is |d|, which is then greater than h. */
INLINE TARGET V NAME(add_stretch)(int operation, V sum, V length, V share,
                                  const struct lines *lines) {
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

/* The line of lanes k … k + LANES - 1 of the other side, up to `times`. */
INLINE TARGET void NAME(load_lines)(const struct state *other, int k, V times, V since,
                                    struct lines *lines) {
  lines->other_slope = v_load(other->slope + k);
  lines->other_end = v_fma(lines->other_slope, v_sub(times, since), v_load(other->value + k));
}

INLINE TARGET struct lines NAME(lines_of)(SCALAR time, SCALAR last, struct piece piece) {
  V slope = v_set1(piece.slope), since = v_sub(v_set1(time), v_set1(last));
  return (struct lines){.end = v_fma(slope, since, v_set1(piece.value)), .slope = slope};
}

INLINE TARGET void update_row(int operation, int width, const SCALAR *held, SCALAR *row,
                              SCALAR time, SCALAR last, struct piece piece,
                              const struct state *other, const SCALAR *share) {
  struct lines lines = NAME(lines_of)(time, last, piece);
  V times = v_set1(time), lasts = v_set1(last);
  for (int k = 0; k < width; k += LANES) {
    V since = v_load(other->last + k), length = v_sub(times, v_max(lasts, since));
    V counted = share ? v_mul(length, v_load(share + k)) : length;
    NAME(load_lines)(other, k, times, since, &lines);
    v_store(row + k, NAME(add_stretch)(operation, v_load(held + k), length, counted, &lines));
  }
}

/* a where `which` is 0, b where it is 1. */
INLINE TARGET V NAME(one_of)(V which, V a, V b) {
  return v_or(v_where_greater(v_set1(1), which, a), v_where_greater(which, v_set1(0), b));
}

/* 1 + c[1] x² + c[2] x⁴ + … */
INLINE TARGET V NAME(mean_series)(const struct pcf_integral *integral, V x) {
  int terms = PCF_SINGLE ? PCF_MEAN_TERMS_SINGLE : PCF_MEAN_TERMS;
  V square = v_mul(x, x), sum = v_set1((SCALAR)integral->mean_terms[terms - 1]);
  UNROLL_LANES
  for (int k = terms - 2; k >= 0; k--) {
    sum = v_fma(sum, square, v_set1((SCALAR)integral->mean_terms[k]));
  }
  return sum;
}

/* The same for general p. The mean of |d|^p where d goes from a to b is
 *
 *   (b |b|^p − a |a|^p) / ((p + 1) (b − a)).
 *
 * Where d is steep beside its value in the middle this loses no digits. Elsewhere the mean is
 * the power of that value times a series (struct pcf_integral). Either way two powers are
 * taken for each pair. As for step functions d is relative to its supremum or unit; what is too
 * small for a table of powers counts as 0. */
#define EACH_PAIR(v) EACH_OF(v, RAISED / 2)

INLINE TARGET void update_row_power(int by_halves, int in_range, int by_table,
                                    const struct pcf_tile *tile, const struct work *work,
                                    int64_t s, size_t function, SCALAR time, SCALAR last,
                                    struct piece piece, const SCALAR *share) {
  const struct state *other = &work->side[tile->triangle ? s : !s];
  const struct pcf_integral *integral = tile->integral;
  const struct pcf_exponent *exponent = &integral->power;
  int width = work->width;
  size_t offset = function * (size_t)width;
  SCALAR *row = work->sums[s] + offset;
  const SCALAR *held = work->held[s][function];
  const SCALAR *inverse = work->inverse[s] + (in_range ? 0 : offset);
  struct lines lines = NAME(lines_of)(time, last, piece);
  V times = v_set1(time), lasts = v_set1(last);
  V owns = v_set1(in_range ? work->own[s][function] : 0);
  struct exponents p = spread_exponent(exponent);
  for (int k = 0; k < width; k += RAISED / 2 * LANES) {
    V length[RAISED / 2], start[RAISED / 2], middle[RAISED / 2], end[RAISED / 2];
    V rise[RAISED / 2], steep[RAISED / 2], far[RAISED / 2], power[RAISED];
    EACH_PAIR(v) {
      int at = k + v * LANES;
      V since = v_load(other->last + at), factor = v_load(inverse + at);
      if (in_range) factor = v_min(owns, factor);
      length[v] = v_sub(times, v_max(lasts, since));
      NAME(load_lines)(other, at, times, since, &lines);
      V d = NAME(end_of)(&lines);
      rise[v] = NAME(rise_of)(&lines, length[v]);
      start[v] = v_mul(NAME(start_of)(&lines, length[v], d), factor);
      middle[v] = v_mul(v_abs(v_fma(v_set1((SCALAR)-0.5), rise[v], d)), factor);
      end[v] = v_mul(d, factor);
      rise[v] = v_mul(rise[v], factor);
      steep[v] = v_mul(v_abs(rise[v]), v_set1((SCALAR)integral->steepness));
      far[v] = v_where_greater(steep[v], middle[v], v_set1(1));
      power[v] = NAME(one_of)(far[v], middle[v], v_abs(start[v]));
      power[RAISED / 2 + v] = v_abs(end[v]);
    }
    EACH (v) {
      power[v] = v_max(power[v], v_set1(0));
      if (by_table) power[v] = v_where_greater(power[v], v_set1((SCALAR)0x1p-239), power[v]);
    }
    if (by_halves) {
      raise_to_halves(power, integral->half_powers);
    } else if (by_table) {
      raise_by_table(power, exponent);
    } else {
      raise(power, p);
    }
    EACH_PAIR(v) {
      int at = k + v * LANES;
      V ratio = v_div(steep[v], v_max(middle[v], v_set1(SMALLEST_NORMAL)));
      V near = v_mul(NAME(mean_series)(integral, v_min(ratio, v_set1(1))), power[v]);
      V product = v_mul(v_sub(v_set1(0), start[v]), power[v]);
      V ends = v_fma(end[v], power[RAISED / 2 + v], product);
      ends = v_div(ends, v_mul(rise[v], v_set1((SCALAR)(integral->p + 1))));
      V mean = v_max(NAME(one_of)(far[v], near, ends), v_set1(0));
      if (!in_range) mean = v_where_positive(length[v], mean);
      if (share) length[v] = v_mul(length[v], v_load(share + at));
      v_store(row + at, v_fma(length[v], mean, v_load(held + at)));
    }
  }
}

#undef EACH_PAIR
