/* What computing costs, as measured, and how costs add up. The unit is a nanosecond on one
 * core. */
#ifndef PCF_COSTS_H
#define PCF_COSTS_H

#include "pairs/pairs.h"

/* Of an instruction set: an event of the sweep costs a fixed part and a part for each lane of
 * the other band; a grid cell is one pair at one grid point. A general exponent adds a power to
 * each of both. By precision, but for the first and the last, a power in double precision by a
 * table (base/power.h), 0 where there is none. */
struct pcf_costs {
  double event, lane[2], cell[2], power[2], by_table;
};

const struct pcf_costs *pcf_costs_of(const struct pcf_pairs *pairs);

/* Adding up, transposing and writing a pair of a tile, and starting and joining a thread. */
static const double pcf_finish_cost = 3, pcf_thread_cost = 40e3;

/* What a term costs under the operation of the request, if it costs that much for L1 and a
 * power is `power`. General exponents may go over the terms twice, first for the supremum. */
double pcf_term_cost(double cost, double power, const struct pcf_request *request);

/* Seconds of so many nanoseconds that come in `items` equal shares. */
double pcf_spread(double nanoseconds, double items, int threads);

/* The matrix in tiles of that width: tiles that are computed; bands of both sides, and their
 * functions and breakpoints (once where both sides are the same); and events, each taking part
 * in a tile with every band of the other side. A tile is computed at its full width, however
 * few functions are in it. */
struct pcf_tiling {
  double tiles, bands, functions, breakpoints, events;
};

struct pcf_tiling pcf_tiling_of(const struct pcf_request *request, int width);

#endif
