/* The tents of the bars of persistence diagrams, and the piecewise linear functions that are
 * made of them. The tent of a bar is max(0, min(t - birth, death - t)). */
#pragma once

#include "arrays/steps.h"
#include "diagrams/bars.h"

/* Of some diagrams those bars count that have rule.dimension, with rule.infinite in place of
 * infinite deaths; rule.curve has no meaning here. As for curves, bars of length 0 and bars
 * that are born at rule.infinite or later are left out. A bar that counts must not be endless:
 * where rule.infinite is INFINITY, an infinite death is the fault PCF_BAR_ENDLESS.
 *
 * The functions are continuous, and go in straight lines through vertices, at least one, with
 * strictly increasing times. They are 0 before the first and after the last vertex, and there;
 * the function that is 0 everywhere has one vertex, at time 0. */

/* Writes the bars of a diagram that count: births as times, deaths as changes, none of them -0.
 * `bars` has room for all. Returns their number, or -1 where a bar breaks the rules. */
int64_t pcf_gather_bars(const struct pcf_diagrams *x, int64_t diagram, struct pcf_step *bars);

/* Stores in `fault` the first bar that breaks the rules, if there is one, and returns
 * PCF_ERROR_ARGUMENT. */
enum pcf_status pcf_fail_for_bar(const struct pcf_diagrams *x, struct pcf_bar_fault *fault,
                                 struct pcf_error *error);

/* (a + b) / 2 and (b - a) / 2 of finite numbers, rounded once and without overflow; never -0.
 */
static inline double pcf_middle(double a, double b) {
  double sum = a + b;
  return sum - sum == 0 ? sum * 0.5 + 0.0 : a * 0.5 + b * 0.5;
}

static inline double pcf_half_length(double a, double b) {
  double length = b - a;
  return length - length == 0 ? length * 0.5 + 0.0 : b * 0.5 - a * 0.5;
}

/* Is there a number between birth and death? If not, the tent cannot be told from 0: it has
 * vertices only where it is 0. */
static inline int pcf_has_middle(double birth, double death) {
  double middle = pcf_middle(birth, death);
  return birth < middle && middle < death;
}
