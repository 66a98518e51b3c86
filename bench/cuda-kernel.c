/* Times the CUDA kernels alone, with device events: the sweep of all pairs of n functions in one
 * launch, for every policy, operation and precision, on the paper's workload.
 *
 * usage: cuda-kernel [n [quick]]
 *
 * bench/cuda-kernel.sh builds and runs it. */
#include "cuda/kernels.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA(call)                                                                        \
  do {                                                                                    \
    cudaError_t code_ = (call);                                                           \
    if (code_ != cudaSuccess) {                                                           \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code_));      \
      exit(1);                                                                            \
    }                                                                                     \
  } while (0)

struct data {
  int64_t count, breakpoints, *start;
  double *time, *value;
};

static double uniform(void) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void) {
  return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static struct data make_data(int64_t n) {
  struct data data = {.count = n};
  data.start = calloc((size_t)n + 1, sizeof *data.start);
  for (int64_t i = 0; i < n; i++) data.start[i + 1] = data.start[i] + 10 + (int)(990 * uniform());
  data.breakpoints = data.start[n];
  data.time = malloc((size_t)data.breakpoints * sizeof(double));
  data.value = malloc((size_t)data.breakpoints * sizeof(double));
  for (int64_t i = 0; i < n; i++) {
    double scale = fabs(normal());
    int64_t begin = data.start[i], end = data.start[i + 1];
    for (int64_t k = begin; k < end; k++) {
      data.time[k] = scale * fabs(normal());
      data.value[k] = normal();
    }
    data.time[begin] = 0;
    data.value[end - 1] = 0;
    qsort(data.time + begin, (size_t)(end - begin), sizeof(double), ascending);
  }
  return data;
}

static void *upload(const double *x, int64_t count, enum pcf_precision precision) {
  size_t bytes = (size_t)count * pcf_scalar_size(precision);
  void *device, *host = malloc(bytes);
  for (int64_t k = 0; k < count; k++) {
    if (precision == PCF_DOUBLE) ((double *)host)[k] = x[k];
    else ((float *)host)[k] = (float)x[k];
  }
  CUDA(cudaMalloc(&device, bytes));
  CUDA(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
  free(host);
  return device;
}

static float elapsed(cudaEvent_t begin, cudaEvent_t end) {
  float milliseconds;
  CUDA(cudaEventSynchronize(end));
  CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  return milliseconds;
}

/* The data on the device, and what bands are built with. */
struct uploaded {
  void *time, *value, *start, *scratch;
  size_t scratch_bytes;
};

static struct pcf_cuda_bands make_bands(const struct data *data,
                                        const struct pcf_integral *integral, int side,
                                        struct uploaded *up, float *milliseconds) {
  size_t scalar = pcf_scalar_size(integral->precision);
  size_t count = (size_t)((data->count + side - 1) / side), bytes = 0;
  struct pcf_cuda_bands bands = {.count = data->count, .side = side};
  cudaEvent_t begin, end;
  CUDA(cudaMalloc(&bands.events, (size_t)data->breakpoints * 4 * scalar));
  CUDA(cudaMalloc((void **)&bands.lane, (size_t)data->breakpoints));
  CUDA(cudaMalloc((void **)&bands.start, (count + 1) * sizeof(int64_t)));
  CUDA(cudaMalloc(&bands.initial, count * (size_t)side * scalar));
  CUDA(cudaMemset(bands.initial, 0, count * (size_t)side * scalar));
  CUDA(pcf_cuda_build_bands(&bands, integral, up->time, up->value, up->start,
                            data->breakpoints, 0, NULL, &bytes, 0));
  CUDA(cudaMalloc(&up->scratch, bytes));
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  for (int repeat = 0; repeat < 2; repeat++) {
    CUDA(cudaEventRecord(begin, 0));
    CUDA(pcf_cuda_build_bands(&bands, integral, up->time, up->value, up->start,
                              data->breakpoints, 0, up->scratch, &bytes, 0));
    CUDA(cudaEventRecord(end, 0));
    *milliseconds = elapsed(begin, end);
  }
  cudaFree(up->scratch);
  cudaEventDestroy(begin), cudaEventDestroy(end);
  return bands;
}

static void free_bands(struct pcf_cuda_bands *bands) {
  cudaFree(bands->events), cudaFree(bands->lane);
  cudaFree(bands->start), cudaFree(bands->initial);
}

static void time_policy(const struct data *data, const struct pcf_integral *integral,
                        struct pcf_cuda_policy policy, void *output) {
  struct uploaded up = {.time = upload(data->time, data->breakpoints, integral->precision),
                        .value = upload(data->value, data->breakpoints, integral->precision)};
  CUDA(cudaMalloc(&up.start, (size_t)(data->count + 1) * sizeof(int64_t)));
  CUDA(cudaMemcpy(up.start, data->start, (size_t)(data->count + 1) * sizeof(int64_t),
                  cudaMemcpyHostToDevice));
  float build, build_columns, best = 1e9f;
  struct pcf_cuda_bands rows = make_bands(data, integral, policy.rows, &up, &build);
  struct pcf_cuda_bands columns = make_bands(data, integral, policy.columns, &up, &build_columns);
  struct pcf_cuda_tiles tiles = {
    .rows = rows,
    .columns = columns,
    .row_bands = (int)((data->count + policy.rows - 1) / policy.rows),
    .column_bands = (int)((data->count + policy.columns - 1) / policy.columns),
    .triangle = 1,
    .last_row = data->count,
    .last_column = data->count,
    .to = INFINITY,
    .p = integral->p,
    .half_powers = integral->half_powers,
    .output = output,
    .stride = data->count};
  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  for (int repeat = 0; repeat < 3; repeat++) {
    CUDA(cudaEventRecord(begin, 0));
    CUDA(pcf_cuda_sweep(&policy, integral, &tiles, 0));
    CUDA(cudaEventRecord(end, 0));
    best = fminf(best, elapsed(begin, end));
  }
  double rectangles = (double)(data->count - 1) * (double)data->breakpoints;
  static const char *const names[] = {"L1", "L2", "Lp", "Linf", "inner"};
  printf("| %s | %s | %d x %d | %d | %.1f | %.2f | %.2e |\n", names[integral->operation],
         integral->precision == PCF_DOUBLE ? "double" : "single", policy.rows, policy.columns,
         policy.warps * policy.warps, build, best, rectangles / best * 1e3);
  fflush(stdout);
  free_bands(&rows), free_bands(&columns);
  cudaFree(up.time), cudaFree(up.value), cudaFree(up.start);
  cudaEventDestroy(begin), cudaEventDestroy(end);
}

int main(int argc, char **argv) {
  int64_t n = argc > 1 ? atoll(argv[1]) : 20000;
  int quick = argc > 2;
  struct data data = make_data(n);
  void *output;
  CUDA(cudaMalloc(&output, (size_t)n * (size_t)n * sizeof(double)));
  printf("%lld functions, %lld breakpoints\n\n", (long long)n, (long long)data.breakpoints);
  printf("| operation | precision | tile | warps in a CTA | bands, ms | sweep, ms | rectangles/s |\n");
  printf("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (int operation = PCF_L1; operation <= PCF_INNER; operation++) {
    if (operation == PCF_LP || (quick && operation != PCF_L1)) continue;
    for (int precision = 0; precision < 2; precision++) {
      if (operation == PCF_LINF && precision) continue;
      struct pcf_integral integral = {.operation = operation, .precision = precision, .p = 1,
                                      .from = -INFINITY, .to = INFINITY};
      for (int k = 0; k < 6; k++) {
        struct pcf_cuda_policy policy = {k / 2 == 2 ? 64 : 32, k / 2 ? 64 : 32, k % 2 + 1};
        time_policy(&data, &integral, policy, output);
      }
    }
  }
  return 0;
}
