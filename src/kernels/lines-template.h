/* The sweep's arithmetic for piecewise linear functions: an event ends a stretch on which both
 * functions of a pair are lines. Part of sweep-template.h, in place of what that has for step
 * functions. */

/* The line of lanes k … k + LANES - 1 of the other side, up to `times`. */
INLINE TARGET void NAME(load_lines)(const struct state *other, int k, V times, V since,
                                    struct NAME(lines) * lines) {
  lines->other_slope = v_load(other->slope + k);
  lines->other_end = v_fma(lines->other_slope, v_sub(times, since), v_load(other->value + k));
}

INLINE TARGET struct NAME(lines) NAME(lines_of)(SCALAR time, SCALAR last, struct piece piece) {
  V slope = v_set1(piece.slope), since = v_sub(v_set1(time), v_set1(last));
  return (struct NAME(lines)){.end = v_fma(slope, since, v_set1(piece.value)), .slope = slope};
}

INLINE TARGET void update_row(int operation, int width, const SCALAR *held, SCALAR *row,
                              SCALAR time, SCALAR last, struct piece piece,
                              const struct state *other, const SCALAR *share) {
  struct NAME(lines) lines = NAME(lines_of)(time, last, piece);
  V times = v_set1(time), lasts = v_set1(last);
  for (int k = 0; k < width; k += LANES) {
    V since = v_load(other->last + k), length = v_sub(times, v_max(lasts, since));
    V counted = share ? v_mul(length, v_load(share + k)) : length;
    NAME(load_lines)(other, k, times, since, &lines);
    v_store(row + k, NAME(add_stretch)(operation, v_load(held + k), length, counted, &lines));
  }
}

/* ---- General p ----
 *
 * As for step functions differences are relative to their supremum or unit: a where a stretch
 * begins, and b where it ends. */

#define PAIRS (RAISED / 2) /* vectors of pairs side by side: most take two powers each */
#define EACH_PAIR(v) EACH_OF(v, PAIRS)

/* The mean of |d|^p where d goes from a to b, and 2p is a small whole number. With m = p + 1,
 * x = |a| and y = |b| or, where p is no whole number, m = 2p + 2 and the roots of these, it is
 *
 *   (x^m + y^m) / ((|a| + |b|) (p + 1))   where d changes its sign, and elsewhere
 *   (y^m − x^m) / ((|b| − |a|) (p + 1)),  of which y − x divides both sides: that leaves
 *
 * Σ x^k y^(m − 1 − k), and x + y below it if they are roots. The powers and this sum are made
 * for the numbers that begin with the digits of m, in binary. No term is negative, so that no
 * digits are lost. `digit` is the second digit of m. */
INLINE TARGET V NAME(mean_by_halves)(double p, int m, int digit, int roots, V a, V b) {
  V from = v_abs(a), to = v_abs(b), range = v_add(from, to);
  V x = roots ? v_sqrt(from) : from, y = roots ? v_sqrt(to) : to, base = v_add(x, y);
  V far = roots ? from : v_mul(x, x), other = roots ? to : v_mul(y, y), sum = base;
  for (;;) {
    if (m & digit) {
      sum = v_fma(y, sum, far);
      far = v_mul(far, x);
      other = v_mul(other, y);
    }
    if (!(digit >>= 1)) break;
    sum = v_mul(sum, v_add(far, other));
    far = v_mul(far, far);
    other = v_mul(other, other);
  }
  MASK changes = v_greater(range, v_abs(v_add(a, b)));
  V above = v_select(changes, v_add(far, other), sum);
  V below = v_select(changes, range, roots ? base : v_set1(1));
  return v_div(above, v_mul(below, v_set1((SCALAR)(p + 1))));
}

INLINE TARGET void NAME(means_by_halves)(const struct pcf_integral *integral, const V *a,
                                         const V *b, V *mean) {
  int halves = integral->half_powers, roots = halves & 1;
  int m = roots ? halves + 2 : halves / 2 + 1, digit = 1;
  while (4 * digit <= m) digit *= 2;
  EACH_PAIR(v) {
    mean[v] = roots ? NAME(mean_by_halves)(integral->p, m, digit, 1, a[v], b[v])
                    : NAME(mean_by_halves)(integral->p, m, digit, 0, a[v], b[v]);
  }
}

/* 1 + c[1] x² + c[2] x⁴ + … */
INLINE TARGET V NAME(mean_series)(const struct pcf_integral *integral, int by_table, V x) {
  int terms = PCF_SINGLE ? PCF_MEAN_TERMS_SINGLE
              : by_table ? PCF_MEAN_TERMS - 1
                         : PCF_MEAN_TERMS;
  V square = v_mul(x, x), sum = v_set1((SCALAR)integral->mean_terms[terms - 1]);
  UNROLL_LANES
  for (int k = terms - 2; k >= 0; k--) {
    sum = v_fma(sum, square, v_set1((SCALAR)integral->mean_terms[k]));
  }
  return sum;
}

/* The same for any p:
 *
 *   (b |b|^p − a |a|^p) / ((b − a) (p + 1)),
 *
 * which loses no digits where d is steep beside its value in the middle. Elsewhere it is the
 * power of that value times a series (struct pcf_integral). What is too small for a table of
 * powers counts as the smallest number that it has. */
INLINE TARGET void NAME(mean_of_powers)(const struct pcf_integral *integral, struct exponents p,
                                        int by_table, const V *a, const V *b, V *mean) {
  V rise[PAIRS], inverse[PAIRS], series[PAIRS], power[RAISED];
  MASK flat[PAIRS];
  V least = v_set1(by_table ? (SCALAR)0x1p-239 : 0);
  EACH_PAIR(v) {
    rise[v] = v_sub(b[v], a[v]);
    V middle = v_abs(v_fma(v_set1((SCALAR)-0.5), rise[v], b[v]));
    V steep = v_mul(v_abs(rise[v]), v_set1((SCALAR)integral->steepness));
    V rises = v_mul(rise[v], v_set1((SCALAR)(integral->p + 1)));
    flat[v] = v_greater(middle, steep);
    power[v] = v_max(v_select(flat[v], middle, v_abs(a[v])), least);
    power[PAIRS + v] = v_max(v_abs(b[v]), least);
    inverse[v] = v_div(v_set1(1), v_select(flat[v], middle, rises));
    series[v] = NAME(mean_series)(integral, by_table, v_mul(steep, inverse[v]));
  }
  if (by_table) raise_by_table(power, &integral->power);
  else raise(power, p);
  EACH_PAIR(v) {
    V minus_a = v_sub(rise[v], b[v]);
    V ends = v_fma(b[v], power[PAIRS + v], v_mul(minus_a, power[v]));
    mean[v] = v_select(flat[v], v_mul(series[v], power[v]), v_mul(ends, inverse[v]));
  }
}

/* update_row() for general p. The mean is NaN where d is missing or 0, and counts as 0. */
INLINE TARGET void update_row_power(int by_halves, int in_range, int by_table,
                                    const struct pcf_tile *tile, const struct work *work,
                                    int64_t s, size_t function, SCALAR time, SCALAR last,
                                    struct piece piece, const SCALAR *share) {
  const struct state *other = &work->side[tile->triangle ? s : !s];
  const struct pcf_integral *integral = tile->integral;
  int width = work->width;
  size_t offset = function * (size_t)width;
  SCALAR *row = work->sums[s] + offset;
  const SCALAR *held = work->held[s][function];
  const SCALAR *inverse = work->inverse[s] + (in_range ? 0 : offset);
  struct NAME(lines) lines = NAME(lines_of)(time, last, piece);
  V times = v_set1(time), lasts = v_set1(last);
  V owns = v_set1(in_range ? work->own[s][function] : 0);
  struct exponents p = spread_exponent(&integral->power);
  for (int k = 0; k < width; k += PAIRS * LANES) {
    V length[PAIRS], start[PAIRS], end[PAIRS], mean[PAIRS];
    EACH_PAIR(v) {
      int at = k + v * LANES;
      V since = v_load(other->last + at), factor = v_load(inverse + at);
      if (in_range) factor = v_min(owns, factor);
      length[v] = v_sub(times, v_max(lasts, since));
      NAME(load_lines)(other, at, times, since, &lines);
      V fall = v_mul(v_sub(lines.other_slope, lines.slope), length[v]);
      end[v] = v_mul(NAME(end_of)(&lines), factor);
      start[v] = v_fma(fall, factor, end[v]);
    }
    if (by_halves) NAME(means_by_halves)(integral, start, end, mean);
    else NAME(mean_of_powers)(integral, p, by_table, start, end, mean);
    EACH_PAIR(v) {
      int at = k + v * LANES;
      V known = v_max(mean[v], v_set1(0));
      if (!in_range) known = v_where_positive(length[v], known);
      if (share) length[v] = v_mul(length[v], v_load(share + at));
      v_store(row + at, v_fma(length[v], known, v_load(held + at)));
    }
  }
}

#if !PCF_SINGLE
INLINE TARGET void NAME(means_of)(int by_halves, const struct pcf_integral *integral,
                                  const SCALAR *start, const SCALAR *end, SCALAR *mean) {
  struct exponents p = spread_exponent(&integral->power);
  for (int k = 0; k < PCF_MEANS; k += PAIRS * LANES) {
    V a[PAIRS], b[PAIRS], means[PAIRS];
    EACH_PAIR(v) {
      a[v] = v_load(start + k + v * LANES);
      b[v] = v_load(end + k + v * LANES);
    }
    if (by_halves) NAME(means_by_halves)(integral, a, b, means);
    else NAME(mean_of_powers)(integral, p, 0, a, b, means);
    EACH_PAIR(v) v_store(mean + k + v * LANES, v_max(means[v], v_set1(0)));
  }
}

static TARGET void NAME(means)(const struct pcf_integral *integral, const SCALAR *start,
                               const SCALAR *end, SCALAR *mean) {
  if (integral->half_powers) NAME(means_of)(1, integral, start, end, mean);
  else NAME(means_of)(0, integral, start, end, mean);
}
#endif
