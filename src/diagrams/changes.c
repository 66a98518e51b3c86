#include "diagrams/changes.h"

#include "base/hints.h"

#include <math.h>

/* One diagram and what is made of it. */
struct source {
  const struct pcf_diagram *diagram;
  const struct pcf_curve_rule *rule;
  const struct pcf_sorters *sorters;
};

static enum pcf_bar_problem problem_of(double birth, double death);
static enum pcf_bar_problem problem_of_dimension(const struct pcf_curve_rule *rule,
                                                 double dimension);
static struct pcf_changes reversed(struct pcf_changes x);
static int gather_run(const struct source *source, int64_t first, int64_t last, int counts,
                      struct pcf_changes *changes);
static int64_t gather_plain(const struct source *source, int64_t first, int64_t last,
                            struct pcf_changes *to);
static int gather_any(const struct source *source, int64_t first, int64_t last,
                      struct pcf_changes *to);

/* Gathers runs of bars of one dimension. */
int pcf_gather_changes(const struct pcf_diagram *diagram, const struct pcf_curve_rule *rule,
                       const struct pcf_sorters *sorters, struct pcf_changes *changes) {
  struct source source = {diagram, rule, sorters};
  const double *dimensions = diagram->dimension;
  int64_t bars = diagram->bars;
  int sound = 1;
  for (int64_t k = 0, end; k < bars; k = end) {
    double dimension = dimensions ? dimensions[k] : rule->dimension;
    for (end = dimensions ? k + 1 : bars; end < bars; end++) {
      if (dimensions[end] != dimension) break;
    }
    sound &= !dimensions || problem_of_dimension(rule, dimension) == PCF_BAR_VALID;
    int odd = rule->curve == PCF_EULER_CURVE && fmod(dimension, 2) != 0;
    int counts = !dimensions || isnan(rule->dimension) || dimension == rule->dimension;
    if (odd) *changes = reversed(*changes);
    sound &= gather_run(&source, k, end, counts, changes);
    if (odd) *changes = reversed(*changes);
  }
  return sound;
}

enum pcf_bar_problem pcf_find_bar_problem(const struct pcf_diagram *diagram,
                                          const struct pcf_curve_rule *rule, int64_t *bar) {
  enum pcf_bar_problem problem = PCF_BAR_VALID;
  int64_t k = 0;
  for (; k < diagram->bars; k++) {
    problem = problem_of(diagram->birth[k], diagram->death[k]);
    if (!problem && diagram->dimension) {
      problem = problem_of_dimension(rule, diagram->dimension[k]);
    }
    if (problem) break;
  }
  *bar = k;
  return problem;
}

/* How much earlier than its birth a bar may die, relative to both. */
static double rounding_of(double birth, double death) {
  static const double of_single = 1e-6, of_double = 1e-12;
  return (float)birth == birth || (float)death == death ? of_single : of_double;
}

static enum pcf_bar_problem problem_of(double birth, double death) {
  if (isnan(birth) || isnan(death)) return PCF_BAR_MISSING;
  if (isinf(birth)) return PCF_BAR_BIRTH_INFINITE;
  if (death >= birth) return PCF_BAR_VALID;
  double larger = fmax(fabs(birth), fabs(death));
  return birth - death < rounding_of(birth, death) * larger ? PCF_BAR_VALID : PCF_BAR_REVERSED;
}

static enum pcf_bar_problem problem_of_dimension(const struct pcf_curve_rule *rule,
                                                 double dimension) {
  if (!(dimension >= 0) || dimension != floor(dimension)) return PCF_BAR_DIMENSION;
  int other = rule->no_other && dimension != rule->dimension;
  return other ? PCF_BAR_OTHER_DIMENSION : PCF_BAR_VALID;
}

/* Swaps up and down, for an odd dimension. */
static struct pcf_changes reversed(struct pcf_changes x) {
  return (struct pcf_changes){x.down, x.rise, x.up, x.downs, x.ups, x.start};
}

/* Gathers bars of one dimension, where `counts` says whether they count at all. */
static int gather_run(const struct source *source, int64_t first, int64_t last, int counts,
                      struct pcf_changes *changes) {
  struct pcf_changes to = *changes;
  int sound = 1;
  for (int64_t k = first; k < last;) {
    k += gather_plain(source, k, last, &to);
    int64_t end = k + PCF_BARS_PER_BLOCK < last ? k + PCF_BARS_PER_BLOCK : last;
    sound &= gather_any(source, k, end, &to);
    k = end;
  }
  if (counts) *changes = to;
  return sound;
}

/* The same for bars that are plain, from the first on; returns how many they were. */
static int64_t gather_plain(const struct source *source, int64_t first, int64_t last,
                            struct pcf_changes *to) {
  const struct pcf_diagram *x = source->diagram;
  struct pcf_bars bars = {.birth = x->birth + first, .death = x->death + first};
  enum pcf_curve curve = source->rule->curve;
  bars.count = last - first;
  if (curve == PCF_STABLE_RANK) {
    bars.to_length = to->down + to->downs;
  } else if (curve == PCF_ACCUMULATED_PERSISTENCE) {
    bars.to_middle = to->up + to->ups;
    bars.to_length = to->rise + to->ups;
  } else {
    bars.to_birth = to->up + to->ups;
    bars.to_death = to->down + to->downs;
  }
  int64_t count = source->sorters->plain_bars(&bars);
  if (curve == PCF_STABLE_RANK) to->start += (double)count;
  else to->ups += count;
  if (curve != PCF_ACCUMULATED_PERSISTENCE) to->downs += count;
  return count;
}

/* Gathers the changes that the bars first … last - 1 make. Without branches: what is not to
 * count is overwritten by the next change. Adding 0 makes 0 of -0. Returns 0 when a bar is not
 * sound. */
INLINE int gather_bars(enum pcf_curve curve, const struct pcf_diagram *x, int64_t first,
                       int64_t last, double infinite, struct pcf_changes *to) {
  int64_t ups = to->ups, downs = to->downs, counted = 0;
  int sound = 1;
  for (int64_t k = first; k < last; k++) {
    double birth = x->birth[k] + 0.0, death = x->death[k] + 0.0;
    sound &= (birth - birth == 0) & (death >= birth);
    death = death == INFINITY ? infinite : death;
    int counts = birth < death;
    if (curve == PCF_STABLE_RANK) {
      double length = death - birth;
      to->down[downs] = length;
      downs += counts & (length < INFINITY);
      counted += counts;
    } else if (curve == PCF_ACCUMULATED_PERSISTENCE) {
      double length = death - birth;
      to->up[ups] = birth / 2 + death / 2;
      to->rise[ups] = length;
      ups += counts & (length < INFINITY);
    } else {
      to->up[ups] = birth;
      to->down[downs] = death;
      ups += counts;
      downs += counts & (death < INFINITY);
    }
  }
  to->ups = ups;
  to->downs = downs;
  to->start += (double)counted;
  return sound;
}

/* The same for any bars. */
static int gather_any(const struct source *source, int64_t first, int64_t last,
                      struct pcf_changes *to) {
  const struct pcf_diagram *x = source->diagram;
  double infinite = source->rule->infinite;
  switch (source->rule->curve) {
  case PCF_STABLE_RANK: return gather_bars(PCF_STABLE_RANK, x, first, last, infinite, to);
  case PCF_ACCUMULATED_PERSISTENCE:
    return gather_bars(PCF_ACCUMULATED_PERSISTENCE, x, first, last, infinite, to);
  default: return gather_bars(PCF_BETTI_CURVE, x, first, last, infinite, to);
  }
}
