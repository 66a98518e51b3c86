/* Single functions on a device, over a fake of CUDA whose kernels run on the processor: the
 * results are the host's, wherever the functions lie, and nothing is left after failures.
 */
#include "check.h"
#include "fake-cuda.h"
#include "ragged.h"
#include "runs.h"

#include "arrays/partition.h"
#include "base/memory.h"
#include "cuda-functions/session.h"
#include "cuda/info.h"
#include "cuda/resident.h"

#include <math.h>
#include <string.h>

static const struct pcf_settings one_gpu = {.threads = 3, .gpus = 1};

static void reset(void) {
  fake_cuda_reset();
  fake_cuda.complete = 1;
  pcf_cuda_most_values = 1 << 24;
}

/* A call on the device, or where the choice falls. */
static enum pcf_status run_there(enum pcf_single_operation operation, void *call,
                                 const atomic_int *stop, struct pcf_error *error) {
  struct pcf_single single = {operation, call, .on_gpu = 1, .settings = one_gpu};
  return pcf_single_run(&single, stop, error);
}

/* ---- Collections ---- */

enum { COUNT = 16 };
static const int64_t lengths[COUNT] = {
  1, 2, 3,     PCF_PART,  PCF_PART + 1, 3 * PCF_PART, PCF_CHUNK, 30,
  8, 9, 7 * 8, 7 * 8 + 1, PCF_PART + 7, 17,           1,         100};

/* With gaps, values from −∞ on, functions of zeros, and such as ask for scaling. */
static struct functions *collection_of(struct random *random, int kind, const int64_t *length) {
  struct functions *x = functions_of_lengths(random, UNBOUNDED, COUNT, length);
  if (kind == 0) return x;
  forget_values(random, x, 0.3);
  for (int i = 0; i < COUNT; i++) {
    double factor = kind == 1 ? 1 : pow(10, (double)random_between(random, -300, 300));
    if (i % 3 == 1) times_of(x, i)[0] = -INFINITY;
    for (int64_t k = 0; k < length[i]; k++) {
      if (pcf_is_missing(values_of(x, i)[k])) continue;
      if (i % 5 == 2) values_of(x, i)[k] = 0;
      values_of(x, i)[k] *= factor / 1000;
    }
  }
  return x;
}

static struct functions *collection(struct random *random, int kind) {
  return collection_of(random, kind, lengths);
}

/* With one function of two parts, and no more. */
static struct functions *short_collection(struct random *random, int kind) {
  int64_t shorter[COUNT];
  for (int i = 0; i < COUNT; i++) {
    shorter[i] = lengths[i] > PCF_PART + 1 ? 1 + lengths[i] % 500 : lengths[i];
  }
  shorter[3] = 200;
  return collection_of(random, kind, shorter);
}

/* A collection as a piecewise linear one: its values, and other numbers at the ends of lines.
 */
static struct functions *as_lines(struct random *random, struct functions *x) {
  for (int64_t i = 0; i < COUNT; i++) {
    int64_t n = pcf_breakpoints(&x->view, i);
    double *time = zeroed(3 * n, sizeof *time), *left = time + n, *value = left + n;
    memcpy(time, times_of(x, i), (size_t)n * sizeof *time);
    memcpy(value, values_of(x, i), (size_t)n * sizeof *value);
    if (isinf(time[0])) time[0] = n > 1 ? time[1] - 1 : 0;
    for (int64_t k = 1; k < n; k++) {
      left[k] =
        random_between(random, 0, 2) ? value[k - 1] * random_uniform(random) : -value[k];
      if (pcf_is_missing(value[k - 1]) || isnan(left[k])) left[k] = value[k - 1];
    }
    if (i % 2) left[0] = value[0];
    x->function[i] = time;
  }
  x->view.linear = 1;
  return x;
}

/* Of each kind, step functions and then lines. */
enum { KINDS = 6 };
static struct functions *collection_of_kind(struct random *random, int kind) {
  struct functions *x = collection(random, kind / 2);
  return kind % 2 ? as_lines(random, x) : x;
}

static const struct {
  double from, to;
} windows[] = {{-INFINITY, INFINITY}, {-INFINITY, 40}, {-10, 50.5}, {3, 9},
               {-1e5, -9e4},          {1e7, INFINITY}, {0, 1e9},    {4, 4000}};
enum { WINDOWS = sizeof windows / sizeof windows[0] };

/* ---- Norms and integrals ---- */

static const struct pcf_measuring measures[] = {
  {PCF_NORM_L1, 1, 0, 0},   {PCF_NORM_L2, 2, 0, 0},          {PCF_INTEGRAL, 1, 0, 0},
  {PCF_NORM_LP, 1.5, 0, 0}, {PCF_NORM_LP, 7.3, 0, 0},        {PCF_NORM_LP, 40, 0, 0},
  {PCF_NORM_LP, 700, 0, 0}, {PCF_NORM_LINF, INFINITY, 0, 0},
};
enum { MEASURES = sizeof measures / sizeof measures[0] };

static bool same(enum pcf_measure measure, double got, double want) {
  if (measure != PCF_NORM_LP) return memcmp(&got, &want, sizeof got) == 0;
  return got == want || fabs(got - want) <= 1e-14 * fabs(want);
}

static enum pcf_status measure_there(const struct functions *x,
                                     const struct pcf_measuring *measuring,
                                     const atomic_int *stop, double *result,
                                     struct pcf_error *error) {
  struct pcf_norms_call call = {.x = &x->view, .measuring = *measuring, .result = result};
  return run_there(PCF_NORMS, &call, stop, error);
}

static void check_norms(const struct functions *x, double from, double to) {
  struct pcf_fault fault;
  double want[COUNT], got[COUNT];
  for (int m = 0; m < MEASURES; m++) {
    struct pcf_measuring measuring = measures[m];
    measuring.from = from;
    measuring.to = to;
    if (x->view.linear && measuring.measure == PCF_NORM_LP) continue;
    CHECK(!pcf_measure(&x->view, &measuring, 1, NULL, want, NULL, &fault, NULL));
    CHECK(!measure_there(x, &measuring, NULL, got, NULL));
    for (int i = 0; i < COUNT; i++) CHECK(same(measuring.measure, got[i], want[i]));
  }
}

TEST(cuda_functions_are_measured_as_on_the_host) {
  reset();
  for (int kind = 0; kind < KINDS; kind++) {
    struct functions *x = collection_of_kind(&random, kind);
    for (int w = 0; w < WINDOWS; w++) check_norms(x, windows[w].from, windows[w].to);
    CHECK(!make_resident(x, 1, NULL));
    for (int w = 0; w < WINDOWS; w++) check_norms(x, windows[w].from, windows[w].to);
    drop_resident(x);
  }
  CHECK(pcf_cuda_release() > 0 && fake_cuda_held() == 0);
}

TEST(cuda_functions_that_stay_are_not_uploaded_again) {
  struct pcf_measuring measuring = {PCF_NORM_L1, 1, 0, 50};
  double result[COUNT];
  reset();
  struct functions *x = collection(&random, 0);
  CHECK(!make_resident(x, 1, NULL));
  long uploaded = fake_cuda.uploaded, numbers = (long)pcf_total_breakpoints(&x->view);
  CHECK(!measure_there(x, &measuring, NULL, result, NULL));
  CHECK(fake_cuda.uploaded == uploaded);
  drop_resident(x);
  CHECK(!measure_there(x, &measuring, NULL, result, NULL));
  CHECK(fake_cuda.uploaded - uploaded >= 16 * numbers);
  struct functions *none = functions_new(0, NULL);
  CHECK(!measure_there(none, &measuring, NULL, result, NULL));
}

/* ---- Values ---- */

enum { TIMES = 75 };

/* Increasing, with ends, repeated ones, and times of breakpoints. */
static void times_for(struct random *random, double *time) {
  for (int j = 0; j < TIMES; j++) {
    time[j] = -20 + j + (j % 3 == 0 ? 0 : random_uniform(random) / 2);
  }
  time[0] = -INFINITY;
  time[TIMES - 1] = INFINITY;
  time[9] = time[8];
}

static enum pcf_status evaluate_there(const struct functions *x, const struct pcf_times_at *at,
                                      const atomic_int *stop, double *result,
                                      struct pcf_error *error) {
  struct pcf_values_call call = {.x = &x->view, .at = *at, .result = result};
  return run_there(PCF_FUNCTION_VALUES, &call, stop, error);
}

static void check_values(const struct functions *x, const struct pcf_times_at *at) {
  static double want[COUNT * TIMES], got[COUNT * TIMES];
  struct pcf_fault fault;
  CHECK(!pcf_evaluate(&x->view, at, 1, NULL, want, &fault, NULL));
  memset(got, 1, sizeof got);
  CHECK(!evaluate_there(x, at, NULL, got, NULL));
  CHECK(memcmp(got, want, (size_t)(COUNT * at->count) * sizeof *got) == 0);
}

TEST(cuda_functions_have_the_values_that_they_have_on_the_host) {
  double time[TIMES];
  int64_t column[TIMES];
  reset();
  for (int kind = 0; kind < KINDS; kind++) {
    struct functions *x = collection_of_kind(&random, kind);
    times_for(&random, time);
    for (int j = 0; j < TIMES; j++) column[j] = (j * 7 + 3) % TIMES;
    for (int64_t count = 0; count <= TIMES; count += 25) {
      for (int64_t most = 5; most < 2 * COUNT * TIMES; most *= 7) {
        pcf_cuda_most_values = most;
        check_values(x, &(struct pcf_times_at){count, time, NULL, 0});
        check_values(x, &(struct pcf_times_at){count, time, NULL, 1});
        if (count == TIMES) check_values(x, &(struct pcf_times_at){count, time, column, 0});
      }
    }
    CHECK(!make_resident(x, 1, NULL));
    check_values(x, &(struct pcf_times_at){TIMES, time, column, 0});
    drop_resident(x);
  }
}

TEST(cuda_functions_come_back_in_smaller_pieces_where_there_is_little_memory) {
  enum { MANY = 2000, FEW = 100 };
  static int64_t ones[MANY];
  double time[FEW], *want = zeroed(MANY * FEW, sizeof *want);
  double *got = zeroed(MANY * FEW, sizeof *got);
  struct pcf_fault fault;
  reset();
  for (int i = 0; i < MANY; i++) ones[i] = 1 + i % 3;
  for (int j = 0; j < FEW; j++) time[j] = j / 10.0;
  struct functions *x = functions_of_lengths(&random, UNBOUNDED, MANY, ones);
  struct pcf_times_at at = {FEW, time, NULL, 0};
  pcf_cuda_provocation.memory = 300000;
  CHECK(!pcf_evaluate(&x->view, &at, 1, NULL, want, &fault, NULL));
  CHECK(!evaluate_there(x, &at, NULL, got, NULL));
  CHECK(memcmp(got, want, MANY * FEW * sizeof *got) == 0);
}

/* ---- Sums ---- */

static double **columns_of(const struct pcf_curves *curves) {
  double **column = zeroed(curves->count, sizeof *column);
  for (int64_t r = 0; r < curves->count; r++) {
    column[r] =
      zeroed(pcf_matrix_columns(curves->linear) * curves->breakpoints[r], sizeof *column[r]);
  }
  CHECK(!pcf_curves_write(curves, column, 1, NULL, NULL));
  return column;
}

static bool same_curves(const struct pcf_curves *a, const struct pcf_curves *b) {
  double **of_a = columns_of(a), **of_b = columns_of(b);
  bool equal = a->count == b->count && a->linear == b->linear;
  for (int64_t r = 0; r < a->count; r++) {
    size_t numbers = (size_t)(pcf_matrix_columns(a->linear) * a->breakpoints[r]);
    size_t bytes = numbers * sizeof(double);
    equal = equal && a->breakpoints[r] == b->breakpoints[r];
    equal = equal && memcmp(of_a[r], of_b[r], bytes) == 0;
  }
  return equal;
}

static enum pcf_status sum_there(const struct functions *x, const struct pcf_rows *rows,
                                 const struct pcf_range *range, const atomic_int *stop,
                                 struct pcf_curves *curves, struct pcf_error *error) {
  struct pcf_rows_call call = {.x = &x->view, .rows = rows, .range = *range};
  enum pcf_status status = run_there(PCF_FUNCTION_SUMS, &call, stop, error);
  *curves = call.curves;
  return status;
}

static enum pcf_status extrema_there(const struct functions *x, const struct pcf_rows *rows,
                                     enum pcf_extremum extremum, const atomic_int *stop,
                                     struct pcf_curves *curves, struct pcf_error *error) {
  struct pcf_rows_call call = {.x = &x->view, .rows = rows, .extrema = 1, .extremum = extremum};
  enum pcf_status status = run_there(PCF_FUNCTION_EXTREMA, &call, stop, error);
  *curves = call.curves;
  return status;
}

/* The same curves or the same error. */
static void check_sums(const struct functions *x, const struct pcf_rows *rows) {
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct pcf_curves want, got;
  struct pcf_error here = {0}, error = {0};
  struct pcf_fault fault;
  for (int64_t i = 0; i < x->view.count; i++) {
    pcf_widen_range(&range, values_of(x, i), pcf_breakpoints(&x->view, i));
  }
  if (x->view.linear) CHECK(!pcf_check_collection(&x->view, 1, NULL, &range, &fault, NULL));
  enum pcf_status status = pcf_sums(&x->view, rows, &range, 2, NULL, &want, &here);
  CHECK(status == sum_there(x, rows, &range, NULL, &got, &error));
  if (status) CHECK_STRING(error.message, here.message);
  else CHECK(same_curves(&want, &got));
  pcf_curves_free(&want);
  pcf_curves_free(&got);
}

/* As check_sums(); it is the device that makes them. */
static void check_sums_there(const struct functions *x, const struct pcf_rows *rows) {
  long uploaded = fake_cuda.uploaded;
  check_sums(x, rows);
  CHECK(fake_cuda.uploaded > uploaded);
}

/* All in one row, one in each, some in none, and all in several rows. */
static void check_all_rows(const struct functions *x, struct pcf_rows rows,
                           void check(const struct functions *, const struct pcf_rows *)) {
  enum { ENTRIES = 2 * COUNT };
  const int64_t starts[][5] = {{0, COUNT}, {0, 3, 3, COUNT - 2, COUNT}, {0, COUNT, ENTRIES}};
  const int64_t counts[] = {1, 4, 2};
  int64_t function[ENTRIES], each[COUNT + 1];
  for (int e = 0; e < ENTRIES; e++) function[e] = (e * 5 + 1) % COUNT;
  for (int i = 0; i <= COUNT; i++) each[i] = i;
  rows.function = function;
  for (int k = 0; k < 3; k++) {
    rows.count = counts[k];
    rows.starts = starts[k];
    check(x, &rows);
  }
  rows.count = COUNT;
  rows.starts = each;
  check(x, &rows);
}

/* Sums and means with weights and without, of all or of what is observed. */
static void check_rows(struct random *random, const struct functions *x, int missing,
                       int there) {
  double weight[2 * COUNT], divisor[COUNT];
  for (int i = 0; i < COUNT; i++) divisor[i] = 1 + random_uniform(random);
  for (int kind = 0; kind < 12; kind += missing ? 1 : 2) {
    struct pcf_rows rows = {.missing = missing, .observed_only = kind % 2};
    int negative = kind / 4 == 2;
    for (int e = 0; e < 2 * COUNT; e++) {
      weight[e] = negative ? random_normal(random) : 0.01 + random_uniform(random);
    }
    if (kind / 4) rows.weight = weight;
    if (kind / 2 % 2) rows.divisor = divisor;
    int of_observed = missing && rows.observed_only && rows.divisor;
    int is_there = there && !(of_observed && negative);
    check_all_rows(x, rows, is_there ? check_sums_there : check_sums);
  }
}

TEST(cuda_functions_are_summed_as_on_the_host) {
  reset();
  for (int kind = 0; kind < 3; kind++) {
    struct functions *x = kind ? short_collection(&random, kind) : collection(&random, kind);
    if (kind != 1) check_rows(&random, x, kind > 0, kind < 2);
    if (kind == 0) x = short_collection(&random, kind);
    CHECK(!make_resident(x, 1, NULL));
    check_rows(&random, x, kind > 0, kind < 2);
    drop_resident(x);
  }
  int64_t ones[COUNT];
  for (int i = 0; i < COUNT; i++) ones[i] = 1 + i % 2;
  struct functions *y = functions_of_lengths(&random, UNBOUNDED, COUNT, ones);
  for (int i = 0; i < COUNT; i++) {
    times_of(y, i)[0] = 7 - 7 * (i % 2);
    times_of(y, i)[ones[i] - 1] = 7;
  }
  check_rows(&random, y, 0, 1);
  forget_values(&random, y, 0.5);
  check_rows(&random, y, 1, 1);
}

/* Also of lines whose times are all the same, and of a few that are far from 0. */
TEST(cuda_functions_that_are_lines_are_summed_as_on_the_host) {
  reset();
  for (int kind = 0; kind < 3; kind++) {
    struct functions *x = as_lines(&random, short_collection(&random, kind));
    check_rows(&random, x, kind > 0, 0);
    if (kind > 0) continue;
    CHECK(!make_resident(x, 1, NULL));
    check_rows(&random, x, 0, 0);
    drop_resident(x);
  }
  int64_t threes[COUNT];
  for (int i = 0; i < COUNT; i++) threes[i] = 3;
  for (int offset = 0; offset <= 1000; offset += 1000) {
    struct functions *y = functions_of_lengths(&random, UNBOUNDED, COUNT, threes);
    for (int i = 0; i < COUNT; i++) {
      for (int k = 0; k < 3; k++) {
        times_of(y, i)[k] = offset + k / 7.0;
        values_of(y, i)[k] = 1 + random_uniform(&random);
      }
    }
    check_rows(&random, as_lines(&random, y), 0, 1);
    for (int i = 1; i < COUNT; i += 2) { /* sums that may be 0 are left to the host */
      for (int k = 0; k < 9; k++) y->function[i][k] = y->function[i - 1][k] * (k < 3 ? 1 : -1);
    }
    check_rows(&random, y, 0, 0);
  }
}

/* ---- Extrema ---- */

static void check_extrema(const struct functions *x, const struct pcf_rows *rows) {
  for (int k = 0; k < 2; k++) {
    enum pcf_extremum extremum = k ? PCF_MINIMUM : PCF_MAXIMUM;
    struct pcf_curves want, got;
    long uploaded = fake_cuda.uploaded;
    CHECK(!pcf_extrema(&x->view, rows, extremum, 2, NULL, &want, NULL));
    CHECK(!extrema_there(x, rows, extremum, NULL, &got, NULL));
    CHECK(fake_cuda.uploaded > uploaded);
    CHECK(same_curves(&want, &got));
    pcf_curves_free(&want);
    pcf_curves_free(&got);
  }
}

TEST(cuda_functions_have_the_extrema_of_the_host) {
  reset();
  for (int kind = 0; kind < 3; kind++) {
    struct functions *x = collection(&random, kind);
    for (int observed_only = 0; observed_only < 2; observed_only++) {
      struct pcf_rows rows = {.missing = kind > 0, .observed_only = observed_only};
      check_all_rows(x, rows, check_extrema);
    }
  }
}

/* ---- Functions that were made there ---- */

enum { MADE = 5 };
static const int64_t made_lengths[MADE] = {0, 1300000, 1, 0, 2100000};

/* Numbers that tell their place. */
static void make_curves(struct pcf_curves *curves) {
  struct pcf_cuda_session *session;
  struct pcf_cuda_made made = {.count = MADE};
  int64_t total = 0;
  enum pcf_status status = PCF_OK;
  made.starts = pcf_allocate(MADE + 1, sizeof *made.starts, NULL);
  for (int i = 0; i < MADE; i++) made.starts[i] = total, total += made_lengths[i];
  made.starts[MADE] = total;
  REQUIRE(!pcf_cuda_session_open(&session, 0, &one_gpu, NULL, NULL));
  size_t bytes = 2 * (size_t)total * sizeof(double);
  double *number = pcf_cuda_allocate(&session->memory, bytes, &status, NULL);
  REQUIRE(!status && number);
  for (int64_t k = 0; k < 2 * total; k++) number[k] = (double)k;
  made.time = number;
  made.value = number + total;
  REQUIRE(!pcf_cuda_leave_curves(session, &made, curves, NULL));
}

TEST(cuda_functions_made_there_come_back) {
  struct pcf_curves curves;
  reset();
  make_curves(&curves);
  CHECK(curves.count == MADE);
  double **column = columns_of(&curves);
  int64_t total = made_lengths[1] + made_lengths[2] + made_lengths[4], at = 0, wrong = 0;
  for (int i = 0; i < MADE; i++) {
    int64_t m = made_lengths[i];
    CHECK(curves.breakpoints[i] == (m ? m : 1));
    for (int64_t k = 0; k < m; k++) wrong += column[i][k] != (double)(at + k);
    for (int64_t k = 0; k < m; k++) wrong += column[i][m + k] != (double)(total + at + k);
    wrong += m == 0 && (column[i][0] != 0 || column[i][1] != 0);
    at += m;
  }
  CHECK(wrong == 0);
  pcf_curves_free(&curves);
  make_curves(&curves);
  pcf_curves_free(&curves);
}

/* The thread that frees them may be at work on another device. */
TEST(cuda_functions_made_there_leave_a_thread_its_device) {
  struct pcf_curves curves;
  int device;
  reset();
  make_curves(&curves);
  cudaSetDevice(1);
  pcf_curves_free(&curves);
  CHECK(!cudaGetDevice(&device) && device == 1);
  cudaSetDevice(0);
}

/* ---- Where ---- */

/* Does the choice fall on the device for two functions of so many breakpoints in all? */
static int chosen(enum pcf_single_operation operation, int64_t breakpoints, int threads) {
  int64_t offsets[] = {0, 1, breakpoints};
  struct pcf_collection x = {.count = 2, .offsets = offsets};
  struct pcf_single single = {operation, NULL, .choice = 1,
                              .settings = {.threads = threads, .gpus = 1}};
  pcf_single_choose(&single, &x, (double)breakpoints);
  return single.on_gpu;
}

/* What that takes is part of the first choice alone. */
static void start_cuda(void) {
  chosen(PCF_FUNCTION_SUMS, 1000000000, 1);
}

TEST(cuda_functions_are_computed_where_it_is_faster) {
  reset();
  start_cuda();
  CHECK(chosen(PCF_FUNCTION_SUMS, 10000000, 1));
  CHECK(chosen(PCF_FUNCTION_SUMS, 50000000, 16));
  CHECK(!chosen(PCF_FUNCTION_SUMS, 100000, 1));
  CHECK(!chosen(PCF_NORMS, 50000000, 16));
  CHECK(chosen(PCF_POWER_NORMS, 50000000, 2));
}

/* Of so many breakpoints as are made believe, norms take less time there, and the upload more.
 */
TEST(cuda_functions_that_stay_need_no_upload) {
  reset();
  start_cuda();
  struct functions *x = collection(&random, 0);
  int64_t offsets[COUNT + 1] = {0};
  for (int i = 1; i <= COUNT; i++) offsets[i] = 10000000 * (int64_t)i;
  CHECK(!make_resident(x, 1, NULL));
  struct pcf_collection large = x->view;
  struct pcf_single single = {PCF_NORMS, NULL, .choice = 1,
                              .settings = {.threads = 16, .gpus = 1}};
  large.offsets = offsets;
  pcf_single_choose(&single, &large, 1.6e8);
  CHECK(single.on_gpu);
  drop_resident(x);
  large.known = NULL;
  pcf_single_choose(&single, &large, 1.6e8);
  CHECK(!single.on_gpu);
}

/* Where the device was chosen, the CPU takes over; where it was asked for, that is an error. */
TEST(cuda_functions_fall_back_to_the_host) {
  double want[COUNT], got[COUNT];
  reset();
  struct functions *x = collection(&random, 1);
  struct pcf_norms_call call = {.x = &x->view, .measuring = {PCF_NORM_L1, 1, 0, 50}};
  struct pcf_single single = {PCF_NORMS, &call, .choice = 1, .settings = one_gpu};
  call.result = want;
  long allocations = fake_cuda.allocations;
  CHECK(!pcf_single_run(&single, NULL, NULL) && call.missing);
  CHECK(fake_cuda.allocations == allocations);
  for (int which = 0; which < 2; which++) {
    struct pcf_error error = {0};
    enum pcf_status lacks = which ? PCF_ERROR_DEVICE : PCF_ERROR_DEVICE_MEMORY;
    reset();
    if (which) fake_cuda.fail_at = 1, fake_cuda.failure = cudaErrorUnknown;
    else pcf_cuda_provocation.memory = 1000;
    single.on_gpu = single.choice = 1;
    call.result = got;
    CHECK(!pcf_single_run(&single, NULL, &error) && error.message[0] == '\0');
    CHECK(memcmp(got, want, sizeof got) == 0);
    fake_cuda.calls = 0;
    single.choice = 0;
    CHECK(pcf_single_run(&single, NULL, &error) == lacks && strlen(error.message) > 0);
    pcf_cuda_provocation.memory = 0;
  }
}

/* What is known of functions when they have been looked through, and the first that is wrong.
 */
TEST(cuda_functions_are_checked_as_on_the_host) {
  double time = 1, result[COUNT];
  for (int there = 0; there < 2; there++) {
    reset();
    struct functions *x = collection(&random, 1);
    struct pcf_norms_call norms = {
      .x = &x->view, .measuring = {PCF_NORM_L1, 1, 0, 50}, .result = result};
    struct pcf_values_call values = {
      .x = &x->view, .at = {.count = 1, .time = &time}, .result = result};
    struct pcf_single single = {PCF_NORMS, &norms, .on_gpu = there, .settings = one_gpu};
    CHECK(!pcf_single_run(&single, NULL, NULL) && norms.missing);
    times_of(x, 4)[3] = times_of(x, 4)[2];
    CHECK(pcf_single_run(&single, NULL, NULL) == PCF_ERROR_ARGUMENT);
    CHECK(norms.fault.problem == PCF_TIME_REPEATED && norms.fault.function == 4);
    single.operation = PCF_FUNCTION_VALUES;
    single.call = &values;
    CHECK(pcf_single_run(&single, NULL, NULL) == PCF_ERROR_ARGUMENT);
    CHECK(values.fault.problem == PCF_TIME_REPEATED && values.fault.function == 4);
  }
}

TEST(cuda_numbers_come_back_without_other_threads) {
  struct pcf_cuda_session *session;
  enum pcf_status status = PCF_OK;
  const double seven = 7;
  double number = 0;
  reset();
  REQUIRE(!pcf_cuda_session_open(&session, 0, &one_gpu, NULL, NULL));
  void *there = pcf_cuda_session_send(session, &seven, sizeof seven, &status, NULL);
  CHECK(there && !pcf_cuda_arrive(&session->uplink, status, NULL));
  pcf_memory_fail_at(1);
  CHECK(!pcf_cuda_bring_back(&session->uplink, &number, there, sizeof seven, NULL));
  pcf_memory_fail_at(0);
  pcf_cuda_session_close(session);
  CHECK(number == 7);
}

/* ---- Failures ---- */

typedef enum pcf_status device_call(const struct functions *x, const atomic_int *stop,
                                    double *result, struct pcf_error *error);

static enum pcf_status call_norms(const struct functions *x, const atomic_int *stop,
                                  double *result, struct pcf_error *error) {
  struct pcf_measuring measuring = {PCF_NORM_L1, 1, 0, 50};
  return measure_there(x, &measuring, stop, result, error);
}

static enum pcf_status call_values(const struct functions *x, const atomic_int *stop,
                                   double *result, struct pcf_error *error) {
  double time = 7;
  struct pcf_times_at at = {1, &time, NULL, 0};
  return evaluate_there(x, &at, stop, result, error);
}

/* How many points there are, and the last ones. */
static enum pcf_status sum_halves(const struct functions *x, struct pcf_rows rows,
                                  const atomic_int *stop, double *result,
                                  struct pcf_error *error) {
  enum { LAST = 7 };
  int64_t starts[] = {0, COUNT / 2, COUNT}, function[COUNT];
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct pcf_curves curves;
  double *columns[2] = {NULL};
  rows.count = 2;
  rows.starts = starts;
  rows.function = function;
  for (int i = 0; i < COUNT; i++) function[i] = COUNT - 1 - i, result[i] = 0;
  for (int i = 0; i < COUNT; i++) {
    pcf_widen_range(&range, values_of(x, i), pcf_breakpoints(&x->view, i));
  }
  enum pcf_status status = sum_there(x, &rows, &range, stop, &curves, error);
  for (int r = 0; r < 2 && !status; r++) {
    columns[r] = zeroed(2 * curves.breakpoints[r], sizeof *columns[r]);
  }
  if (!status) status = pcf_curves_write(&curves, columns, 1, stop, error);
  for (int r = 0; r < 2 && !status; r++) {
    int64_t count = curves.breakpoints[r];
    result[r * (LAST + 1)] = (double)count;
    for (int k = 0; k < LAST; k++) {
      result[r * (LAST + 1) + 1 + k] = columns[r][2 * count - LAST + k];
    }
  }
  pcf_curves_free(&curves);
  return status;
}

static enum pcf_status call_sums(const struct functions *x, const atomic_int *stop,
                                 double *result, struct pcf_error *error) {
  return sum_halves(x, (struct pcf_rows){0}, stop, result, error);
}

/* Weighted means of what is observed; the device does not care that all of it is. */
static enum pcf_status call_means(const struct functions *x, const atomic_int *stop,
                                  double *result, struct pcf_error *error) {
  double weight[COUNT], divisor[2] = {1, 1};
  for (int i = 0; i < COUNT; i++) weight[i] = 1 + i;
  struct pcf_rows rows = {
    .weight = weight, .divisor = divisor, .missing = 1, .observed_only = 1};
  return sum_halves(x, rows, stop, result, error);
}

/* Of each function that was made the sum of its numbers. */
static enum pcf_status sum_curves(struct pcf_curves *curves, const atomic_int *stop,
                                  double *result, struct pcf_error *error) {
  struct functions *made = functions_new(curves->count, curves->breakpoints);
  enum pcf_status status = pcf_curves_write(curves, made->function, 1, stop, error);
  for (int64_t i = 0; i < curves->count && !status; i++) {
    result[i] = 0;
    for (int64_t k = 0; k < 2 * curves->breakpoints[i]; k++) result[i] += made->function[i][k];
  }
  pcf_curves_free(curves);
  return status;
}

static enum pcf_status call_extrema(const struct functions *x, const atomic_int *stop,
                                    double *result, struct pcf_error *error) {
  int64_t starts[] = {0, COUNT}, function[COUNT];
  struct pcf_rows rows = {.count = 1, .starts = starts, .function = function};
  struct pcf_curves curves;
  for (int i = 0; i < COUNT; i++) function[i] = i, result[i] = 0;
  enum pcf_status status = extrema_there(x, &rows, PCF_MAXIMUM, stop, &curves, error);
  return status ? status : sum_curves(&curves, stop, result, error);
}

static device_call *const calls[] = {call_norms, call_values, call_sums, call_means,
                                     call_extrema};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* Every step fails once: an error, what stayed stays, and nothing else is held. */
static void check_failures(device_call *call, struct functions *x) {
  struct pcf_error error;
  double want[COUNT], got[COUNT];
  CHECK(!call(x, NULL, want, NULL));
  pcf_cuda_release();
  long held = fake_cuda_held(), steps = 0;
  for (long step = 1; !steps; step++) {
    fake_cuda.calls = 0;
    fake_cuda.failure = step % 2 ? cudaErrorMemoryAllocation : cudaErrorUnknown;
    fake_cuda.fail_at = step;
    enum pcf_status status = call(x, NULL, got, &error);
    if (fake_cuda.calls < step) steps = step;
    else if (status) CHECK(strlen(error.message) > 0);
    if (!status) CHECK(memcmp(got, want, sizeof got) == 0);
    fake_cuda.fail_at = 0;
    pcf_cuda_release();
    CHECK(fake_cuda_held() == held);
  }
  CHECK(steps > 5);
}

TEST(cuda_functions_survive_failures) {
  for (int c = 0; c < CALLS; c++) {
    reset();
    struct functions *x = short_collection(&random, 0);
    check_failures(calls[c], x);
    CHECK(!make_resident(x, 1, NULL));
    check_failures(calls[c], x);
    drop_resident(x);
    CHECK(fake_cuda_held() == 0);
  }
}

TEST(cuda_functions_obey_limits_and_interrupts) {
  struct pcf_error error;
  atomic_int asked = 1;
  double result[COUNT];
  for (int c = 0; c < CALLS; c++) {
    reset();
    struct functions *x = collection(&random, 0);
    CHECK(calls[c](x, &asked, result, &error) == PCF_ERROR_INTERRUPTED);
    pcf_cuda_provocation.memory = 1000;
    CHECK(calls[c](x, NULL, result, &error) == PCF_ERROR_DEVICE_MEMORY);
    pcf_cuda_provocation.memory = 0;
    CHECK(!calls[c](x, NULL, result, NULL));
    pcf_cuda_release();
    CHECK(fake_cuda_held() == 0);
  }
}
