/* What computing costs, as measured: all of it stands in costs.c, with how it was measured. And
 * how costs add up. The unit is a nanosecond on one core where nothing else is said. */
#ifndef PCF_COSTS_H
#define PCF_COSTS_H

#include "pairs/pairs.h"

/* ---- The CPU ---- */

/* Of an instruction set: an event of the sweep costs a fixed part and a part for each lane of
 * the other band; a grid cell is one pair at one grid point. A general exponent adds a power to
 * each of both. By precision, but for the first and the last, a power in double precision by a
 * table (base/power.h), 0 where there is none. */
struct pcf_costs {
  double event, lane[2], cell[2], power[2], by_table;
};

const struct pcf_costs *pcf_costs_of(const struct pcf_pairs *pairs);

/* Of the methods with any instructions. */
struct pcf_method_costs {
  /* Merging an event into its band, and that for each time that the band's width doubles. An
   * event of a single pair, and what else such a pair takes. */
  struct {
    double merge, doubling, step, single;
  } sweep;
  /* A value of a panel. Cells of functions that are 0 or 1, to others. */
  struct {
    double value, units_factor;
  } grid;
  /* Sorting an event, from the caller's memory into its band; the sum of a pair in a part. */
  struct {
    double sort, part;
  } split;
  /* A rectangle, what else a pair takes, and a breakpoint made ready. */
  struct {
    double rectangle, pair, breakpoint;
  } walk;
  /* A breakpoint of a long function made ready, and a short function; a step of a search within
   * the cache and beyond it, and the steps that the cache holds; what else a breakpoint of a
   * short function takes. */
  struct {
    double table, view, near, far, near_steps, breakpoint;
  } lookup;
  /* An event and a column of b: a part that all threads do one after the other, since they wait
   * for memory or for their turn, and a part that they share. */
  struct {
    double l1[2], inner[2];
  } events;
  /* Bounds of distances: a breakpoint, and a function. */
  struct {
    double breakpoint, function;
  } pruning;
  double finish; /* adding up and transposing a pair of a tile */
  double thread; /* starting and joining one */
};

extern const struct pcf_method_costs pcf_method_costs;

/* What a term costs under the operation of the request, if it costs that much for L1 and a
 * power is `power`. General exponents may go over the terms twice, first for the supremum. */
double pcf_term_cost(double cost, double power, const struct pcf_request *request);

/* Seconds of so many nanoseconds that come in `items` equal shares. */
double pcf_spread(double nanoseconds, double items, int threads);

/* Seconds for what becomes of all pairs: they are multiplied by the columns of the request's
 * sums or, without sums, written. */
double pcf_consuming_seconds(const struct pcf_pairs *pairs, int threads);

/* Seconds of a call that would take so many if all threads worked at full speed at once. */
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

/* Seconds on one device: a rectangle of the sweep, and a cell of the grid, by precision; the
 * split, to the sweep; how many warps keep a device busy; general p, to others. Starting CUDA,
 * a call, and a pair of the result; a breakpoint that comes from the host, and one of functions
 * that stay. CUDA is not even looked for where the CPU is done in a moment. */
struct pcf_cuda_costs {
  double rectangle[2], cell[2], split_factor, warps, general_factor;
  double start, call, pair, breakpoint, staying_breakpoint, moment;
};

extern const struct pcf_cuda_costs pcf_cuda_costs;

#endif
