/* Stands in for the CUDA devices in a package that was built without them. */
#include "cuda/backend.h"
#include "cuda/choice.h"
#include "cuda/evaluate.h"
#include "cuda/info.h"
#include "cuda/norms.h"
#include "cuda/ragged.h"
#include "cuda/stay.h"
#include "cuda/sums.h"

#include <string.h>

struct pcf_cuda_provocation pcf_cuda_provocation;

const struct pcf_backend *pcf_cuda_backend(void) {
  return NULL;
}

void pcf_cuda_describe(struct pcf_cuda_info *info, int wanted) {
  (void)wanted;
  memset(info, 0, sizeof *info);
  strcpy(info->problem, "this package was built without CUDA");
}

enum pcf_status pcf_cuda_measure(struct pcf_cuda_info *info, struct pcf_error *error) {
  return pcf_fail(error, PCF_ERROR_DEVICE, "%s", info->problem);
}

int pcf_cuda_is_faster(enum pcf_work work, const struct pcf_collection *x, double units,
                       const struct pcf_settings *settings) {
  (void)work, (void)x, (void)units, (void)settings;
  return 0;
}

static enum pcf_status fail(struct pcf_error *error) {
  struct pcf_cuda_info info;
  return pcf_cuda_require(&info, 0, error);
}

enum pcf_status pcf_cuda_stay(const struct pcf_collection *x,
                              const struct pcf_settings *settings, const atomic_int *stop,
                              int64_t *number, struct pcf_error *error) {
  (void)x, (void)settings, (void)stop;
  *number = 0;
  return fail(error);
}

enum pcf_status pcf_cuda_segment_reduce(enum pcf_reduce reduce, struct pcf_numbers values,
                                        const int64_t *offsets, int64_t count,
                                        const struct pcf_settings *settings,
                                        const atomic_int *stop, double *result,
                                        struct pcf_error *error) {
  (void)reduce, (void)values, (void)offsets, (void)count, (void)settings, (void)stop;
  (void)result;
  return fail(error);
}

enum pcf_status pcf_cuda_sparse_times_vectors(const struct pcf_sparse *matrix,
                                              const double *vector, int64_t count,
                                              const struct pcf_settings *settings,
                                              const atomic_int *stop, double *result,
                                              struct pcf_error *error) {
  (void)matrix, (void)vector, (void)count, (void)settings, (void)stop, (void)result;
  return fail(error);
}

enum pcf_status pcf_cuda_reduce_by_key(enum pcf_reduce reduce, const struct pcf_keys *keys,
                                       struct pcf_numbers values,
                                       const struct pcf_settings *settings,
                                       const atomic_int *stop, int64_t *count,
                                       int64_t **offsets, double **result,
                                       struct pcf_error *error) {
  (void)reduce, (void)keys, (void)values, (void)settings, (void)stop;
  *count = 0;
  *offsets = NULL;
  *result = NULL;
  return fail(error);
}

enum pcf_status pcf_cuda_move(const struct pcf_cuda_intervals *intervals,
                              const struct pcf_settings *settings, const atomic_int *stop,
                              struct pcf_error *error) {
  (void)intervals, (void)settings, (void)stop;
  return fail(error);
}

enum pcf_status pcf_cuda_norms(const struct pcf_collection *x,
                               const struct pcf_measuring *measuring,
                               const struct pcf_settings *settings, const atomic_int *stop,
                               double *result, struct pcf_error *error) {
  (void)x, (void)measuring, (void)settings, (void)stop, (void)result;
  return fail(error);
}

enum pcf_status pcf_cuda_evaluate(const struct pcf_collection *x, const struct pcf_times_at *at,
                                  const struct pcf_settings *settings, const atomic_int *stop,
                                  double *result, struct pcf_error *error) {
  (void)x, (void)at, (void)settings, (void)stop, (void)result;
  return fail(error);
}

enum pcf_status pcf_cuda_sums(const struct pcf_collection *x, const struct pcf_rows *rows,
                              const struct pcf_range *range,
                              const struct pcf_settings *settings, const atomic_int *stop,
                              struct pcf_curves *curves, struct pcf_error *error) {
  (void)x, (void)rows, (void)range, (void)settings, (void)stop;
  *curves = (struct pcf_curves){0};
  return fail(error);
}

enum pcf_status pcf_cuda_extrema(const struct pcf_collection *x, const struct pcf_rows *rows,
                                 enum pcf_extremum extremum,
                                 const struct pcf_settings *settings, const atomic_int *stop,
                                 struct pcf_curves *curves, struct pcf_error *error) {
  (void)x, (void)rows, (void)extremum, (void)settings, (void)stop;
  *curves = (struct pcf_curves){0};
  return fail(error);
}

double pcf_cuda_let_go(int64_t number) {
  (void)number;
  return 0;
}

int pcf_cuda_stays(int64_t number, int gpus) {
  (void)number, (void)gpus;
  return 0;
}

void pcf_cuda_keep(double bytes) {
  (void)bytes;
}

double pcf_cuda_release(void) {
  return 0;
}
