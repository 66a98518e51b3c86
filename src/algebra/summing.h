/* What all parts of a sum share: how events are made, and become points. */
#pragma once

#include "algebra/dividing.h"

/* The form for row r; `range` is that of the values of the collection. */
struct pcf_summing pcf_summing_of(const struct pcf_collection *x, const struct pcf_rows *rows,
                                  int64_t r, const struct pcf_range *range);

/* The divisor of row r in that form; `steps` (or NULL) are those of all rows. */
struct pcf_dividing pcf_summing_divisor(const struct pcf_summing *summing,
                                        const struct pcf_rows *rows, int64_t r,
                                        const struct pcf_divisor_steps *steps);

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
