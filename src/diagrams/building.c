#include "diagrams/building.h"

#include <math.h>

static void report(struct pcf_building *building, enum pcf_bar_problem problem, int64_t diagram,
                   int64_t bar);

int pcf_steps_per_bar(enum pcf_curve curve) {
  return curve == PCF_BETTI_CURVE || curve == PCF_EULER_CURVE ? 2 : 1;
}

void pcf_gather_diagram(struct pcf_building *building, int64_t diagram, int64_t first,
                        int64_t last, struct pcf_changes *changes) {
  const struct pcf_diagram *x = &building->curves->diagrams[diagram];
  const struct pcf_curve_rule *rule = &building->curves->rule;
  if (pcf_gather_changes(x, rule, building->sorters, first, last, changes)) return;
  int64_t bar;
  enum pcf_bar_problem problem = pcf_find_bar_problem(x, rule, first, last, &bar);
  if (problem) report(building, problem, diagram, bar);
}

int64_t pcf_gather_steps(struct pcf_building *building, int64_t diagram, int64_t first,
                         int64_t last, int64_t room, struct pcf_step *steps,
                         struct pcf_step *scratch, double *start) {
  double *memory = (double *)scratch;
  struct pcf_changes changes = {memory, memory + room, memory + room, 0, 0, 0};
  pcf_gather_diagram(building, diagram, first, last, &changes);
  for (int64_t k = 0; k < changes.ups; k++) {
    int by_one = building->curves->rule.curve != PCF_ACCUMULATED_PERSISTENCE;
    steps[k] = (struct pcf_step){changes.up[k], by_one ? 1 : changes.rise[k]};
  }
  for (int64_t k = 0; k < changes.downs; k++) {
    steps[changes.ups + k] = (struct pcf_step){changes.down[k], -1};
  }
  *start = changes.start;
  pcf_sort_steps(steps, scratch, changes.ups + changes.downs);
  return changes.ups + changes.downs;
}

struct pcf_output pcf_diagram_output(const struct pcf_diagram_curves *curves, int64_t diagram) {
  int64_t start = curves->room[diagram];
  return (struct pcf_output){curves->times + start, curves->values + start, 0};
}

/* A stable rank starts at 0: no bar is that short. */
void pcf_write_start(enum pcf_curve curve, struct pcf_output *output, double start) {
  if (curve == PCF_STABLE_RANK) pcf_add_breakpoint(output, 0, start);
}

void pcf_finish_diagram(struct pcf_building *building, int64_t diagram,
                        struct pcf_output *output) {
  if (output->count == 0) pcf_add_breakpoint(output, 0, 0);
  building->curves->breakpoints[diagram] = output->count;
  double last = output->values[output->count - 1];
  if (!(fabs(last) < INFINITY)) {
    report(building, PCF_BAR_OVERFLOW, diagram, building->curves->diagrams[diagram].bars);
  }
}

/* Notes a fault, of which the first in the order of the diagrams is kept. */
static void report(struct pcf_building *building, enum pcf_bar_problem problem, int64_t diagram,
                   int64_t bar) {
  struct pcf_bar_fault *fault = building->fault;
  pthread_mutex_lock(&building->lock);
  int first = !fault->problem || diagram < fault->diagram ||
              (diagram == fault->diagram && bar < fault->bar);
  if (first) *fault = (struct pcf_bar_fault){problem, diagram, bar};
  pthread_mutex_unlock(&building->lock);
}
