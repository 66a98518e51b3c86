/* What all parts of a sum share: the form of its numbers, its divisor, and how events are made
 * and become points. */
#pragma once

#include "collections/curves.h"
#include "reductions/events.h"
#include "reductions/fixed.h"
#include "reductions/line-terms.h"
#include "reductions/sparse-rows.h"

/* Products of weights and values are multiplied by 2^shift, which keeps them within the range
 * of double. It is applied to the weights, unless some of them would underflow. */
struct pcf_summing {
  struct pcf_fixed fixed;
  int shift;
  int apart;   /* are exponents added up apart from products? */
  int missing; /* are values missing? They count as 0 */
  /* Of piecewise linear functions: */
  const struct pcf_collection *x;
  const int64_t *function; /* of each entry of the row */
  const double *weight;    /* NULL: all 1 */
  int64_t entries;
  struct pcf_fixed slopes; /* the form of the sum of slopes, which follows that of values */
  double origin, scale;    /* of times; 2^shift */
  int reach, steepest; /* times are below 2^reach, slopes below 2^(slopes.unit + steepest) */
};

/* Do sums of values have two limbs, or of piecewise linear functions three? */
static inline int pcf_is_narrow(const struct pcf_summing *summing) {
  return summing->fixed.limbs == (summing->x->linear ? PCF_LINE_LIMBS : PCF_NARROW_LIMBS);
}

/* The numbers of a sum. */
static inline size_t pcf_sum_length(const struct pcf_summing *summing) {
  int values = summing->fixed.limbs, slopes = summing->slopes.limbs;
  if (!summing->x->linear) return (size_t)values;
  return (size_t)(pcf_is_narrow(summing) ? values + slopes + 1 : 2 * values + slopes + 2);
}

enum { PCF_MAX_SUM = 3 * PCF_MAX_LIMBS + 2 };

/* What the sum of a row is divided by as time goes on. If that changes, it is steps[k] from
 * time[k] on, and 0 before the first of these times. Where it is 0 the result is missing. */
struct pcf_dividing {
  struct pcf_divisor divisor;
  int64_t count; /* of the steps; 0: it stays */
  const double *time, *steps;
  int64_t behind; /* of the steps */
  int shift, none;
};

/* Set the divisor to that at the time of a key, and right before it. */
void pcf_divide_at(struct pcf_dividing *dividing, uint64_t key);
void pcf_divide_before(struct pcf_dividing *dividing, uint64_t key);

/* The points of a function that are made one after the other. A point that does not change the
 * value is left out; `started` says that there is a value to compare with. */
struct pcf_points {
  struct pcf_point *point; /* of piecewise linear functions pcf_line_point */
  int64_t count;
  double last;
  int started, infinite;
  int unsure; /* was a point not certain? All are to be made again, with care */
};

/* The form for row r; `range` is that of the values of the collection. Only sums of lines may
 * have to be made again with `care`. */
struct pcf_summing pcf_summing_of(const struct pcf_collection *x, const struct pcf_rows *rows,
                                  int64_t r, const struct pcf_range *range, int care);

/* The divisor of row r in that form; `divisors` (or NULL) has a function for each row. */
struct pcf_dividing pcf_summing_divisor(const struct pcf_summing *summing,
                                        const struct pcf_rows *rows, int64_t r,
                                        const struct pcf_collection *divisors);

/* The events of breakpoints first … first + n - 1 of a stretch. */
void pcf_make_events(const struct pcf_summing *summing, const struct pcf_row_stretch *stretch,
                     int64_t first, int64_t n, struct pcf_event *event);

/* The sum before all events. */
void pcf_begin_sum(const struct pcf_summing *summing, uint64_t *sum);

/* Adds a sum to another one. */
void pcf_join_sum(const struct pcf_summing *summing, uint64_t *sum, const uint64_t *more);

/* Adds each of the events of one stretch to the total of its bucket. */
void pcf_add_to_totals(const struct pcf_summing *summing, const struct pcf_event *event,
                       const uint16_t *bucket, int64_t n, uint64_t *total);

/* Adds sorted events to `sum` and appends a point for each time. `dividing` goes along. */
void pcf_sum_events(const struct pcf_summing *summing, struct pcf_dividing *dividing,
                    const struct pcf_event *event, int64_t n, uint64_t *sum,
                    struct pcf_points *points);

/* The quotient as a double, or missing. */
double pcf_sum_value(const struct pcf_summing *summing, const struct pcf_dividing *dividing,
                     const uint64_t *sum);

void pcf_append_point(struct pcf_points *points, double time, double value);

/* ---- Piecewise linear functions ---- */

/* A sum of lines is a + m·t between two times, and so two sums: that of the lines' values at
 * time 0, a, then that of their slopes, m. A line of slope m through (t, v) adds v − m·t to a
 * and m to m, as whole numbers whose unit is about 2^-156 of the largest value. What a line has
 * added is taken away again where it ends, to the last bit.
 *
 * Where lines begin or end, these count with their left limits and values, which are exact, and
 * only the others with a + m·t. A sum ends in the number of lines whose slope was cut: it is
 * off by no more than so many times a small error, and nearly always that leaves no doubt about
 * the result. Where it does, as where a sum may be 0, the row is summed up again with care
 * (reductions/careful-lines.h).
 *
 * An event is that of a breakpoint: `change` holds the entry of the row and the breakpoint. */

/* The form for row r of a linear collection, and what pcf_sum_events() and the like do there.
 */
void pcf_line_form(struct pcf_summing *summing, const struct pcf_rows *rows, int64_t r,
                   const struct pcf_range *range, int care);
void pcf_begin_line_sum(const struct pcf_summing *summing, uint64_t *sum);
void pcf_join_line_sum(const struct pcf_summing *summing, uint64_t *sum, const uint64_t *more);
void pcf_add_line_totals(const struct pcf_summing *summing, const struct pcf_event *event,
                         const uint16_t *bucket, int64_t n, uint64_t *total);
void pcf_sum_line_events(const struct pcf_summing *summing, struct pcf_dividing *dividing,
                         const struct pcf_event *event, int64_t n, uint64_t *sum,
                         struct pcf_points *points);
