#include "diagrams/tents.h"

#include "diagrams/changes.h"

#include <math.h>

static int counts(const struct pcf_diagram *diagram, const struct pcf_curve_rule *rule,
                  int64_t bar) {
  return !diagram->dimension || isnan(rule->dimension) ||
         diagram->dimension[bar] == rule->dimension;
}

/* The first bar that breaks the rules, in `bar`. */
static enum pcf_bar_problem find_problem(const struct pcf_diagram *diagram,
                                         const struct pcf_curve_rule *rule, int64_t *bar) {
  enum pcf_bar_problem problem = pcf_find_bar_problem(diagram, rule, bar);
  for (int64_t k = 0; rule->infinite == INFINITY && k < *bar; k++) {
    if (diagram->death[k] < INFINITY || !counts(diagram, rule, k)) continue;
    *bar = k;
    return PCF_BAR_ENDLESS;
  }
  return problem;
}

int64_t pcf_gather_bars(const struct pcf_diagrams *x, int64_t diagram, struct pcf_step *bars) {
  const struct pcf_diagram *from = &x->diagrams[diagram];
  int64_t count = 0, bar;
  if (find_problem(from, &x->rule, &bar)) return -1;
  for (int64_t k = 0; k < from->bars; k++) {
    double birth = from->birth[k] + 0.0, death = from->death[k] + 0.0;
    if (death == INFINITY) death = x->rule.infinite + 0.0;
    if (birth < death && counts(from, &x->rule, k)) {
      bars[count++] = (struct pcf_step){birth, death};
    }
  }
  return count;
}

enum pcf_status pcf_fail_for_bar(const struct pcf_diagrams *x, struct pcf_bar_fault *fault,
                                 struct pcf_error *error) {
  for (int64_t i = 0; i < x->count && !fault->problem; i++) {
    fault->diagram = i;
    fault->problem = find_problem(&x->diagrams[i], &x->rule, &fault->bar);
  }
  return pcf_fail(error, PCF_ERROR_ARGUMENT, "a bar is not valid");
}
