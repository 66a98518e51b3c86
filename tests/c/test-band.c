#include "check.h"
#include "collections.h"

#include "base/memory.h"
#include "kernels/band.h"

#include <math.h>
#include <stdlib.h>

struct event {
  double time, value;
  int function;
};

static int by_time(const void *a, const void *b) {
  const struct event *first = a, *second = b;
  if (first->time != second->time) return first->time < second->time ? -1 : 1;
  return first->function - second->function;
}

/* Volatile: gcc 12 loses the rounding of two of these where it vectorizes them. */
static double rounded(double x, enum pcf_precision precision) {
  volatile float single = (float)x;
  return precision == PCF_DOUBLE ? x : (double)single;
}

/* The events in the order of time, by sorting; of equal times of a function the last stays. */
static int64_t expected_events(const struct pcf_collection *x,
                               const struct pcf_integral *integral, int64_t first, int count,
                               struct event *event) {
  int64_t events = 0;
  for (int lane = 0; lane < count; lane++) {
    const double *time = pcf_times(x, first + lane), *value = pcf_values(x, first + lane);
    int64_t begin = events;
    for (int64_t k = 0; k < pcf_breakpoints(x, first + lane); k++) {
      double t = ldexp(time[k] - integral->origin, -integral->time_exponent);
      if (t <= integral->from || t >= integral->to) continue;
      struct event now = {
        rounded(t, integral->precision),
        rounded(ldexp(value[k], -pcf_view_of(x, first + lane, integral).value_exponent),
                integral->precision),
        lane};
      if (events > begin && event[events - 1].time == now.time) events--;
      event[events++] = now;
    }
  }
  qsort(event, (size_t)events, sizeof *event, by_time);
  return events;
}

/* The scaled value of a function at the start of the window. */
static double expected_initial(const struct pcf_collection *x,
                               const struct pcf_integral *integral, int64_t i) {
  double initial = 0;
  for (int64_t k = 0; k < pcf_breakpoints(x, i); k++) {
    double time = pcf_times(x, i)[k] - integral->origin;
    if (ldexp(time, -integral->time_exponent) <= integral->from) initial = pcf_values(x, i)[k];
  }
  return ldexp(initial, -pcf_view_of(x, i, integral).value_exponent);
}

static void check_band(const struct pcf_collection *x, const struct pcf_integral *integral,
                       int64_t first, int count, int width, struct pcf_band_scratch *scratch) {
  int64_t most = x->offsets[first + count] - x->offsets[first], wrong = 0;
  struct event *event = kept(malloc((size_t)(most + 1) * sizeof *event));
  int64_t events = expected_events(x, integral, first, count, event);
  enum pcf_precision precision = integral->precision;
  struct pcf_band band;
  REQUIRE(!pcf_band_build(&band, x, integral, first, count, width, scratch, NULL));
  CHECK(band.first == first && band.count == count);
  REQUIRE(band.events == events);
  for (int64_t e = 0; e < events; e++) {
    wrong += scalar_at(band.time, e, precision) != event[e].time;
    wrong += scalar_at(band.value, e, precision) != event[e].value;
    wrong += band.function[e] != event[e].function;
    wrong +=
      scalar_at(band.time, e, precision) == 0 && signbit(scalar_at(band.time, e, precision));
  }
  CHECK(wrong == 0);
  CHECK(scalar_at(band.time, events, precision) == INFINITY);
  for (int lane = 0; lane < width; lane++) {
    double initial = 0;
    if (lane < count) {
      initial = rounded(expected_initial(x, integral, first + lane), precision);
    }
    CHECK(scalar_at(band.initial, lane, precision) == initial);
  }
  CHECK((uintptr_t)band.time % PCF_ALIGNMENT == 0);
  CHECK((uintptr_t)band.initial % PCF_ALIGNMENT == 0);
  pcf_band_free(&band);
  CHECK(band.memory == NULL);
}

TEST(band_merges_all_events) {
  static const double windows[][2] = {{-INFINITY, INFINITY}, {0, INFINITY}, {-INFINITY, 0.7},
                                      {-0.3, 1.2},           {1, 4},        {500, 501}};
  struct pcf_band_scratch scratch = {0};
  for (int shape = PAPER; shape <= UNBOUNDED; shape++) {
    struct functions *x = functions_random(&random, shape, 300, 1, 40);
    for (int w = 0; w < 6; w++) {
      for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
        struct pcf_integral integral =
          l1_within(windows[w][0], windows[w][1], precision, x, NULL);
        int counts[] = {1, 2, 3, 5, 31, 32, 33, 64, 100, 256};
        for (int k = 0; k < (check_quick() ? 5 : 10); k++) {
          int width = counts[k] <= 32 ? 32 : 256;
          int64_t first = random_between(&random, 0, 300 - counts[k]);
          check_band(&x->view, &integral, first, counts[k], width, &scratch);
        }
      }
    }
  }
  pcf_band_scratch_free(&scratch);
  CHECK(scratch.memory == NULL && scratch.capacity == 0);
}

/* Of the values inside the window and the one at its start; a time is 2^-400. */
TEST(band_tells_magnitudes) {
  const double *literal[] = {(double[]){0, 1, 3, 0}, (double[]){0, 1, 2, 0x1p-140, 3, 0},
                             (double[]){0x1p-400, 1, -2, 0},
                             (double[]){0, 0.5, 2, 0, -0.75, 0}};
  static const struct pcf_magnitude expected[2][4] = {
    {{2, 1}, {2, -140}, {2, -10000}, {0, -1}},
    {{-1000, 10000}, {2, 1}, {-1000, 10000}, {0, -1}},
  };
  struct functions *x = functions_of(4, (int64_t[]){2, 3, 2, 3}, literal);
  SCOPED(pcf_band_scratch) scratch = {0};
  for (int w = 0; w < 2; w++) {
    struct pcf_range range = {.last = 3, .value = 2, .least = 0x1p-140};
    struct pcf_integral integral =
      pcf_integral(PCF_LP, 5.5, w ? 1 : -INFINITY, INFINITY, PCF_DOUBLE, &range);
    SCOPED(pcf_band) band;
    REQUIRE(!pcf_band_build(&band, &x->view, &integral, 0, 4, 32, &scratch, NULL));
    for (int lane = 0; lane < 32; lane++) {
      struct pcf_magnitude of = lane < 4 ? expected[w][lane] : PCF_NO_MAGNITUDE;
      CHECK(band.magnitude[lane].top == of.top && band.magnitude[lane].least == of.least);
    }
    CHECK(band.largest.top == 2 && band.largest.least == (w ? -1 : -10000));
    CHECK(pcf_in_power_range(&integral, band.largest) == w);
    CHECK(pcf_in_power_range(&integral, band.magnitude[0]));
    CHECK(pcf_in_power_range(&integral, band.magnitude[1]) == w);
  }
}

/* Two zeros are one time. */
TEST(band_holds_negative_zero_for_zero) {
  const double *literal[] = {(double[]){-0.0, 1, 1, 0}, (double[]){0.0, 1, 2, 0},
                             (double[]){-1, -0.0, 3, 0}};
  struct functions *x = functions_of(3, (int64_t[]){2, 2, 2}, literal);
  SCOPED(pcf_band_scratch) scratch = {0};
  SCOPED(pcf_band) band;
  struct pcf_integral integral = l1_within(-INFINITY, INFINITY, PCF_DOUBLE, x, NULL);
  check_band(&x->view, &integral, 0, 3, 32, &scratch);
  REQUIRE(!pcf_band_build(&band, &x->view, &integral, 0, 3, 32, &scratch, NULL));
  const int order[] = {2, 0, 1, 2, 0, 1};
  for (int e = 0; e < 6; e++) CHECK(band.function[e] == order[e]);
}

/* Times that differ in double only: the last value counts. */
TEST(band_joins_times_that_single_precision_cannot_tell_apart) {
  double e = 1e-12;
  const double *literal[] = {(double[]){0, 0.5, 0.5 + e, 0.5 + 2 * e, 1, 1, 2, 3, 4, 0},
                             (double[]){0.5 - e, 0.5, 1, 7, 8, 0}};
  struct functions *x = functions_of(2, (int64_t[]){5, 3}, literal);
  SCOPED(pcf_band_scratch) scratch = {0};
  struct pcf_band band;
  struct pcf_integral integral = l1_within(-INFINITY, INFINITY, PCF_SINGLE_PRECISION, x, NULL);
  check_band(&x->view, &integral, 0, 2, 32, &scratch);
  REQUIRE(!pcf_band_build(&band, &x->view, &integral, 0, 2, 32, &scratch, NULL));
  REQUIRE(band.events == 5);
  CHECK(band.function[1] == 0 && band.function[2] == 1);
  CHECK(ldexp(scalar_at(band.value, 1, PCF_SINGLE_PRECISION), integral.value_exponent) == 4);
  CHECK(ldexp(scalar_at(band.value, 2, PCF_SINGLE_PRECISION), integral.value_exponent) == 8);
  CHECK(scalar_at(band.time, 1, PCF_SINGLE_PRECISION) ==
        scalar_at(band.time, 2, PCF_SINGLE_PRECISION));
  pcf_band_free(&band);
  integral = l1_within(-INFINITY, INFINITY, PCF_DOUBLE, x, NULL);
  REQUIRE(!pcf_band_build(&band, &x->view, &integral, 0, 2, 32, &scratch, NULL));
  CHECK(band.events == 8);
  pcf_band_free(&band);
}

TEST(band_scales_extreme_times_and_values) {
  const double *literal[] = {(double[]){-1e300, 1e-300, 1e300, 1e-290, 3e-291, 0},
                             (double[]){-1e299, 1e299, 1e-291, 0}};
  struct functions *x = functions_of(2, (int64_t[]){3, 2}, literal);
  SCOPED(pcf_band_scratch) scratch = {0};
  for (int precision = PCF_DOUBLE; precision <= PCF_SINGLE_PRECISION; precision++) {
    struct pcf_integral integral = l1_within(-INFINITY, INFINITY, precision, x, NULL);
    check_band(&x->view, &integral, 0, 2, 32, &scratch);
  }
}

TEST(band_without_memory_fails) {
  struct functions *x = functions_random(&random, PAPER, 3, 4, 9);
  struct pcf_integral integral = l1_within(-INFINITY, INFINITY, PCF_DOUBLE, x, NULL);
  for (long k = 1; k <= 2; k++) {
    SCOPED(pcf_band_scratch) scratch = {0};
    struct pcf_error error = {0};
    struct pcf_band band;
    pcf_memory_fail_at(k);
    CHECK(pcf_band_build(&band, &x->view, &integral, 0, 3, 32, &scratch, &error) ==
          PCF_ERROR_MEMORY);
    CHECK(error.message[0] != 0);
    pcf_memory_fail_at(0);
    pcf_band_free(&band);
    check_band(&x->view, &integral, 0, 3, 32, &scratch);
  }
}
