#include "pairs/costs.h"

/* AVX-512 and AVX2: so that the runs of bench/ take between half and twice as long as expected
 * on AMD EPYC of both Zen 4 (3.7 GHz, 512-bit operations in halves) and Zen 5 (2.6 GHz), with
 * the workloads of 10 … 999 breakpoints and of 256 and 1000 grid points. SSE2 and scalar:
 * Zen 5. Powers: Zen 4, p = 1.7. NEON: assumed, from SSE2. */
static const struct pcf_costs costs[PCF_INSTRUCTION_SETS] = {
  [PCF_AVX512] = {4.5, {0.150, 0.085}, {0.065, 0.037}, {1.5, 0.70}, 0.55},
  [PCF_AVX2] = {7.0, {0.155, 0.085}, {0.085, 0.045}, {2.2, 0.90}, 0},
  [PCF_SSE2] = {7.0, {0.370, 0.185}, {0.190, 0.095}, {6.6, 2.3}, 0},
  [PCF_NEON] = {7.0, {0.300, 0.150}, {0.150, 0.075}, {4.5, 1.6}, 0},
  [PCF_SCALAR] = {7.0, {0.570, 0.600}, {0.220, 0.220}, {14.0, 9.0}, 0},
};

static const double power_factor = 4; /* terms of half powers, to terms of L1 */

/* A number of the result that is written for the first time: 197 ms for 1.6 GB by two threads
 * of Zen 4 (results/cpu-2026-11-23.md, short-l1). 16 threads of a Xeon write 24 to 32 GB/s,
 * which is what seven threads would (results/cuda-2026-11-22.csv: scatter, 3.2 and 25.6 GB). */
static const double write_cost = 2, most_writers = 7;

/* A product of a number of b with one pair, for one of its functions: results/products-*.md,
 * 2000 functions and 999 columns. */
static const double multiply_cost = 0.4;

/* Threads of 16 cores take longer at first than two: as many cores have to wake up, and share
 * their clock. Fitted to runs of 16 threads on a Xeon (results/partial-2026-11-22-cpu.csv,
 * products-2026-11-22.md, neighbors-2026-11-22.md; those of 4000 functions without checking
 * them), in ms:
 *
 *                                 2 threads / 8   expected   measured
 *   grid of 256, 4000, single             6.5         11.1       16.3
 *   grid of 256, 4000, double            10.2         17.0       19.9
 *   2000 functions, L1                   24.5         44.9       49
 *   4000 functions, L1, single           59.4          101       96
 *   4000 functions, L1                   92.8          153      156
 *   5000 functions, L1                  144            212      204
 *   20,000 functions, L1, single       1370           1460     1652
 *   20,000 functions, L1               2200           2290     2518
 *
 * With two threads none of this is seen, and other numbers of threads were not measured: what
 * is lost is taken to grow by the same with every doubling. */
static const double waking_seconds = 0.09, waking_per_doubling = 0.2;

const struct pcf_costs *pcf_costs_of(const struct pcf_pairs *pairs) {
  return &costs[pairs->instructions];
}

double pcf_call_seconds(double seconds, int threads) {
  double doublings = threads > 2 ? log2(threads / 2.0) : 0;
  return seconds + waking_per_doubling * doublings * fmin(seconds, waking_seconds);
}

double pcf_consuming_seconds(const struct pcf_pairs *pairs, int threads) {
  const struct pcf_request *request = &pairs->request;
  if (!request->sums) return pairs->pairs * write_cost * 1e-9 / fmin(threads, most_writers);
  double sides = request->mode == PCF_FULL ? 1 : 2;
  double products = pairs->pairs * sides * (double)request->sums->columns;
  return products * multiply_cost * 1e-9 / threads;
}

double pcf_term_cost(double cost, double power, const struct pcf_request *request) {
  enum pcf_operation operation = request->operation;
  if (!pcf_takes_powers(operation)) return pcf_stretch_cost(PCF_STEPS, operation) * cost;
  return pcf_half_powers(request->p) ? power_factor * cost : 2 * cost + power;
}

double pcf_line_factor(const struct pcf_request *request) {
  return request->x->linear ? pcf_stretch_cost(PCF_LINES, request->operation) : 1;
}

double pcf_spread(double nanoseconds, double items, int threads) {
  if (items < 1) return 0;
  return nanoseconds * 1e-9 * ceil(items / threads) / items;
}

struct pcf_tiling pcf_tiling_of(const struct pcf_request *request, int width) {
  const struct pcf_collection *x = request->x, *y = pcf_columns_of(request);
  double rows = (double)x->count, columns = (double)y->count;
  double row_bands = ceil(rows / width), column_bands = ceil(columns / width);
  double row_breakpoints = (double)pcf_total_breakpoints(x);
  double column_breakpoints = (double)pcf_total_breakpoints(y);
  if (request->mode != PCF_FULL) {
    return (struct pcf_tiling){row_bands * (row_bands + 1) / 2, row_bands, rows,
                               row_breakpoints, row_breakpoints * row_bands};
  }
  return (struct pcf_tiling){row_bands * column_bands, row_bands + column_bands, rows + columns,
                             row_breakpoints + column_breakpoints,
                             row_breakpoints * column_bands + column_breakpoints * row_bands};
}
