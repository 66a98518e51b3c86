#include "algebra/laying.h"

#include "base/bits.h"
#include "base/scalar.h"
#include "base/search.h"

#include <math.h>

/* A row; `last` is the time of its last breakpoint and `now` the value after that. */
struct row {
  struct pcf_written to;
  double last, now;
};

/* At the time of the breakpoint before it, or earlier by rounding, it replaces its value. */
static void add(struct row *row, double time, double left, double value) {
  if (row->to.count == 0 || time > row->last) {
    pcf_write(&row->to, time, left, value);
    row->last = time;
  } else if (row->to.value) {
    row->to.value[row->to.count - 1] = value;
  }
  row->now = value;
}

static int is_same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* How many breakpoints of a function are not after a time, of which k are before it. */
static int64_t passed_at(const struct pcf_section *f, int64_t k, double time) {
  return k + (k < f->breakpoints && f->time[k] == time);
}

/* A part begins without a breakpoint where the row goes on as it is. */
static void lay_part(struct row *row, const struct pcf_section *f, const struct pcf_laid *part,
                     double outside) {
  int64_t m = f->breakpoints, k = pcf_first_from(f->time, 0, m, part->from);
  k = passed_at(f, k, part->from);
  double value = pcf_value_at(f, k, 0, part->from);
  int level = !f->left || k == m || is_same(value, f->left[k]);
  if (!level || !is_same(value, row->now)) add(row, part->begin, row->now, value);
  for (; k < m && f->time[k] < part->to; k++) {
    double time = pcf_times_power_of_2(f->time[k], part->exponent) + part->shift;
    add(row, time, f->left ? f->left[k] : 0, f->value[k]);
  }
  if (!(part->to < INFINITY)) return;
  add(row, part->end, pcf_value_at(f, passed_at(f, k, part->to), 1, part->to), outside);
}

static int64_t lay_row(const void *laying_, int64_t r, double *matrix, int64_t breakpoints) {
  const struct pcf_laying *laying = laying_;
  const struct pcf_collection *x = laying->x;
  const struct pcf_laid *parts = laying->parts;
  struct row row = {pcf_write_to(x->linear, matrix, breakpoints), .now = laying->outside};
  for (int64_t p = 0; p < laying->count; p++) {
    struct pcf_section f = pcf_section_of(x, r + parts[p].column * laying->rows);
    if (p == 0) {
      int64_t passed = passed_at(&f, 0, -INFINITY);
      if (parts[p].from == -INFINITY) row.now = pcf_value_at(&f, passed, 0, -INFINITY);
      if (!x->linear && row.now != 0) add(&row, -INFINITY, 0, row.now);
    }
    lay_part(&row, &f, &parts[p], laying->outside);
  }
  if (row.to.count == 0) add(&row, parts[0].begin, row.now, row.now);
  return row.to.count;
}

struct pcf_unwritten pcf_lay_rows(const struct pcf_laying *laying) {
  return (struct pcf_unwritten){lay_row, laying, laying->rows, laying->x->linear};
}

/* ---- Sizes of times ---- */

/* The exponent of the last digit of a number that is not 0. */
static int last_digit(double number) {
  uint64_t bits = pcf_bits_of_double(number), digits = bits & ((UINT64_C(1) << 52) - 1);
  int exponent = (int)(bits >> 52 & 0x7FF), last = 0;
  if (exponent) digits |= UINT64_C(1) << 52;
  for (; !(digits & 1); digits >>= 1) last++;
  return (exponent ? exponent : 1) - 1075 + last;
}

static void add_time(struct pcf_time_sizes *sizes, double time) {
  size_t k = (size_t)(pcf_bits_of_double(time) >> 52);
  double size = fabs(time);
  int digit = last_digit(time);
  if (sizes->least[k] == 0 || size < sizes->least[k]) sizes->least[k] = size;
  if (size > sizes->largest[k]) sizes->largest[k] = size;
  if (digit < sizes->grain) sizes->grain = digit;
}

void pcf_add_time_sizes(struct pcf_time_sizes *sizes, const struct pcf_collection *x,
                        int64_t first, int64_t end, double from, double to) {
  for (int64_t i = first; i < end; i++) {
    const double *time = pcf_times(x, i);
    int64_t m = pcf_breakpoints(x, i), k = pcf_first_from(time, 0, m, from);
    for (k += k < m && time[k] == from; k < m && time[k] < to; k++) {
      if (time[k] == 0) sizes->zero = 1;
      else add_time(sizes, time[k]);
    }
  }
}

int pcf_list_time_sizes(const struct pcf_time_sizes *sizes, double *time) {
  enum { SIGN = PCF_TIME_SIZES / 2 };
  int count = 0;
  for (int k = PCF_TIME_SIZES - 1; k >= SIGN; k--) {
    if (sizes->least[k] == 0) continue;
    time[count++] = -sizes->largest[k];
    if (sizes->least[k] < sizes->largest[k]) time[count++] = -sizes->least[k];
  }
  if (sizes->zero) time[count++] = 0;
  for (int k = 0; k < SIGN; k++) {
    if (sizes->least[k] == 0) continue;
    time[count++] = sizes->least[k];
    if (sizes->least[k] < sizes->largest[k]) time[count++] = sizes->largest[k];
  }
  return count;
}
