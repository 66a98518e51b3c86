/* Canonical forms and windows on a device, over a fake of CUDA or over kernels that run on the
 * processor: the results are the host's, to the last bit, however uneven the functions are. */
#include "check.h"
#include "fake-cuda.h"
#include "ragged.h"

#include "cuda/info.h"
#include "cuda/restrict.h"
#include "cuda/simplify.h"
#include "cuda/stay.h"
#include "functions/parts.h"

#include <math.h>
#include <stdlib.h>

static const struct pcf_settings one_gpu = {.threads = 3, .gpus = 1};

/* ---- Collections ---- */

/* One long function among many of 1 to 3 breakpoints. */
enum { COUNT = 3000, LONG = 1234, LENGTH = 9000 };

/* Times and values of which many are equal, negative zeros among them. */
static struct functions *collection(struct random *random, bool gaps) {
  static int64_t lengths[COUNT];
  for (int i = 0; i < COUNT; i++) lengths[i] = i == LONG ? LENGTH : 1 + i % 3;
  struct functions *x = functions_of_lengths(random, INTEGER_TIMES, COUNT, lengths);
  for (int i = 0; i < COUNT; i++) {
    for (int64_t k = 0; k < lengths[i]; k++) {
      double value = (double)random_between(random, -1, 1);
      values_of(x, i)[k] = value == 0 && k % 2 ? -0.0 : value;
      if (times_of(x, i)[k] == 0) times_of(x, i)[k] = -0.0;
    }
    if (i % 7 == 3) times_of(x, i)[0] = -INFINITY;
  }
  for (int64_t k = 1000; k < 6000; k++) values_of(x, LONG)[k] = 1;
  if (gaps) forget_values(random, x, 0.4);
  for (int64_t k = 1; k < LENGTH && gaps; k += 2) {
    if (pcf_is_missing(values_of(x, LONG)[k])) values_of(x, LONG)[k] = pcf_missing_number();
  }
  return x;
}

/* ---- Comparing ---- */

/* Are the functions that were made there those of the host? Frees both. */
static bool equal(struct pcf_curves *curves, struct functions *want) {
  struct functions *got = functions_new(curves->count, curves->breakpoints);
  CHECK(!pcf_curves_write(curves, got->function, 1, NULL, NULL));
  bool same = curves->count == want->view.count;
  for (int64_t i = 0; i < curves->count && same; i++) same = same_function(got, want, i);
  functions_free(got);
  functions_free(want);
  pcf_curves_free(curves);
  return same;
}

/* Each returns how many calls it made. */
typedef long check_calls(const struct functions *x);

static long check_simplified(const struct functions *x) {
  enum pcf_status status;
  struct pcf_curves curves;
  struct functions *want = simplified(x, 1, &status);
  CHECK(!pcf_cuda_simplify(&x->view, &one_gpu, NULL, &curves, NULL));
  CHECK(equal(&curves, want));
  return 1;
}

static long check_restricted(const struct functions *x) {
  static const double cuts[] = {-INFINITY, -2e9, -3, 0, 0.5, 2, 1000.5, 7000, 1e9, INFINITY};
  enum { CUTS = sizeof cuts / sizeof cuts[0] };
  enum pcf_status status;
  struct pcf_curves curves;
  long calls = 0;
  for (int a = 0; a < CUTS; a++) {
    for (int b = a + 1; b < CUTS; b += 1 + a % 2, calls++) {
      struct functions *want = restricted(x, cuts[a], cuts[b], 1, &status);
      CHECK(!pcf_cuda_restrict(&x->view, cuts[a], cuts[b], &one_gpu, NULL, &curves, NULL));
      CHECK(equal(&curves, want));
    }
  }
  return calls;
}

/* From the host's memory, and from where they stay: then nothing goes up but offsets. */
static void check(struct functions *x, check_calls *call) {
  struct pcf_known known = {.functions = x->view.functions, .count = x->view.count};
  call(x);
  x->view.known = &known;
  CHECK(!pcf_cuda_stay(&x->view, &one_gpu, NULL, &known.stays, NULL));
  long uploaded = fake_cuda.uploaded;
  long calls = call(x);
  CHECK(fake_cuda.uploaded - uploaded == calls * (COUNT + 1) * (long)sizeof(int64_t));
  pcf_cuda_let_go(known.stays);
  x->view.known = NULL;
}

static void check_all(check_calls *call) {
  struct random random = {51};
  fake_cuda_reset();
  fake_cuda.complete = 1;
  for (int gaps = 0; gaps < 2; gaps++) {
    struct functions *x = collection(&random, gaps);
    check(x, call);
    for (int i = 0; i < COUNT; i++) {
      for (int64_t k = 0; k < pcf_breakpoints(&x->view, i); k++) values_of(x, i)[k] = 0;
    }
    check(x, call);
    functions_free(x);
  }
  const double literal[] = {3, 1.5};
  struct functions *one = functions_of(1, (int64_t[]){1}, (const double *[]){literal});
  call(one);
  functions_free(one);
  struct functions *none = functions_new(0, NULL);
  call(none);
  functions_free(none);
  pcf_cuda_release();
  CHECK(fake_cuda_held() == 0);
}

TEST(cuda_functions_are_simplified_as_on_the_host) {
  check_all(check_simplified);
}

TEST(cuda_functions_are_restricted_as_on_the_host) {
  check_all(check_restricted);
}
