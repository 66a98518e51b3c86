#include "pairs/costs.h"

/* AVX-512 and AVX2: so that the runs of bench/ take between half and twice as long as expected
 * on AMD EPYC of both Zen 4 (3.7 GHz, 512-bit operations in halves) and Zen 5 (2.6 GHz), with
 * the workloads of 10 … 999 breakpoints and of 256 and 1000 grid points. SSE2 and scalar:
 * Zen 5. Powers: Zen 4, p = 1.7. NEON: assumed, from SSE2. */
static const struct pcf_costs costs[PCF_INSTRUCTION_SETS] = {
  [PCF_AVX512] = {4.5, {0.150, 0.085}, {0.065, 0.037}, {1.5, 0.70}, 0.55},
  [PCF_AVX2] = {7.0, {0.155, 0.085}, {0.085, 0.045}, {2.2, 0.90}},
  [PCF_SSE2] = {7.0, {0.370, 0.185}, {0.190, 0.095}, {6.6, 2.3}},
  [PCF_NEON] = {7.0, {0.300, 0.150}, {0.150, 0.075}, {4.5, 1.6}},
  [PCF_SCALAR] = {7.0, {0.570, 0.600}, {0.220, 0.220}, {14.0, 9.0}},
};

static const double power_factor = 4; /* terms of half powers, to terms of L1 */

/* Those with a division: 2 to 3 in the sweep and 4 to 5 on a grid, Zen 4, AVX-512 and AVX2. */
static const double division_factor = 3.5;

const struct pcf_costs *pcf_costs_of(const struct pcf_pairs *pairs) {
  return &costs[pairs->instructions];
}

double pcf_term_cost(double cost, double power, const struct pcf_request *request) {
  if (request->operation == PCF_RELATIVE) return division_factor * cost;
  if (!pcf_takes_powers(request->operation)) return cost;
  return pcf_half_powers(request->p) ? power_factor * cost : 2 * cost + power;
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
