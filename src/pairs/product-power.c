/* The sum over all g of b(g) ∫ |f − g|^p for a whole p, without pairs. For even p that is a
 * polynomial in the values,
 *
 *   (v − w)^p = sum over k of C(p, k) (−1)^k v^(p−k) w^k.
 *
 * The integrals of the sums of b(g) g^k up to a time T, the moments, are T·A(k) − B(k): where a
 * g changes its value at t, A(k) changes by b times the difference of the powers, and B(k) by t
 * times that. A function f that changes from v to v' at t adds what the moments up to t come to
 * with v, less what they come to with v'; and at the end of the slab, with its last value.
 *
 * Much of that cancels where functions are near to each other beside their values, the more so
 * the larger p is. So all of it is done in double-double arithmetic, and each result has a
 * bound for its error, in which all terms have their magnitudes. */
#include "base/memory.h"
#include "base/quantiles.h"
#include "pairs/lower.h"
#include "pairs/slabs.h"

#include <string.h>

enum { SAMPLED = 1001, EVENTS_PER_STOP_CHECK = 1 << 14 };

/* All of a column. */
struct state {
  double center;           /* is subtracted from all values */
  double *value;           /* of each function, now */
  double *most;            /* its largest magnitude in the slab, less the center */
  double *changes;         /* how often it changes */
  struct pcf_twofold *sum; /* of each function of x, over the slab */
  struct pcf_moments moments;
  struct pcf_lower lower; /* for odd p */
};

static void *new_state(struct pcf_error *error) {
  struct state *state = pcf_allocate(1, sizeof *state, error);
  if (state) *state = (struct state){0};
  return state;
}

static void free_state(void *state_) {
  struct state *state = state_;
  if (!state) return;
  pcf_free(state->value);
  pcf_free(state->most);
  pcf_free(state->changes);
  pcf_free(state->sum);
  pcf_lower_free(&state->lower);
  pcf_free(state);
}

/* ---- A slab ---- */

/* The median of a sample of the values, of functions with weights: near to it, little cancels.
 */
static double find_center(const struct pcf_slab *slab, const struct pcf_slab_sums *sums) {
  double sample[SAMPLED], center = 0;
  int64_t functions = sums->rows + sums->others, all = functions + slab->events, count = 0;
  for (int64_t k = 0; k < all; k += all / SAMPLED + 1) {
    const struct pcf_event *event = k < functions ? NULL : &slab->event[k - functions];
    int64_t f = event ? (int64_t)event->change[0] : k;
    if (pcf_weight_of(sums, f) == 0) continue;
    sample[count++] = event ? pcf_new_value(event) : slab->value[f];
  }
  pcf_quantile_cuts(sample, count, 2, -INFINITY, &center);
  return center;
}

static void find_magnitudes(struct state *state, const struct pcf_slab *slab,
                            int64_t functions) {
  for (int64_t f = 0; f < functions; f++) {
    state->most[f] = fabs(slab->value[f] - state->center);
    state->changes[f] = 0;
  }
  for (int64_t k = 0; k < slab->events; k++) {
    int64_t f = (int64_t)slab->event[k].change[0];
    state->most[f] = fmax(state->most[f], fabs(pcf_new_value(&slab->event[k]) - state->center));
    state->changes[f]++;
  }
}

static enum pcf_status begin(void *state_, const struct pcf_slab_sums *sums,
                             const struct pcf_slab *slab, struct pcf_error *error) {
  struct state *state = state_;
  int64_t functions = sums->rows + sums->others;
  (void)slab;
  if (!state->sum) {
    state->value = pcf_allocate((size_t)functions, sizeof *state->value, error);
    state->most = pcf_allocate((size_t)functions, sizeof *state->most, error);
    state->changes = pcf_allocate((size_t)functions, sizeof *state->changes, error);
    if (!state->value || !state->most || !state->changes) return PCF_ERROR_MEMORY;
    state->sum = pcf_allocate((size_t)sums->rows, sizeof *state->sum, error);
    if (!state->sum) return PCF_ERROR_MEMORY;
  }
  return PCF_OK;
}

/* ---- A column ---- */

/* C(p, k) (−1)^k. */
static void find_factors(int p, double *factor) {
  factor[0] = 1;
  for (int k = 1; k <= p; k++) factor[k] = -factor[k - 1] * (p - k + 1) / k;
}

/* For odd p twice what goes on below a function is added (lower.h), after some more roundings.
 * Each question adds up terms that come to at most `length` times the sum over g of
 * |b(g)| (most of f + most of g)^p, or twice that, after as many roundings as there are
 * changes.
 */
static void add_bounds(const struct state *state, const struct pcf_slab_sums *sums,
                       const struct pcf_slab *slab, const double *factor) {
  int p = sums->power;
  int64_t functions = sums->rows + sums->others;
  double magnitude[PCF_MOST_PRODUCT_POWER + 1] = {0};
  for (int64_t f = 0; f < functions; f++) {
    double power = fabs(pcf_weight_of(sums, f));
    for (int k = 0; k <= p; k++, power *= state->most[f]) magnitude[k] += power;
  }
  double roundings = (p % 2 ? 64.0 : 16.0) * (double)(slab->events + functions + 4 * p);
  for (int64_t f = 0; f < sums->rows; f++) {
    double bound = 0;
    for (int k = 0; k <= p; k++) {
      bound = bound * state->most[f] + fabs(factor[k]) * magnitude[k];
    }
    sums->bound[f] += roundings * PCF_TWOFOLD_ERROR * (state->changes[f] + 1) *
                        (slab->end - slab->begin) * bound +
                      PCF_PRODUCT_LEAST * magnitude[0];
  }
}

PCF_ALWAYS_INLINE enum pcf_status pass_events_of(int p, struct state *state,
                                                 const struct pcf_slab_sums *sums,
                                                 const struct pcf_slab *slab,
                                                 const double *factor, const atomic_int *stop,
                                                 struct pcf_error *error) {
  for (int64_t n = 0; n < slab->events; n++) {
    const struct pcf_event *event = &slab->event[n];
    int64_t f = (int64_t)event->change[0];
    double b = pcf_weight_of(sums, f);
    struct pcf_twofold time = pcf_exact_sum_of(pcf_time_of(event->key), -slab->begin);
    struct pcf_powers old, now;
    if (n % EVENTS_PER_STOP_CHECK == 0 && stop && atomic_load(stop)) {
      return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    }
    pcf_find_powers(state->value[f], state->center, p, &old);
    pcf_find_powers(state->value[f] = pcf_new_value(event), state->center, p, &now);
    for (int k = 1; k <= p; k++) now.of[k] = pcf_twofold_difference(now.of[k], old.of[k]);
    if (f < sums->rows) {
      state->sum[f] = pcf_twofold_difference(
        state->sum[f], pcf_ask_moments(&state->moments, factor, &now, p, p - 1, time));
    }
    if (b != 0) pcf_change_moments(&state->moments, &now, 1, p, b, time);
  }
  return PCF_OK;
}

/* The loops over the powers of usual ones are known to the compiler. */
static enum pcf_status pass_events(struct state *state, const struct pcf_slab_sums *sums,
                                   const struct pcf_slab *slab, const double *factor,
                                   const atomic_int *stop, struct pcf_error *error) {
#define PASS(p) pass_events_of(p, state, sums, slab, factor, stop, error)
  switch (sums->power) {
  case 2: return PASS(2);
  case 4: return PASS(4);
  case 6: return PASS(6);
  default: return PASS(sums->power);
  }
#undef PASS
}

static enum pcf_status add(void *state_, const struct pcf_slab_sums *sums,
                           const struct pcf_slab *slab, const atomic_int *stop, double *result,
                           struct pcf_error *error) {
  struct state *state = state_;
  int p = sums->power;
  int64_t functions = sums->rows + sums->others;
  double factor[PCF_MOST_PRODUCT_POWER + 1] = {0};
  struct pcf_twofold begun = {0, 0};
  struct pcf_powers powers;
  find_factors(p, factor);
  state->center = find_center(slab, sums);
  find_magnitudes(state, slab, functions);
  memcpy(state->value, slab->value, (size_t)functions * sizeof *state->value);
  memset(state->sum, 0, (size_t)sums->rows * sizeof *state->sum);
  memset(&state->moments, 0, sizeof state->moments);
  for (int64_t f = 0; f < functions; f++) {
    double b = pcf_weight_of(sums, f);
    pcf_find_powers(state->value[f], state->center, p, &powers);
    if (b != 0) pcf_change_moments(&state->moments, &powers, 0, p, b, begun);
  }
  enum pcf_status status = pass_events(state, sums, slab, factor, stop, error);
  if (status) return status;
  struct pcf_twofold time = pcf_exact_sum_of(slab->end, -slab->begin);
  for (int64_t f = 0; f < sums->rows; f++) {
    pcf_find_powers(state->value[f], state->center, p, &powers);
    struct pcf_twofold last = pcf_ask_moments(&state->moments, factor, &powers, p, p, time);
    struct pcf_twofold sum = pcf_twofold_sum(state->sum[f], last);
    state->sum[f] = p % 2 ? (struct pcf_twofold){-sum.high, -sum.low} : sum;
  }
  if (p % 2) {
    status = pcf_add_lower(&state->lower, sums, slab, state->value, state->center, factor, stop,
                           state->sum, error);
  }
  for (int64_t f = 0; f < sums->rows && !status; f++) result[f] += state->sum[f].high;
  if (sums->bound && !status) add_bounds(state, sums, slab, factor);
  return status;
}

const struct pcf_slab_kernel pcf_power_slab_kernel = {new_state, free_state, begin, add};
