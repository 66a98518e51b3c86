#include "depth/variance.h"

#include "arithmetic/double-double.h"
#include "base/memory.h"
#include "base/threads.h"
#include "products/slabs.h"
#include "reductions/fixed.h"
#include "reductions/summing.h"

#include <math.h>
#include <string.h>

/* Σ w, Σ w², Σ w x and Σ w x². */
enum { WEIGHTS, SQUARED_WEIGHTS, VALUES, SQUARES, SUMS };

struct sums {
  struct pcf_fixed fixed; /* of all of them */
  int64_t observed;
  uint64_t limbs[SUMS][PCF_MAX_LIMBS];
};

struct worker {
  struct pcf_slab_reader reader;
  struct sums sums;
};

struct run {
  const struct pcf_variance *variance;
  struct pcf_slabs slabs;
  struct pcf_fixed fixed;
  int time_exponent, value_exponent, weight_exponent;
  struct worker *worker;
  struct pcf_curves *curves;
};

static void choose_form(struct run *run);
static void add(const struct run *run, struct sums *sums, int64_t f, double value,
                int negative);
static double variance_of(const struct run *run, const struct sums *sums);
static enum pcf_status begin_curve(struct run *run, struct pcf_error *error);
static pcf_loop_body do_slab;

enum pcf_status pcf_variance(const struct pcf_variance *variance, int threads,
                             const atomic_int *stop, struct pcf_curves *curves,
                             struct pcf_error *error) {
  struct run run = {.variance = variance, .curves = curves};
  struct pcf_arrays arrays = {0};
  struct pcf_integral integral =
    pcf_integral(PCF_L1, 1, -INFINITY, INFINITY, PCF_DOUBLE, variance->range);
  *curves = (struct pcf_curves){0};
  run.time_exponent = integral.time_exponent;
  integral.value_exponent = integral.missing_is_0 = 0;
  choose_form(&run);
  run.worker = pcf_zeros(&arrays, (size_t)threads, sizeof *run.worker, error);
  enum pcf_status status = arrays.status;
  if (!status) {
    status =
      pcf_slabs_make(&run.slabs, variance->x, NULL, &integral, variance->range, 0, error);
  }
  if (!status) status = begin_curve(&run, error);
  if (!status) {
    status = pcf_parallel_for(threads, run.slabs.count, stop, do_slab, &run, error);
  }
  for (int t = 0; run.worker && t < threads; t++) {
    pcf_slab_reader_free(&run.worker[t].reader);
  }
  pcf_slabs_free(&run.slabs);
  pcf_arrays_free(&arrays);
  return status ? status : pcf_curves_count(curves, error);
}

/* ---- Exact sums ---- */

/* Values and weights are scaled to below 1; errors of products of three are multiples of the
 * third power of 2^-52. */
static void choose_form(struct run *run) {
  const struct pcf_range *range = run->variance->range;
  int64_t n = run->variance->x->count;
  struct pcf_range weights = PCF_EMPTY_RANGE;
  if (run->variance->weight) pcf_widen_range(&weights, run->variance->weight, n);
  else weights.value = weights.least = 1;
  run->value_exponent = range->value > 0 ? ilogb(range->value) + 1 : 0;
  run->weight_exponent = weights.value > 0 ? ilogb(weights.value) + 1 : 0;
  double value = fmin(1, ldexp(range->least, -run->value_exponent));
  double weight = fmin(1, ldexp(weights.least, -run->weight_exponent));
  double least = value * value * weight * weight * 0x1p-160;
  run->fixed = pcf_fixed_for(fmax(least, 0x1p-1022), 1, 8 * n + 8);
}

static void add_product(struct sums *sums, int which, double a, double b, int negative) {
  struct pcf_double_double product = pcf_exact_product(a, b);
  pcf_wide_add(&sums->fixed, sums->limbs[which], product.high, negative);
  if (product.low != 0) pcf_wide_add(&sums->fixed, sums->limbs[which], product.low, negative);
}

/* Adds what function f has at a value, or takes it away. */
static void add(const struct run *run, struct sums *sums, int64_t f, double value,
                int negative) {
  const double *weight = run->variance->weight;
  double w = ldexp(weight ? weight[f] : 1, -run->weight_exponent);
  if (isnan(value) || w == 0) return;
  double x = ldexp(value, -run->value_exponent);
  sums->observed += negative ? -1 : 1;
  pcf_wide_add(&sums->fixed, sums->limbs[WEIGHTS], w, negative);
  add_product(sums, SQUARED_WEIGHTS, w, w, negative);
  struct pcf_double_double product = pcf_exact_product(w, x);
  add_product(sums, VALUES, w, x, negative);
  add_product(sums, SQUARES, product.high, x, negative);
  if (product.low != 0) add_product(sums, SQUARES, product.low, x, negative);
}

/* A sum as several doubles, exactly unless it has more digits than they hold. */
enum { PARTS = 4 };
static int parts_of(const struct sums *sums, int which, double *part) {
  struct pcf_divisor one = pcf_divisor_of(1, 0);
  uint64_t rest[PCF_MAX_LIMBS];
  memcpy(rest, sums->limbs[which], (size_t)sums->fixed.limbs * sizeof *rest);
  for (int k = 0; k < PARTS; k++) {
    part[k] = pcf_wide_quotient(rest, &sums->fixed, &one);
    if (part[k] == 0) return k;
    pcf_wide_add(&sums->fixed, rest, part[k], 1);
  }
  return PARTS;
}

static int add_terms(const double *a, int as, const double *b, int bs, double sign,
                     double *term) {
  int count = 0;
  for (int i = 0; i < as; i++) {
    for (int j = 0; j < bs; j++) {
      struct pcf_double_double product = pcf_exact_product(a[i], b[j]);
      term[count++] = sign * product.high;
      term[count++] = sign * product.low;
    }
  }
  return count;
}

/* (Σ w Σ w x² − (Σ w x)²) / ((Σ w)² − Σ w²). */
static double variance_of(const struct run *run, const struct sums *sums) {
  double w[PARTS], ww[PARTS], x[PARTS], xx[PARTS], one = 1, term[4 * PARTS * PARTS];
  int enough = sums->observed > 1;
  if (!run->variance->observed_only) enough &= sums->observed == run->variance->x->count;
  if (!enough) return pcf_missing();
  int ws = parts_of(sums, WEIGHTS, w), wws = parts_of(sums, SQUARED_WEIGHTS, ww);
  int xs = parts_of(sums, VALUES, x), xxs = parts_of(sums, SQUARES, xx);
  int count = add_terms(w, ws, xx, xxs, 1, term);
  count += add_terms(x, xs, x, xs, -1, term + count);
  double spread = pcf_exact_sum(term, count);
  count = add_terms(w, ws, w, ws, 1, term);
  count += add_terms(ww, wws, &one, 1, -1, term + count);
  double degrees = pcf_exact_sum(term, count);
  return ldexp(fmax(spread, 0) / degrees, 2 * run->value_exponent);
}

/* ---- The sweep ---- */

static double time_of(const struct run *run, uint64_t key) {
  return ldexp(pcf_time_of(key), run->time_exponent);
}

/* Stretch 0 has the value before all times, and slab s the stretch s + 1. */
static enum pcf_status begin_curve(struct run *run, struct pcf_error *error) {
  const struct pcf_slabs *slabs = &run->slabs;
  int64_t stretches = slabs->count + 1;
  enum pcf_status status = pcf_curves_make(run->curves, 1, &stretches, stretches, error);
  if (status) return status;
  struct pcf_point *point = run->curves->block[0] = pcf_allocate(1, sizeof *point, error);
  struct sums *sums = &run->worker[0].sums;
  if (!point) return PCF_ERROR_MEMORY;
  sums->fixed = run->fixed;
  for (int64_t f = 0; f < slabs->functions; f++) add(run, sums, f, slabs->view[f].initial, 0);
  *point = (struct pcf_point){-INFINITY, variance_of(run, sums)};
  run->curves->stretch[0] = (struct pcf_stretch){.point = point, .count = 1};
  return PCF_OK;
}

/* The values that functions have are kept in the slab. */
static void sweep(const struct run *run, struct worker *worker, const struct pcf_slab *slab,
                  struct pcf_points *points) {
  struct sums *sums = &worker->sums;
  *sums = (struct sums){.fixed = run->fixed};
  for (int64_t f = 0; f < run->slabs.functions; f++) add(run, sums, f, slab->value[f], 0);
  for (int64_t k = 0; k < slab->events; k++) {
    int64_t f = (int64_t)slab->event[k].change[0];
    add(run, sums, f, slab->value[f], 1);
    slab->value[f] = pcf_new_value(&slab->event[k]);
    add(run, sums, f, slab->value[f], 0);
    if (k + 1 < slab->events && slab->event[k + 1].key == slab->event[k].key) continue;
    pcf_append_point(points, time_of(run, slab->event[k].key), variance_of(run, sums));
  }
}

static enum pcf_status do_slab(void *run_, int thread, int64_t s, struct pcf_error *error) {
  struct run *run = run_;
  struct worker *worker = &run->worker[thread];
  struct pcf_slab slab;
  enum pcf_status status = PCF_OK;
  if (!worker->reader.sorter)
    status = pcf_slab_reader_make(&worker->reader, &run->slabs, error);
  if (!status) status = pcf_slab_read(&worker->reader, s, &slab, error);
  if (status) return status;
  struct pcf_points points = {0};
  points.point = pcf_allocate((size_t)slab.events + 1, sizeof *points.point, error);
  run->curves->block[s + 1] = points.point;
  if (!points.point) return PCF_ERROR_MEMORY;
  sweep(run, worker, &slab, &points);
  run->curves->stretch[s + 1] =
    (struct pcf_stretch){.point = points.point, .count = points.count};
  return PCF_OK;
}
