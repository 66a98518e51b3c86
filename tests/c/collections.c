#include "collections.h"

#include "check.h"

#include "integrals/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Random numbers ---- */

/* SplitMix64. */
static uint64_t random_bits(struct random *random) {
  uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

double random_uniform(struct random *random) {
  return ldexp((double)(random_bits(random) >> 11), -53);
}

double random_normal(struct random *random) {
  double u = 1 - random_uniform(random), angle = 6.283185307179586 * random_uniform(random);
  return sqrt(-2 * log(u)) * cos(angle);
}

int64_t random_between(struct random *random, int64_t least, int64_t most) {
  return least + (int64_t)(random_bits(random) % (uint64_t)(most - least + 1));
}

int by_number(const void *a, const void *b) {
  double first = *(const double *)a, second = *(const double *)b;
  return (first > second) - (first < second);
}

/* ---- Collections ---- */

struct functions *functions_new(int64_t count, const int64_t *lengths) {
  struct functions *x = zeroed(1, sizeof *x);
  x->function = zeroed(count, sizeof *x->function);
  x->offsets = zeroed(count + 1, sizeof *x->offsets);
  for (int64_t i = 0; i < count; i++) {
    x->offsets[i + 1] = x->offsets[i] + lengths[i];
    x->function[i] = zeroed(2 * lengths[i], sizeof(double));
  }
  x->view = (struct pcf_collection){
    .count = count, .functions = (const double *const *)x->function, .offsets = x->offsets};
  return x;
}

struct functions *lines_new(int64_t count, const int64_t *lengths) {
  struct functions *x = functions_new(count, lengths);
  for (int64_t i = 0; i < count; i++) x->function[i] = zeroed(3 * lengths[i], sizeof(double));
  x->view.linear = 1;
  return x;
}

double *lefts_of(const struct functions *x, int64_t i) {
  return x->function[i] + pcf_breakpoints(&x->view, i);
}

double *after_lefts(const struct functions *x, int64_t i) {
  return lefts_of(x, i) + pcf_breakpoints(&x->view, i);
}

struct functions *functions_of(int64_t count, const int64_t *lengths,
                               const double *const *literal) {
  struct functions *x = functions_new(count, lengths);
  for (int64_t i = 0; i < count; i++) {
    memcpy(x->function[i], literal[i], 2 * (size_t)lengths[i] * sizeof(double));
  }
  return x;
}

/* Draws until all times differ, which they nearly always do at once. */
static void sorted_normals(struct random *random, int64_t m, double *time, bool absolute) {
  bool distinct;
  do {
    double factor = fabs(random_normal(random)) + 1e-6;
    for (int64_t k = 0; k < m; k++) {
      double t = random_normal(random);
      time[k] = factor * (absolute ? fabs(t) : t);
    }
    qsort(time, (size_t)m, sizeof *time, by_number);
    if (absolute) time[0] = 0;
    distinct = true;
    for (int64_t k = 1; k < m; k++) distinct = distinct && time[k - 1] < time[k];
  } while (!distinct);
}

static void fill(struct random *random, enum shape shape, int64_t m, double *time,
                 double *value) {
  bool whole = shape == INTEGER_TIMES;
  for (int64_t k = 0; k < m; k++) {
    value[k] = whole ? (double)random_between(random, -3, 3) : random_normal(random);
  }
  if (shape == PAPER || shape == UNBOUNDED) sorted_normals(random, m, time, shape == PAPER);
  if (whole) {
    int64_t t = random_between(random, -3, 3);
    for (int64_t k = 0; k < m; k++, t += random_between(random, 1, 3)) time[k] = (double)t;
  }
  if (shape == SHARED_GRID) {
    for (int64_t k = 0; k < m; k++) time[k] = (double)k;
  }
  if (shape != UNBOUNDED || random_between(random, 0, 2)) value[m - 1] = 0;
}

/* Makes values missing, one of four. */
static void hide(struct random *random, struct functions *x, int64_t i) {
  double *value = values_of(x, i);
  for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) {
    if (i % 8 == 7 || random_between(random, 0, 3) == 0) value[k] = pcf_missing();
  }
  if (i % 4 == 1 || i % 8 == 7) times_of(x, i)[0] = -INFINITY;
}

struct functions *functions_random(struct random *random, enum shape shape, int64_t count,
                                   int64_t least, int64_t most) {
  int64_t *lengths = zeroed(count, sizeof *lengths);
  for (int64_t i = 0; i < count; i++) lengths[i] = random_between(random, least, most);
  struct functions *x = functions_new(count, lengths);
  for (int64_t i = 0; i < count; i++) {
    enum shape whole = shape == PARTIAL ? UNBOUNDED : shape;
    fill(random, whole, lengths[i], times_of(x, i), values_of(x, i));
    if (shape == PARTIAL) hide(random, x, i);
  }
  return x;
}

struct functions *functions_in_groups(struct random *random, int64_t count, int64_t groups,
                                      int64_t least, int64_t most) {
  struct functions *x = functions_random(random, PAPER, count, least, most);
  for (int64_t i = 0; i < count; i++) {
    double *time = times_of(x, i), *value = values_of(x, i), angle = 3 * (double)(i % groups);
    int64_t m = pcf_breakpoints(&x->view, i);
    for (int64_t k = 0; k < m; k++) time[k] = (double)k / (double)(m - 1);
    for (int64_t k = 1; k + 1 < m; k++) {
      time[k] += (random_uniform(random) - 0.5) / (double)m;
    }
    for (int64_t k = 0; k + 1 < m; k++) {
      value[k] = 10 * cos(angle + time[k] * (double)(i % groups)) + 0.1 * random_normal(random);
    }
  }
  return x;
}

struct functions *functions_picked(const struct functions *x, int64_t count,
                                   const int64_t *order) {
  int64_t *lengths = zeroed(count, sizeof *lengths);
  for (int64_t i = 0; i < count; i++) lengths[i] = pcf_breakpoints(&x->view, order[i]);
  struct functions *picked = functions_new(count, lengths);
  for (int64_t i = 0; i < count; i++) {
    memcpy(picked->function[i], x->function[order[i]], 2 * (size_t)lengths[i] * sizeof(double));
  }
  return picked;
}

void functions_move(struct functions *x, double factor, double by) {
  for (int64_t i = 0; i < x->view.count; i++) {
    for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) {
      times_of(x, i)[k] = times_of(x, i)[k] * factor + by;
    }
  }
}

double *times_of(const struct functions *x, int64_t i) {
  return x->function[i];
}

double *values_of(const struct functions *x, int64_t i) {
  return x->function[i] + pcf_breakpoints(&x->view, i);
}

double value_of(const double *time, const double *value, int64_t m, double t) {
  int64_t low = 0, high = m;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (time[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low ? value[low - 1] : 0;
}

double value_at(const struct pcf_collection *x, int64_t i, double time) {
  return value_of(pcf_times(x, i), pcf_values(x, i), pcf_breakpoints(x, i), time);
}

/* ---- The oracle ---- */

const struct question operations[] = {
  {PCF_L1, 1, -INFINITY, INFINITY},    {PCF_L2, 2, -INFINITY, INFINITY},
  {PCF_LP, 1.5, -INFINITY, INFINITY},  {PCF_LP, 3, -INFINITY, INFINITY},
  {PCF_LP, 2.3, -INFINITY, INFINITY},  {PCF_LINF, INFINITY, -INFINITY, INFINITY},
  {PCF_INNER, 2, -INFINITY, INFINITY}, {PCF_RELATIVE, 1, -INFINITY, INFINITY},
};
const int operation_count = sizeof operations / sizeof operations[0];

struct sums {
  long double sum, absolute;
};

/* One stretch on which both functions are constant; where one is missing it adds nothing. */
static void add_stretch(const struct question *question, long double a, long double b,
                        long double length, long double unit, struct sums *sums) {
  if (!(length > 0) || isnan(a) || isnan(b)) return;
  long double combined = question->operation == PCF_INNER ? a * b : fabsl(a - b) / unit;
  if (combined == 0) return;
  if (question->operation == PCF_RELATIVE) combined /= fmaxl(fabsl(a), fabsl(b));
  if (question->operation == PCF_LINF) {
    sums->sum = fmaxl(sums->sum, combined);
    return;
  }
  if (question->operation == PCF_L2) combined *= combined;
  if (question->operation == PCF_LP) combined = powl(combined, question->p);
  sums->sum += combined * length;
  sums->absolute += fabsl(combined) * length;
}

/* All stretches of functions i of x and j of y, with differences in multiples of `unit`. */
static struct sums add_up(const struct question *question, const struct pcf_collection *x,
                          int64_t i, const struct pcf_collection *y, int64_t j,
                          long double unit) {
  const double *f_time = pcf_times(x, i), *g_time = pcf_times(y, j);
  const double *f_value = pcf_values(x, i), *g_value = pcf_values(y, j);
  int64_t f_end = pcf_breakpoints(x, i), g_end = pcf_breakpoints(y, j), k = 0, l = 0;
  long double now = question->from, a = 0, b = 0;
  struct sums sums = {0, 0};
  for (;;) {
    long double next = INFINITY;
    if (k < f_end) next = f_time[k];
    if (l < g_end && g_time[l] < next) next = g_time[l];
    long double end = fminl(next, question->to);
    if (end > now) add_stretch(question, a, b, end - now, unit, &sums);
    if (next >= question->to) return sums;
    now = fmaxl(next, question->from);
    if (k < f_end && f_time[k] == next) a = f_value[k++];
    if (l < g_end && g_time[l] == next) b = g_value[l++];
  }
}

/* Powers are those of differences relative to the largest: long double may be no wider than
 * double. */
struct answer oracle(const struct question *question, const struct pcf_collection *x, int64_t i,
                     const struct pcf_collection *y, int64_t j) {
  struct question supremum = {PCF_LINF, INFINITY, question->from, question->to};
  if (question->operation != PCF_L2 && question->operation != PCF_LP) {
    struct sums sums = add_up(question, x, i, y, j, 1);
    bool inner = question->operation == PCF_INNER;
    return (struct answer){(double)sums.sum, (double)(inner ? sums.absolute : sums.sum)};
  }
  long double unit = add_up(&supremum, x, i, y, j, 1).sum;
  if (unit == 0) return (struct answer){0, 0};
  long double sum = add_up(question, x, i, y, j, unit).sum;
  sum = question->operation == PCF_L2 ? sqrtl(sum) : powl(sum, 1 / (long double)question->p);
  return (struct answer){(double)(unit * sum), (double)(unit * sum)};
}

struct answer *oracle_matrix(const struct question *question, const struct pcf_collection *x,
                             const struct pcf_collection *y) {
  struct answer *answers = zeroed(x->count * y->count, sizeof *answers);
  for (int64_t j = 0; j < y->count; j++) {
    for (int64_t i = 0; i < x->count; i++) {
      answers[i + x->count * j] = oracle(question, x, i, y, j);
    }
  }
  return answers;
}

/* ---- The oracle for lines ---- */

const struct question line_operations[] = {
  {PCF_L1, 1, -INFINITY, INFINITY},          {PCF_L2, 2, -INFINITY, INFINITY},
  {PCF_LP, 1.5, -INFINITY, INFINITY},        {PCF_LP, 3, -INFINITY, INFINITY},
  {PCF_LP, 2.3, -INFINITY, INFINITY},        {PCF_LP, 9.7, -INFINITY, INFINITY},
  {PCF_LINF, INFINITY, -INFINITY, INFINITY}, {PCF_INNER, 2, -INFINITY, INFINITY},
};
const int line_operation_count = sizeof line_operations / sizeof line_operations[0];

/* The limit at t of a function from the left (side 0) or the right. */
static long double limit_at(const struct pcf_collection *x, int64_t i, double t, int side) {
  const double *time = pcf_times(x, i), *left = pcf_lefts(x, i), *value = pcf_values(x, i);
  int64_t m = pcf_breakpoints(x, i), k = 0;
  while (k < m && (side ? time[k] <= t : time[k] < t)) k++;
  if (k == 0) return left[0];
  if (k == m) return value[m - 1];
  long double share = ((long double)t - time[k - 1]) / ((long double)time[k] - time[k - 1]);
  return value[k - 1] + share * ((long double)left[k] - value[k - 1]);
}

/* The mean of |d|^p for a line d from a to b. */
long double line_mean_power(long double a, long double b, long double p) {
  long double c = (a + b) / 2, h = (b - a) / 2;
  if (a == b) return powl(fabsl(a), p);
  if (fabsl(h) <= 1e-3L / (p + 1) * fabsl(c)) {
    long double square = h / c * (h / c);
    long double terms = 1 + p * (p - 1) / 6 * square;
    return powl(fabsl(c), p) *
           (terms + p * (p - 1) * (p - 2) * (p - 3) / 120 * square * square);
  }
  return (b * powl(fabsl(b), p) - a * powl(fabsl(a), p)) / ((p + 1) * (b - a));
}

/* A pair by its definition; the error is relative to what the functions' sizes would give. */
struct answer line_oracle(const struct question *question, const struct pcf_collection *x,
                          int64_t i, const struct pcf_collection *y, int64_t j) {
  int64_t m = pcf_breakpoints(x, i), n = pcf_breakpoints(y, j);
  double *time = malloc((size_t)(m + n + 2) * sizeof *time);
  long double sum = 0, size = 0, p = pcf_degree(question->operation, question->p);
  memcpy(time, pcf_times(x, i), (size_t)m * sizeof *time);
  memcpy(time + m, pcf_times(y, j), (size_t)n * sizeof *time);
  time[m + n] = question->from;
  time[m + n + 1] = question->to;
  qsort(time, (size_t)(m + n + 2), sizeof *time, by_number);
  for (int64_t k = 0; k + 1 < m + n + 2; k++) {
    double from = time[k], to = time[k + 1];
    if (!(from < to) || from < question->from || to > question->to) continue;
    long double a = limit_at(x, i, from, 1), b = limit_at(x, i, to, 0);
    long double c = limit_at(y, j, from, 1), d = limit_at(y, j, to, 0);
    if (isinf(from) || isinf(to)) continue; /* both are 0 there in these tests */
    if (isnan(a) || isnan(b) || isnan(c) || isnan(d)) continue;
    long double length = (long double)to - from;
    long double largest = fmaxl(fmaxl(fabsl(a), fabsl(b)), fmaxl(fabsl(c), fabsl(d)));
    if (question->operation == PCF_LINF) {
      sum = fmaxl(sum, fmaxl(fabsl(a - c), fabsl(b - d)));
      size = fmaxl(size, largest);
    } else if (question->operation == PCF_INNER) {
      sum += length * (2 * a * c + a * d + b * c + 2 * b * d) / 6;
      size += length * largest * largest;
    } else {
      sum += length * line_mean_power(a - c, b - d, p);
      size += length * powl(largest, p);
    }
  }
  free(time);
  double root = 1 / pcf_root(question->operation, question->p);
  return (struct answer){(double)powl(sum, root), (double)powl(size, root)};
}

/* ---- Weights ---- */

/* What a stretch of the weight adds, before the root is taken. */
static struct answer raised(struct answer answer, const struct question *question) {
  double power = pcf_root(question->operation, question->p);
  if (power == 1) return answer;
  return (struct answer){pow(answer.value, power), pow(answer.scale, power)};
}

/* Over the windows in which the weight is constant. */
static struct answer weighted(const struct question *question, const struct pcf_collection *x,
                              int64_t i, const struct pcf_collection *y, int64_t j,
                              const struct pcf_collection *w) {
  const double *time = pcf_times(w, 0), *height = pcf_values(w, 0);
  double root = 1 / pcf_root(question->operation, question->p);
  struct answer sum = {0, 0};
  for (int64_t k = 0; k < pcf_breakpoints(w, 0); k++) {
    struct question piece = *question;
    piece.from = fmax(question->from, time[k]);
    if (k + 1 < pcf_breakpoints(w, 0)) piece.to = fmin(question->to, time[k + 1]);
    if (!(piece.from < piece.to) || height[k] == 0) continue;
    struct answer answer = oracle(&piece, x, i, y, j);
    if (question->operation == PCF_LINF) {
      if (answer.value > sum.value) sum = answer;
      continue;
    }
    answer = raised(answer, question);
    sum.value += height[k] * answer.value;
    sum.scale += height[k] * answer.scale;
  }
  if (root == 1) return sum;
  return (struct answer){pow(sum.value, root), pow(sum.scale, root)};
}

struct answer *weighted_matrix(const struct question *question, const struct pcf_collection *x,
                               const struct pcf_collection *y, const struct pcf_collection *w) {
  struct answer *answers = zeroed(x->count * y->count, sizeof *answers);
  for (int64_t j = 0; j < y->count; j++) {
    for (int64_t i = 0; i < x->count; i++) {
      answers[i + x->count * j] = weighted(question, x, i, y, j, w);
    }
  }
  return answers;
}

bool agrees(double got, struct answer answer, double tolerance) {
  if (isinf(answer.value)) return got == answer.value;
  return fabs(got - answer.value) <= tolerance * answer.scale;
}

double tolerance_of(enum pcf_precision precision) {
  return precision == PCF_SINGLE_PRECISION ? 1e-5 : check_quick() ? 1e-12 : 1e-13;
}

struct pcf_integral integral_for(const struct question *question, enum pcf_precision precision,
                                 const struct pcf_collection *x,
                                 const struct pcf_collection *y) {
  struct pcf_range range = PCF_EMPTY_RANGE;
  int64_t function, position;
  if (pcf_check_functions(x, 0, x->count, &range, &function, &position)) abort();
  if (y && pcf_check_functions(y, 0, y->count, &range, &function, &position)) abort();
  struct pcf_integral integral = pcf_integral(question->operation, question->p, question->from,
                                              question->to, precision, &range);
  if (range.missing) pcf_integrate_overlaps(&integral);
  return integral;
}

struct pcf_integral l1_within(double from, double to, enum pcf_precision precision,
                              const struct functions *x, const struct functions *y) {
  struct question question = {PCF_L1, 1, from, to};
  return integral_for(&question, precision, &x->view, y ? &y->view : NULL);
}

double scaled_back(const struct pcf_integral *integral, double result,
                   const struct pcf_collection *x, int64_t i, const struct pcf_collection *y,
                   int64_t j) {
  int exponent = integral->exponent;
  if (integral->own_exponents) {
    exponent +=
      pcf_view_of(x, i, integral).value_exponent + pcf_view_of(y, j, integral).value_exponent;
  }
  return ldexp(result * integral->factor, exponent);
}

double scalar_at(const void *array, int64_t k, enum pcf_precision precision) {
  return precision == PCF_DOUBLE ? ((const double *)array)[k]
                                 : (double)((const float *)array)[k];
}
