/* The bars of a persistence diagram as times at which a function goes up and down. */
#pragma once

#include "arrays/sorting.h"
#include "diagrams/bars.h"

/* Where a function starts, and the times at which it goes up and down: by 1, or by the rises
 * of an accumulated persistence. The caller owns the arrays, each with room for as many numbers
 * as there are bars: `down` for a stable rank, `up` and `rise` for an accumulated persistence,
 * otherwise `up` and `down`. */
struct pcf_changes {
  double *up, *rise, *down;
  int64_t ups, downs;
  double start;
};

/* Appends the changes that the bars make, at finite times, none of them -0. Returns 0 when a
 * bar breaks the rules: then the changes mean nothing. */
int pcf_gather_changes(const struct pcf_diagram *diagram, const struct pcf_curve_rule *rule,
                       const struct pcf_sorters *sorters, struct pcf_changes *changes);

/* The first bar that breaks the rules, in `bar`, and how; where all are sound PCF_BAR_VALID and
 * the number of bars. */
enum pcf_bar_problem pcf_find_bar_problem(const struct pcf_diagram *diagram,
                                          const struct pcf_curve_rule *rule, int64_t *bar);
