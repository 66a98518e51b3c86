/* Times the CUDA kernels alone, with device events, for every operation and precision: the
 * sweep of all pairs of n functions of the paper's workload in one launch;
 * the sliced sweep of few long functions; and the shared grid, beside cuBLAS where it is there.
 * The grid's results are compared with the sweep's. Tables have a row without flushes of sums
 * (and so with larger errors) and one with them.
 *
 * usage: cuda-kernel [sweep|long|grid [n [points of the grid]]]
 *
 * bench/cuda-kernel.sh builds and runs it. */
#include "cuda-kernels/kernels.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA(call)                                                                   \
  do {                                                                               \
    cudaError_t code_ = (call);                                                      \
    if (code_ != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code_)); \
      exit(1);                                                                       \
    }                                                                                \
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

/* Functions of `fewest` … most breakpoints; on a shared grid, if asked, at 0, 1, 2, … */
static struct data make_data(int64_t n, int64_t fewest, int64_t most, int on_grid) {
  struct data data = {.count = n};
  data.start = calloc((size_t)n + 1, sizeof *data.start);
  for (int64_t i = 0; i < n; i++) {
    int64_t m = fewest + (int64_t)((double)(most - fewest + 1) * uniform());
    data.start[i + 1] = data.start[i] + m;
  }
  data.breakpoints = data.start[n];
  data.time = malloc((size_t)data.breakpoints * sizeof(double));
  data.value = malloc((size_t)data.breakpoints * sizeof(double));
  for (int64_t i = 0; i < n; i++) {
    double scale = fabs(normal());
    int64_t begin = data.start[i], end = data.start[i + 1];
    for (int64_t k = begin; k < end; k++) {
      data.time[k] = on_grid ? (double)(k - begin) : scale * fabs(normal());
      data.value[k] = normal();
    }
    data.time[begin] = 0;
    data.value[end - 1] = 0;
    if (on_grid) continue;
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

static void *device_memory(size_t bytes) {
  void *memory;
  CUDA(cudaMalloc(&memory, bytes));
  CUDA(cudaMemset(memory, 0, bytes));
  return memory;
}

static const char *const operations[] = {"L1", "L2", "Lp", "Linf", "inner"};
static const char *const precisions[] = {"double", "single"};

static struct pcf_cuda_functions upload_functions(const struct data *data,
                                                  const struct pcf_integral *integral) {
  size_t starts = (size_t)(data->count + 1) * sizeof(int64_t);
  int64_t *start = device_memory(starts);
  CUDA(cudaMemcpy(start, data->start, starts, cudaMemcpyHostToDevice));
  return (struct pcf_cuda_functions){
    .count = data->count,
    .breakpoints = data->breakpoints,
    .time = upload(data->time, data->breakpoints, integral->precision),
    .piece = upload(data->value, data->breakpoints, integral->precision),
    .initial = device_memory((size_t)data->count * sizeof(double)),
    .start = start};
}

static void free_functions(struct pcf_cuda_functions *functions) {
  cudaFree((void *)functions->time), cudaFree((void *)functions->piece);
  cudaFree((void *)functions->initial), cudaFree((void *)functions->start);
}

/* All pairs as one block. */
static struct pcf_cuda_block block_of(const struct data *data,
                                      const struct pcf_integral *integral, void *output,
                                      double *wide) {
  return (struct pcf_cuda_block){.triangle = 1,
                                 .last_row = data->count,
                                 .last_column = data->count,
                                 .power = {integral->p, integral->half_powers},
                                 .output = output,
                                 .stride = data->count,
                                 .wide = wide};
}

/* Runs `launch(context)` a few times, and returns the milliseconds of the fastest. */
static float fastest(void (*launch)(void *context), void *context) {
  float best = INFINITY;
  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  for (int repeat = 0; repeat < 4; repeat++) {
    CUDA(cudaEventRecord(begin, 0));
    launch(context);
    CUDA(cudaEventRecord(end, 0));
    best = fminf(best, elapsed(begin, end));
  }
  cudaEventDestroy(begin), cudaEventDestroy(end);
  return best;
}

/* ---- The sweep ---- */

struct sweep {
  const struct pcf_integral *integral;
  int flush, side;
  struct pcf_cuda_functions functions;
  struct pcf_cuda_tiles tiles;
  struct pcf_cuda_bands *building;
  void *scratch;
};

static void launch_build(void *sweep_) {
  struct sweep *sweep = sweep_;
  size_t bytes;
  CUDA(pcf_cuda_build_bands(sweep->building, sweep->integral, &sweep->functions,
                            sweep->tiles.slice_time, sweep->scratch, &bytes, 0));
}

static void launch_sweep(void *sweep_) {
  struct sweep *sweep = sweep_;
  CUDA(pcf_cuda_sweep(sweep->integral, &sweep->tiles, 0));
}

static struct pcf_cuda_bands make_bands(struct sweep *sweep, int slices, float *ms) {
  int side = sweep->side;
  const struct pcf_cuda_functions *functions = &sweep->functions;
  size_t scalar = pcf_scalar_size(sweep->integral->precision), bytes = 0;
  size_t count = (size_t)((functions->count + side - 1) / side);
  struct pcf_cuda_bands bands = {
    .count = functions->count, .side = side, .flush = sweep->flush, .slices = slices};
  bands.events = device_memory((size_t)functions->breakpoints * 4 * scalar);
  bands.lane = device_memory((size_t)functions->breakpoints);
  bands.start = device_memory((count * (size_t)slices + 1) * sizeof(int64_t));
  bands.initial = device_memory(count * (size_t)side * (size_t)slices * scalar);
  sweep->building = &bands;
  CUDA(pcf_cuda_build_bands(&bands, sweep->integral, functions, sweep->tiles.slice_time, NULL,
                            &bytes, 0));
  sweep->scratch = device_memory(bytes);
  *ms = fastest(launch_build, sweep);
  cudaFree(sweep->scratch);
  return bands;
}

static void free_bands(struct pcf_cuda_bands *bands) {
  cudaFree(bands->events), cudaFree(bands->lane);
  cudaFree(bands->start), cudaFree(bands->initial);
}

/* Cuts the window so that each slice has as many breakpoints. */
static void cut_evenly(const struct data *data, int slices, double *slice_time) {
  enum { STEP = 64 };
  int64_t count = data->breakpoints / STEP;
  double *sample = malloc((size_t)count * sizeof(double));
  for (int64_t k = 0; k < count; k++) sample[k] = data->time[k * STEP];
  qsort(sample, (size_t)count, sizeof(double), ascending);
  for (int s = 1; s < slices; s++) slice_time[s] = sample[count * s / slices];
  free(sample);
}

/* The interval of flushes, or 0 for none. */
static int flush_interval(const struct pcf_integral *integral, int flushes, int on_grid) {
  if (!flushes || integral->operation == PCF_LINF) return 0;
  return pcf_cuda_flush_interval(integral->precision, on_grid);
}

static int side_of(const struct pcf_integral *integral) {
  return pcf_cuda_tile_side(integral->operation, integral->precision != PCF_DOUBLE);
}

/* Sweeps all pairs into `output`, and returns the milliseconds. */
static float time_sweep(const struct data *data, const struct pcf_integral *integral,
                        int flushes, int slices, void *output, float *build) {
  struct sweep sweep = {.integral = integral,
                        .flush = flush_interval(integral, flushes, 0),
                        .side = side_of(integral)};
  size_t sums = slices > 1 ? (size_t)slices + 1 : sweep.flush > 0;
  double *slice_time = calloc((size_t)slices, sizeof(double));
  if (slices > 1) cut_evenly(data, slices, slice_time);
  sweep.functions = upload_functions(data, integral);
  sweep.tiles.slice_time = upload(slice_time, slices, integral->precision);
  struct pcf_cuda_bands bands = make_bands(&sweep, slices, build);
  int count = (int)((data->count + sweep.side - 1) / sweep.side);
  size_t block = (size_t)data->count * (size_t)data->count * sizeof(double);
  sweep.tiles = (struct pcf_cuda_tiles){
    .rows = bands,
    .columns = bands,
    .row_bands = count,
    .column_bands = count,
    .slice_time = sweep.tiles.slice_time,
    .to = INFINITY,
    .block = block_of(data, integral, output, sums ? device_memory(block * sums) : NULL)};
  float best = fastest(launch_sweep, &sweep);
  free_bands(&bands);
  free_functions(&sweep.functions);
  cudaFree((void *)sweep.tiles.slice_time), cudaFree(sweep.tiles.block.wide);
  free(slice_time);
  return best;
}

static struct pcf_integral integral_of(int operation, int precision) {
  return (struct pcf_integral){.operation = operation,
                               .precision = precision,
                               .p = 3,
                               .half_powers = 6,
                               .from = -INFINITY,
                               .to = INFINITY};
}

static void sweep_table(int64_t n) {
  struct data data = make_data(n, 10, 999, 0);
  void *output = device_memory((size_t)n * (size_t)n * sizeof(double));
  printf("\nSweep, %lld functions, %lld breakpoints\n\n", (long long)n,
         (long long)data.breakpoints);
  printf("| operation | precision | tile | flushes | bands, ms | sweep, ms | rectangles/s |\n"
         "| --- | --- | --- | --- | --- | --- | --- |\n");
  for (int operation = PCF_L1; operation < PCF_OPERATION_COUNT; operation++) {
    for (int precision = 0; precision < 2; precision++) {
      if (operation == PCF_LINF && precision) continue;
      struct pcf_integral integral = integral_of(operation, precision);
      for (int flushes = 0; flushes < 2; flushes++) {
        if (operation == PCF_LINF && flushes) continue;
        float build, best = time_sweep(&data, &integral, flushes, 1, output, &build);
        double rectangles = (double)(n - 1) * (double)data.breakpoints;
        printf("| %s | %s | %d | %s | %.1f | %.2f | %.2e |\n", operations[operation],
               precisions[precision], side_of(&integral), flushes ? "yes" : "no", build, best,
               rectangles / best * 1e3);
        fflush(stdout);
      }
    }
  }
  cudaFree(output);
}

/* ---- Few long functions ---- */

/* At 2048, 1024, 512 and 256 breakpoints of a function in a slice. */
static void long_table(int64_t n) {
  static const int64_t breakpoints = 200000;
  static const int slice_counts[] = {98, 196, 391, 782};
  struct data data = make_data(n, breakpoints, breakpoints, 0);
  void *output = device_memory((size_t)n * (size_t)n * sizeof(double));
  printf("\nFew long functions: %lld of %lld breakpoints, L1\n\n", (long long)n,
         (long long)breakpoints);
  printf("| precision | slices | bands, ms | sweep, ms | rectangles/s |\n"
         "| --- | --- | --- | --- | --- |\n");
  for (int precision = 0; precision < 2; precision++) {
    struct pcf_integral integral = integral_of(PCF_L1, precision);
    for (int s = 0; s < 4; s++) {
      float build, best = time_sweep(&data, &integral, 1, slice_counts[s], output, &build);
      printf("| %s | %d | %.1f | %.2f | %.2e |\n", precisions[precision], slice_counts[s],
             build, best, (double)(n - 1) * (double)data.breakpoints / best * 1e3);
      fflush(stdout);
    }
  }
  cudaFree(output);
}

/* ---- The shared grid ---- */

struct grid {
  const struct pcf_integral *integral;
  struct pcf_cuda_expansion expansion;
  struct pcf_cuda_cells cells;
};

static void launch_expand(void *grid_) {
  struct grid *grid = grid_;
  CUDA(pcf_cuda_expand(grid->integral, &grid->expansion, 0));
}

static void launch_grid(void *grid_) {
  struct grid *grid = grid_;
  CUDA(pcf_cuda_grid(grid->integral, &grid->cells, 0));
}

static float time_grid(const struct data *data, const struct pcf_integral *integral, int points,
                       int flushes, void *output, float *expand, const void **values) {
  int stretches = points - 1, flush = flush_interval(integral, flushes, 1);
  size_t block = (size_t)data->count * (size_t)data->count * sizeof(double);
  if (flush >= stretches) flush = 0;
  double *wide = flush ? device_memory(block) : NULL;
  int deep = (stretches + PCF_CUDA_GRID_DEPTH - 1) / PCF_CUDA_GRID_DEPTH * PCF_CUDA_GRID_DEPTH;
  double *times = calloc((size_t)deep + 1, sizeof(double)),
         *lengths = calloc((size_t)deep + 1, 8);
  for (int g = 0; g < points; g++) times[g] = g, lengths[g] = g < stretches;
  size_t scalar = pcf_scalar_size(integral->precision);
  int64_t padded = (data->count + PCF_CUDA_PANEL - 1) / PCF_CUDA_PANEL * PCF_CUDA_PANEL;
  struct pcf_cuda_panel panel = {.count = data->count,
                                 .padded = padded,
                                 .values = device_memory((size_t)(padded * deep) * scalar),
                                 .last = device_memory((size_t)padded * scalar)};
  struct grid grid = {.integral = integral};
  grid.expansion = (struct pcf_cuda_expansion){.panel = panel,
                                               .functions = upload_functions(data, integral),
                                               .grid = upload(times, deep, integral->precision),
                                               .points = points,
                                               .stretches = stretches};
  grid.cells = (struct pcf_cuda_cells){.rows = panel,
                                       .columns = panel,
                                       .stretches = stretches,
                                       .lengths = upload(lengths, deep, integral->precision),
                                       .unbounded = 1,
                                       .flush = flush,
                                       .block = block_of(data, integral, output, wide)};
  *expand = fastest(launch_expand, &grid);
  float best = fastest(launch_grid, &grid);
  free_functions(&grid.expansion.functions);
  cudaFree((void *)grid.expansion.grid), cudaFree(grid.cells.lengths), cudaFree(panel.last);
  cudaFree(grid.cells.block.wide);
  *values = panel.values;
  free(times), free(lengths);
  return best;
}

/* The largest relative difference of two results below the diagonal. */
static double difference(const void *a, const void *b, int64_t n,
                         enum pcf_precision precision) {
  size_t bytes = (size_t)(n * n) * pcf_scalar_size(precision);
  void *x = malloc(bytes), *y = malloc(bytes);
  CUDA(cudaMemcpy(x, a, bytes, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(y, b, bytes, cudaMemcpyDeviceToHost));
  double most = 0, scale = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int64_t j = 0; j < n; j++) {
      for (int64_t i = j + 1; i < n; i++) {
        int64_t at = i + n * j;
        double u = precision ? ((float *)x)[at] : ((double *)x)[at];
        double v = precision ? ((float *)y)[at] : ((double *)y)[at];
        if (pass) most = fmax(most, fabs(u - v) / scale);
        else scale = fmax(scale, fabs(u));
      }
    }
  }
  free(x), free(y);
  return most;
}

/* C = A·Aᵀ with cuBLAS, where it can be loaded. */
struct blas {
  void *handle;
  int (*dgemm)(void *, int, int, int, int, int, const double *, const double *, int,
               const double *, int, const double *, double *, int);
  int (*sgemm)(void *, int, int, int, int, int, const float *, const float *, int,
               const float *, int, const float *, float *, int);
  const void *values;
  void *output;
  int n, padded, depth, precision;
};

static int load_blas(struct blas *blas) {
  static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
  void *library = NULL;
  for (int k = 0; k < 3 && !library; k++) library = dlopen(names[k], RTLD_NOW);
  if (!library) return 0;
  int (*create)(void **) = (int (*)(void **))dlsym(library, "cublasCreate_v2");
  *(void **)&blas->dgemm = dlsym(library, "cublasDgemm_v2");
  *(void **)&blas->sgemm = dlsym(library, "cublasSgemm_v2");
  return create && blas->dgemm && blas->sgemm && create(&blas->handle) == 0;
}

static void launch_blas(void *blas_) {
  struct blas *b = blas_;
  double one = 1, zero = 0;
  float one1 = 1, zero1 = 0;
  if (b->precision == PCF_DOUBLE) {
    b->dgemm(b->handle, 0, 1, b->n, b->n, b->depth, &one, b->values, b->padded, b->values,
             b->padded, &zero, b->output, b->n);
  } else {
    b->sgemm(b->handle, 0, 1, b->n, b->n, b->depth, &one1, b->values, b->padded, b->values,
             b->padded, &zero1, b->output, b->n);
  }
}

static void grid_row(const struct data *data, const struct pcf_integral *integral, int points,
                     int flushes, struct blas *blas, void *output, void *other) {
  int64_t n = data->count;
  float expand, build, product = NAN;
  const void *values;
  float best = time_grid(data, integral, points, flushes, output, &expand, &values);
  float sweep = time_sweep(data, integral, flushes, 1, other, &build);
  double apart = difference(other, output, n, integral->precision);
  if (blas->handle && integral->operation == PCF_INNER) {
    blas->values = values, blas->precision = integral->precision;
    blas->padded = (int)((n + PCF_CUDA_PANEL - 1) / PCF_CUDA_PANEL * PCF_CUDA_PANEL);
    product = fastest(launch_blas, blas);
  }
  double cells = (double)n * (double)(n - 1) / 2 * (points - 1);
  printf("| %s | %s | %s | %.2f | %.2f | %.2e | %.1f | %.1e | %.2f |\n",
         operations[integral->operation], precisions[integral->precision],
         flushes ? "yes" : "no", expand, best, cells / best * 1e3, sweep, apart, product);
  fflush(stdout);
  cudaFree((void *)values);
}

static void grid_table(int64_t n, int points) {
  struct data data = make_data(n, points, points, 1);
  size_t bytes = (size_t)n * (size_t)n * sizeof(double);
  void *output = device_memory(bytes), *other = device_memory(bytes);
  struct blas blas = {.n = (int)n, .output = other, .depth = points - 1};
  int has_blas = load_blas(&blas);
  printf("\nShared grid of %d points, %lld functions%s\n\n", points, (long long)n,
         has_blas ? "" : " (no cuBLAS here)");
  printf("| operation | precision | flushes | expand, ms | kernel, ms | cells/s | sweep, ms "
         "| difference | cuBLAS, all pairs, ms |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (int operation = PCF_L1; operation < PCF_OPERATION_COUNT; operation++) {
    for (int precision = 0; precision < 2; precision++) {
      if (operation == PCF_LINF && precision) continue;
      struct pcf_integral integral = integral_of(operation, precision);
      for (int flushes = 0; flushes < 2; flushes++) {
        if (operation == PCF_LINF && flushes) continue;
        grid_row(&data, &integral, points, flushes, &blas, output, other);
      }
    }
  }
  cudaFree(output), cudaFree(other);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "all";
  int64_t n = argc > 2 ? atoll(argv[2]) : 0;
  int points = argc > 3 ? atoi(argv[3]) : 1000;
  int all = strcmp(what, "all") == 0;
  if (all || strcmp(what, "sweep") == 0) sweep_table(n ? n : 20000);
  if (all || strcmp(what, "long") == 0) long_table(n ? n : 200);
  if (all || strcmp(what, "grid") == 0) grid_table(n ? n : 8000, points);
  return 0;
}
