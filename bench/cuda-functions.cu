/* Times the CUDA kernels of sparse matrices and of single functions alone, with device events:
 * milliseconds, and the bytes that must be read or written over them. CUB's reduction of the
 * same numbers, and a copy within the device, tell what the memory gives.
 *
 * usage: cuda-functions
 *
 * bench/cuda-functions.sh builds and runs it. */
#include "cuda-kernels/kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <functional>
#include <random>
#include <vector>

static void must(cudaError_t code) {
  if (code == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(code));
  exit(1);
}

template <class T> static T *upload(const std::vector<T> &from) {
  T *to;
  must(cudaMalloc(&to, from.size() * sizeof(T)));
  must(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return to;
}

template <class T> static T *memory(int64_t count) {
  void *to;
  must(cudaMalloc(&to, size_t(count) * sizeof(T)));
  must(cudaMemset(to, 0xff, size_t(count) * sizeof(T)));
  return static_cast<T *>(to);
}

/* The median of ten, after two that do not count. */
static double milliseconds(const std::function<void()> &launch) {
  std::vector<float> times;
  cudaEvent_t begin, end;
  must(cudaEventCreate(&begin));
  must(cudaEventCreate(&end));
  for (int k = 0; k < 12; k++) {
    float time;
    must(cudaEventRecord(begin));
    launch();
    must(cudaEventRecord(end));
    must(cudaEventSynchronize(end));
    must(cudaEventElapsedTime(&time, begin, end));
    if (k >= 2) times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

static double row(const char *what, double bytes, const std::function<void()> &launch) {
  double ms = milliseconds(launch);
  printf("| %s | %.3f | %.0f |\n", what, ms, bytes / ms / 1e6);
  return ms;
}

/* ---- Rows of matrices ---- */

static const int64_t NUMBERS = 100000000, SEGMENTS = 1000000, COLUMNS = 1000000;

static void time_rows(const char *what, const double *value, const int32_t *column,
                      std::vector<int64_t> offsets) {
  pcf_cuda_multiplying of = {};
  of.value = value;
  of.column = column;
  of.offsets = upload(offsets);
  of.rows = SEGMENTS;
  of.entries = NUMBERS;
  of.vector = memory<double>(COLUMNS);
  of.slot = memory<double>(2 * (NUMBERS / PCF_PART + 1));
  of.result = memory<double>(SEGMENTS);
  double bytes = 12.0 * NUMBERS + 16.0 * SEGMENTS + 8.0 * COLUMNS;
  row(what, bytes, [&] { must(pcf_cuda_multiply(&of, 0)); });
  must(cudaFree((void *)of.offsets));
  must(cudaFree(of.vector));
  must(cudaFree(of.slot));
  must(cudaFree(of.result));
}

static void time_cub(const double *value, const std::vector<int64_t> &uneven) {
  size_t bytes = 0, bytes_of_segments = 0;
  int64_t *offsets = upload(uneven);
  double *sum = memory<double>(SEGMENTS);
  must(cub::DeviceReduce::Sum(nullptr, bytes, value, sum, NUMBERS));
  must(cub::DeviceSegmentedReduce::Sum(nullptr, bytes_of_segments, value, sum, SEGMENTS,
                                       offsets, offsets + 1));
  void *scratch = memory<char>(int64_t(std::max(bytes, bytes_of_segments)));
  row("CUB, one sum of all", 8.0 * NUMBERS,
      [&] { must(cub::DeviceReduce::Sum(scratch, bytes, value, sum, NUMBERS)); });
  row("CUB, uneven segments", 8.0 * (NUMBERS + 2 * SEGMENTS), [&] {
    must(cub::DeviceSegmentedReduce::Sum(scratch, bytes_of_segments, value, sum, SEGMENTS,
                                         offsets, offsets + 1));
  });
  must(cudaFree(offsets));
  must(cudaFree(sum));
  must(cudaFree(scratch));
}

static void time_reductions(std::mt19937_64 &random) {
  std::vector<double> values(NUMBERS);
  std::vector<int32_t> columns(NUMBERS);
  std::vector<int64_t> even(SEGMENTS + 1), uneven(SEGMENTS + 1), one_long(SEGMENTS + 1);
  std::uniform_int_distribution<int64_t> place(0, NUMBERS);
  for (double &value : values) value = double(random()) * 0x1p-64 - 0.5;
  for (int64_t k = 0; k < NUMBERS; k++) columns[k] = int32_t(k % COLUMNS);
  for (int64_t k = 0; k <= SEGMENTS; k++) {
    even[k] = k * (NUMBERS / SEGMENTS);
    uneven[k] = k == 0 ? 0 : k == SEGMENTS ? NUMBERS : place(random);
    one_long[k] = k == 0 ? 0 : NUMBERS - 3 * (SEGMENTS - k);
  }
  std::sort(uneven.begin(), uneven.end());
  double *value = upload(values), *copy = memory<double>(NUMBERS);
  row("copy of 0.8 GB, read and written", 16.0 * NUMBERS, [&] {
    must(cudaMemcpyAsync(copy, value, 8 * NUMBERS, cudaMemcpyDeviceToDevice, 0));
  });
  time_cub(value, uneven);
  int32_t *column = upload(columns);
  time_rows("even rows times a vector", value, column, even);
  time_rows("uneven rows", value, column, uneven);
  time_rows("one of 9.7e7, 1e6 of 3", value, column, one_long);
  must(cudaFree(column));
  must(cudaFree(value));
  must(cudaFree(copy));
}

/* ---- Functions ---- */

static const int64_t FUNCTIONS = 100000;

static void time_norms(const pcf_cuda_packed &x, int64_t total) {
  const pcf_measure measures[] = {PCF_NORM_L1, PCF_NORM_L2, PCF_NORM_LP, PCF_NORM_LINF,
                                  PCF_INTEGRAL};
  const char *const names[] = {"norms, p = 1", "norms, p = 2", "norms, p = 2.5",
                               "norms, p = Inf", "integrals"};
  pcf_cuda_measuring measuring = {};
  measuring.x = x;
  measuring.from = 0;
  measuring.to = INFINITY;
  measuring.power = {2.5, 5}; /* 2.5 is five halves */
  measuring.count = FUNCTIONS;
  measuring.total = total;
  measuring.whole = memory<pcf_section_part>(FUNCTIONS);
  measuring.slot = memory<pcf_section_part>(2 * (total / PCF_PART + 1) + FUNCTIONS);
  for (int k = 0; k < 5; k++) {
    measuring.measure = measures[k];
    row(names[k], 16.0 * double(total), [&] { must(pcf_cuda_measure_parts(&measuring, 0)); });
  }
  must(cudaFree(measuring.whole));
  must(cudaFree(measuring.slot));
}

static void time_values(const pcf_cuda_packed &x) {
  const int64_t columns = 160;
  std::vector<double> at(columns);
  for (int64_t k = 0; k < columns; k++) at[k] = double(k) / double(columns);
  pcf_cuda_evaluating evaluating = {};
  evaluating.x = x;
  evaluating.at = upload(at);
  evaluating.functions = FUNCTIONS;
  evaluating.columns = columns;
  evaluating.output = memory<double>(FUNCTIONS * columns);
  row("values at 160 times", 8.0 * double(FUNCTIONS * columns),
      [&] { must(pcf_cuda_evaluate_there(&evaluating, 0)); });
  must(cudaFree((void *)evaluating.at));
  must(cudaFree(evaluating.output));
}

/* Of 10 … 999 breakpoints, on [0, 1]. */
static void time_functions(std::mt19937_64 &random) {
  std::vector<int64_t> offsets(FUNCTIONS + 1);
  for (int64_t i = 0; i < FUNCTIONS; i++) {
    offsets[i + 1] = offsets[i] + 10 + int64_t(random() % 990);
  }
  int64_t total = offsets[FUNCTIONS];
  std::vector<double> time(total), value(total);
  for (double &y : value) y = double(random()) * 0x1p-64 - 0.5;
  for (int64_t i = 0; i < FUNCTIONS; i++) {
    double step = 1.0 / double(offsets[i + 1] - offsets[i]);
    for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
      time[k] = (double(k - offsets[i]) + double(random()) * 0x1p-65) * step;
    }
    time[offsets[i]] = value[offsets[i + 1] - 1] = 0;
  }
  pcf_cuda_packed x = {upload(time), upload(value), NULL, upload(offsets)};
  time_norms(x, total);
  time_values(x);
}

int main() {
  std::mt19937_64 random(1);
  cudaDeviceProp properties;
  must(cudaGetDeviceProperties(&properties, 0));
  printf("%s\n\n| kernel | ms | GB/s |\n| --- | --- | --- |\n", properties.name);
  time_reductions(random);
  time_functions(random);
  return 0;
}
