/* What is special about sums of piecewise linear functions. */
#pragma once

#include "algebra/summing.h"

/* A sum of lines is a + m·t between two times, and so two exact sums: that of the lines' values
 * at time 0, a, then that of their slopes, m. A line of slope m through (t, v) adds v − m·t to
 * a and m to m. Its slope is a double, and both are cut to multiples of a power of two so small
 * that this does not count beside the smallest value; what a line has added is taken away again
 * where it ends, to the last bit. So no error lasts longer than the line that it comes from.
 *
 * Where lines begin or end, these count with their left limits and values, which are exact, and
 * only the others with a + m·t.
 *
 * An event is that of a breakpoint: `change` holds the entry of the row and the breakpoint. */

/* The form for row r of a linear collection, and what pcf_sum_events() and the like do there.
 */
void pcf_line_form(struct pcf_summing *summing, const struct pcf_rows *rows, int64_t r,
                   const struct pcf_range *range);
void pcf_begin_line_sum(const struct pcf_summing *summing, uint64_t *sum);
void pcf_add_line_totals(const struct pcf_summing *summing, const struct pcf_event *event,
                         const uint16_t *bucket, int64_t n, uint64_t *total);
void pcf_sum_line_events(const struct pcf_summing *summing, struct pcf_dividing *dividing,
                         const struct pcf_event *event, int64_t n, uint64_t *sum,
                         struct pcf_points *points);
