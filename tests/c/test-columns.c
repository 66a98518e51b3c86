/* Columns of all functions as one vector, and back. */
#include "check.h"
#include "ragged.h"

#include "base/memory.h"
#include "collections/columns.h"

#include <math.h>

/* Lengths about those of the stretches that threads take. */
static const int64_t lengths[] = {1, 65535, 65536, 65537, 3, 200000, 1, 1};
enum { COUNT = sizeof lengths / sizeof lengths[0] };

static struct functions *long_functions(void) {
  struct random random = {50};
  return functions_of_lengths(&random, INTEGER_TIMES, COUNT, lengths);
}

static struct pcf_place fault_of(const struct functions *x, struct functions *y,
                                 enum pcf_column which, const double *column) {
  struct pcf_place fault;
  CHECK(pcf_replace_column(&x->view, which, column, y->function, 3, &never_stop, &fault,
                           NULL) == PCF_OK);
  return fault;
}

TEST(columns_name_the_first_fault) {
  struct functions *x = long_functions(), *y = functions_new(COUNT, lengths);
  double *column = zeroed(pcf_total_breakpoints(&x->view), sizeof *column);
  CHECK(pcf_gather_column(&x->view, PCF_TIMES, column, 2, &never_stop, NULL) == PCF_OK);
  const double wrong[] = {NAN, INFINITY, -INFINITY};
  for (int w = 0; w < 3; w++) {
    for (int64_t position = 1; position < lengths[5]; position = 3 * position + 65535) {
      double *at = &column[x->offsets[5] + position], own = *at;
      column[x->offsets[6]] = NAN; /* a later one */
      *at = wrong[w];
      struct pcf_place fault = fault_of(x, y, PCF_TIMES, column);
      CHECK(fault.item == 5 && fault.position == position);
      fault = fault_of(x, y, PCF_VALUES, column);
      CHECK(fault.item == 5 && fault.position == position);
      *at = at[-1]; /* repeated times are wrong, repeated values are not */
      fault = fault_of(x, y, PCF_TIMES, column);
      CHECK(fault.item == 5 && fault.position == position);
      fault = fault_of(x, y, PCF_VALUES, column);
      CHECK(fault.item == 6 && fault.position == 0);
      *at = own;
    }
  }
}

TEST(columns_with_gaps_go_out_and_back) {
  struct functions *x = long_functions(), *y = functions_new(COUNT, lengths);
  forget_values(&random, x, 0.3);
  times_of(x, 5)[0] = -INFINITY;
  double *column = zeroed(pcf_total_breakpoints(&x->view), sizeof *column);
  for (int which = 0; which < 2; which++) {
    enum pcf_column name = which ? PCF_VALUES : PCF_TIMES;
    CHECK(pcf_gather_column(&x->view, name, column, 3, &never_stop, NULL) == PCF_OK);
    CHECK(fault_of(x, y, name, column).item == -1);
    for (int i = 0; i < COUNT; i++) CHECK(same_function(x, y, i));
  }
  column[x->offsets[5] + 70000] = NAN; /* of values, another NaN */
  CHECK(fault_of(x, y, PCF_VALUES, column).position == 70000);
  CHECK(pcf_gather_column(&x->view, PCF_TIMES, column, 3, &never_stop, NULL) == PCF_OK);
  column[x->offsets[3]] = -INFINITY; /* x begins at a finite time */
  CHECK(fault_of(x, y, PCF_TIMES, column).item == 3);
}

/* Gathering checks the column itself, replacing the other one. */
TEST(columns_find_functions_that_are_not_sound) {
  struct functions *x = long_functions(), *y = functions_new(COUNT, lengths);
  double *column = zeroed(pcf_total_breakpoints(&x->view), sizeof *column);
  for (int which = 0; which < 2; which++) {
    enum pcf_column name = which ? PCF_VALUES : PCF_TIMES;
    enum pcf_column other = which ? PCF_TIMES : PCF_VALUES;
    for (int64_t k = 0; k < lengths[5]; k += 33333) {
      double *at = which ? &values_of(x, 5)[k] : &times_of(x, 5)[k], own = *at;
      struct pcf_place fault;
      *at = NAN;
      CHECK(pcf_gather_column(&x->view, name, column, 3, &never_stop, NULL) ==
            PCF_ERROR_ARGUMENT);
      CHECK(pcf_gather_column(&x->view, other, column, 3, &never_stop, NULL) == PCF_OK);
      CHECK(pcf_replace_column(&x->view, other, column, y->function, 3, &never_stop, &fault,
                               NULL) == PCF_ERROR_ARGUMENT);
      CHECK(fault.item == -1);
      *at = own;
    }
  }
  times_of(x, 5)[65536 - x->offsets[5] % 65536] =
    times_of(x, 5)[0]; /* where a stretch begins */
  CHECK(pcf_gather_column(&x->view, PCF_TIMES, column, 3, &never_stop, NULL) ==
        PCF_ERROR_ARGUMENT);
}

TEST(columns_of_nothing_and_without_memory) {
  struct functions *none = functions_new(0, NULL);
  struct pcf_place fault;
  CHECK(pcf_gather_column(&none->view, PCF_TIMES, NULL, 2, &never_stop, NULL) == PCF_OK);
  CHECK(pcf_replace_column(&none->view, PCF_TIMES, NULL, none->function, 2, &never_stop, &fault,
                           NULL) == PCF_OK);
  pcf_memory_fail_at(1);
  CHECK(pcf_gather_column(&none->view, PCF_TIMES, NULL, 2, &never_stop, NULL) ==
        PCF_ERROR_MEMORY);
  pcf_memory_fail_at(1);
  CHECK(pcf_replace_column(&none->view, PCF_TIMES, NULL, none->function, 2, &never_stop, &fault,
                           NULL) == PCF_ERROR_MEMORY);
}

TEST(first_infinite_of_any_place) {
  enum { N = 600 };
  double number[N];
  for (int64_t n = 0; n < N; n++) number[n] = n % 2 ? 1.7976931348623157e308 : -(double)n;
  for (int64_t n = 0; n <= N; n += 50) CHECK(pcf_first_infinite(number, n) == n);
  for (int64_t n = N - 1; n >= 0; n--) {
    number[n] = n % 3 ? NAN : -INFINITY;
    CHECK(pcf_first_infinite(number, N) == n);
  }
}
