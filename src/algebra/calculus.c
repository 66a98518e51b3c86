#include "algebra/calculus.h"

#include "base/threads.h"
#include "collections/pieces.h"

enum { FUNCTIONS_AT_ONCE = 16 };

/* Writes result i; returns the first breakpoint of the function with a fault, or -1. */
typedef int64_t write_result(const struct pcf_calculus *calculus, int64_t i);

struct filling {
  struct pcf_calculus *calculus;
  write_result *write;
};

static void fill_some(void *filling_, int64_t first, int64_t end) {
  struct filling *filling = filling_;
  struct pcf_place found = PCF_NOWHERE;
  for (int64_t i = first; i < end; i++) {
    int64_t fault = filling->write(filling->calculus, i);
    if (fault >= 0 && found.item < 0) found = (struct pcf_place){i, fault};
  }
  pcf_note_place(&filling->calculus->fault, found);
}

static enum pcf_status fill(struct pcf_calculus *calculus, write_result *write, int threads,
                            const atomic_int *stop, struct pcf_error *error) {
  struct filling filling = {calculus, write};
  return pcf_for_ranges(threads, calculus->x->count, FUNCTIONS_AT_ONCE, stop, fill_some,
                        &filling, error);
}

/* ---- Slopes ---- */

int64_t pcf_derivative_length(const struct pcf_collection *x, int64_t i) {
  return pcf_breakpoints(x, i) + (isnan(pcf_initial(x, i)) != 0);
}

/* The slope after breakpoint k. */
static double slope_after(const struct pcf_section *f, int64_t k) {
  struct pcf_straight line = pcf_line_from(f, k);
  if (isnan(line.value)) return pcf_missing();
  if (line.to == INFINITY) return 0;
  if (isnan(f->value[k + 1]) && line.to == pcf_next_time(line.from)) return pcf_missing();
  return (line.left - line.value) / (line.to - line.from);
}

static int64_t derive(const struct pcf_calculus *derivative, int64_t i) {
  struct pcf_section f = pcf_section_of(derivative->x, i);
  double *time = derivative->result[i];
  double *slope = time + pcf_derivative_length(derivative->x, i);
  int64_t jump = -1;
  if (isnan(f.left[0])) {
    *time++ = -INFINITY;
    *slope++ = pcf_missing();
  }
  for (int64_t k = 0; k < f.breakpoints; k++) {
    time[k] = f.time[k];
    slope[k] = slope_after(&f, k);
    if (jump < 0 && (f.left[k] < f.value[k] || f.left[k] > f.value[k])) jump = k;
  }
  return jump;
}

enum pcf_status pcf_derivative_fill(struct pcf_calculus *derivative, int threads,
                                    const atomic_int *stop, struct pcf_error *error) {
  return fill(derivative, derive, threads, stop, error);
}

/* ---- Integrals ---- */

static int begins_at_infinity(const struct pcf_section *f) {
  return f->time[0] == -INFINITY;
}

int64_t pcf_cumulation_length(const struct pcf_collection *x, int64_t i) {
  struct pcf_section f = pcf_section_of(x, i);
  int64_t count = f.breakpoints - begins_at_infinity(&f);
  return count > 0 ? count : 1;
}

/* A line ends where its value is known at its start, but nothing is known after it. */
static int64_t cumulate(const struct pcf_calculus *cumulation, int64_t i) {
  struct pcf_section f = pcf_section_of(cumulation->x, i);
  int64_t count = pcf_cumulation_length(cumulation->x, i), overflow = -1;
  double *time = cumulation->result[i], *left = time + count, *value = left + count;
  struct pcf_double_double sum = {0, 0};
  time[0] = left[0] = value[0] = 0; /* in case there is no other breakpoint */
  for (int64_t k = 0, b = begins_at_infinity(&f); b < f.breakpoints; k++, b++) {
    time[k] = f.time[b];
    left[k] = isnan(sum.high) ? pcf_missing() : sum.high + sum.low;
    value[k] = isnan(f.value[b]) ? pcf_missing() : left[k];
    struct pcf_straight piece = pcf_line_from(&f, b);
    if (piece.to == INFINITY) break;
    double length = piece.to - piece.from, part = length * piece.value;
    if (overflow < 0 && (isinf(length) || isinf(sum.high + part))) overflow = b;
    sum = pcf_double_double_sum(sum, (struct pcf_double_double){part, 0});
  }
  return overflow;
}

enum pcf_status pcf_cumulation_fill(struct pcf_calculus *cumulation, int threads,
                                    const atomic_int *stop, struct pcf_error *error) {
  return fill(cumulation, cumulate, threads, stop, error);
}
