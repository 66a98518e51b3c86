/* Measured costs of computation, and how they are added. costs.c has those of instruction sets
 * and of threads. The unit is a nanosecond on one core unless stated otherwise. */
#pragma once

#include "pairs/pairs.h"

/* ---- The CPU ---- */

/* The costs of an instruction set. An event of the sweep costs a fixed part and a part for each
 * lane of the other band; a grid cell is one pair at one grid point. A general exponent adds a
 * power to each of both. Arrays are by precision; `by_table` is a power in double precision by
 * a table (arithmetic/power.h), 0 where there is none. */
struct pcf_costs {
  double event, lane[2], cell[2], power[2], by_table;
};

const struct pcf_costs *pcf_costs_of(const struct pcf_pairs *pairs);

/* The following costs were measured on the same processors and in the same way as those above
 * (costs.c), by bench/run.sh with two threads, unless stated otherwise. */

/* The sweep: merging an event into its band, and that for each time that the band's width
 * doubles. An event of a single pair, and what else such a pair takes: Zen 4, bench/neighbors.R
 * with the case `pruning`. */
static const double pcf_merge_cost = 8, pcf_merge_doubling_cost = 4;
static const double pcf_single_event_cost = 1.9, pcf_single_pair_cost = 40;

/* The grid: a value of a panel; the cost of cells of functions with the values 0 and 1,
 * relative to that of others, by bench/partial.R. */
static const double pcf_value_cost = 1.5, pcf_units_factor = 0.5;

/* The split: sorting an event, from the caller's memory into its band; the sum of a pair in a
 * part. */
static const double pcf_sort_cost = 24, pcf_part_cost = 6;

/* The walk: a rectangle, the rest of a pair, and the preparation of a breakpoint; a rectangle
 * of piecewise linear functions, relative to one of step functions: 2.2 (suprema) to 4 (powers)
 * on Zen 4. */
static const double pcf_walk_cost = 1.2, pcf_walk_pair_cost = 150, pcf_walk_ready_cost = 3;
static const double pcf_walk_lines_factor = 3;

/* The lookup: the preparation of a breakpoint of a long function, and of a short function; a
 * breakpoint of a short function that is looked up in so many (2^15) or fewer, which stay in
 * the cache, and more with every doubling of these. With 20,000 functions of 50 breakpoints and
 * one of 256 to 4 million (results/floors-2026-11-29.md). */
static const double pcf_table_cost = 20, pcf_view_cost = 80;
static const double pcf_lookup_cost = 20, pcf_far_lookup_cost = 9, pcf_near_doublings = 15;

/* The events: an event, for the first column of b; a part that all threads execute one after
 * the other, since they wait for memory or for their turn, and a part that they share. By
 * bench/products.R and bench/neighbors.R (results/products-*.md, neighbors-2026-11-22.md): L1
 * takes 97 to 194 ns of elapsed time with two threads, on Zen 4 and on a Xeon, with 4000 to
 * 500,000 functions; 157 to 292 with one thread; and 59 to 70 with 16, with 500,000. Inner
 * products take 46 to 65 with two; the part that is shared is assumed to be as for L1. */
static const double pcf_l1_event_cost[2] = {45, 200}, pcf_inner_event_cost[2] = {15, 80};

/* An event of lines, relative to one of step functions, in instructions. */
static const double pcf_line_event_cost = 2.5;

/* Each further column of b, relative to the first: L1; inner products of step functions, and of
 * lines. With 1000 to 8000 functions and 2 to 32 columns, 1, 2 and 16 threads
 * (results/floors-2026-11-29.md). */
static const double pcf_l1_column_cost = 0.3, pcf_inner_column_cost = 0.06,
                    pcf_line_column_cost = 0.22;

/* Bounds for pruning: a breakpoint, and a function; about twice the time on Zen 4. */
static const double pcf_bound_cost = 6, pcf_bound_function_cost = 10e3;

/* Adding up and transposing a pair of a tile; starting and joining a thread. */
static const double pcf_finish_cost = 1, pcf_thread_cost = 40e3;

/* The cost of a term under the operation of the request, from that of a term of L1 and that of
 * a power. General exponents may go over the terms twice, first for the supremum. */
double pcf_term_cost(double cost, double power, const struct pcf_request *request);

/* The cost of a stretch of piecewise linear functions in the sweep, relative to that of step
 * functions; 1 for step functions. */
double pcf_line_factor(const struct pcf_request *request);

/* Seconds that `nanoseconds` of work take on that many threads, in `items` equal shares. */
double pcf_spread(double nanoseconds, double items, int threads);

/* Seconds for using all results: they are multiplied by the columns of the request's sums or,
 * without sums, written. */
double pcf_consuming_seconds(const struct pcf_pairs *pairs, int threads);

/* Seconds of a call, from the time that it would take if all threads worked at full speed. */
double pcf_call_seconds(double seconds, int threads);

/* The matrix in tiles of that width: tiles that are computed; bands of both sides, and their
 * functions and breakpoints (once where both sides are the same); and events, each taking part
 * in a tile with every band of the other side. A tile is computed at its full width, however
 * few functions are in it. */
struct pcf_tiling {
  double tiles, bands, functions, breakpoints, events;
};

struct pcf_tiling pcf_tiling_of(const struct pcf_request *request, int width);

/* ---- CUDA devices ---- */

/* In seconds, measured on one H200 with 16 cores by bench/cuda-kernel.sh and bench/cuda.R. A
 * rectangle of the sweep, and a cell of the grid, by precision; the split, relative to the
 * sweep; general p, relative to others; the number of warps that keep a device busy. */
static const double pcf_cuda_rectangle_cost[2] = {1.4e-12, 0.75e-12};
static const double pcf_cuda_cell_cost[2] = {2.5e-13, 1.5e-13};
static const double pcf_cuda_split_factor = 2, pcf_cuda_general_factor = 20;
static const double pcf_cuda_warps = 2500;

/* A rectangle of piecewise linear functions in the sweep, relative to one of step
 * functions: 1.2 to 1.5, and 2.3 to 2.9 if a division or two powers are computed. */
static const double pcf_cuda_line_factor = 1.4, pcf_cuda_line_division_factor = 2.5;

/* Starting CUDA, a call, and a pair of the result; a breakpoint copied from the host, and one
 * of functions that stay on the device. If the CPU takes less time than the last of these, CUDA
 * is not considered. */
static const double pcf_cuda_start_cost = 0.4, pcf_cuda_call_cost = 0.005;
static const double pcf_cuda_pair_cost = 1.2e-10, pcf_cuda_breakpoint_cost = 2e-9;
static const double pcf_cuda_staying_cost = 5e-10, pcf_cuda_moment = 0.1;

/* Looking at the bounds of a pair: 0.7 to 3.5 (results/scale-gpu-2026-11-30.md). */
static const double pcf_cuda_bound_cost = 2e-12;

/* The same for single functions, which are copied as they are, by bench/stay-functions.R on the
 * same machine: a call, a number of a breakpoint, a function, and the moment. The list in
 * functions/single.h has what each operation takes. The device must be expected to take less
 * than this share of the time of the CPU, since estimates are rough. */
static const double pcf_cuda_single_call_cost = 2e-3, pcf_cuda_number_cost = 5.5e-10;
static const double pcf_cuda_function_cost = 2.5e-8, pcf_cuda_single_moment = 0.05;
static const double pcf_cuda_clearly = 0.8;
