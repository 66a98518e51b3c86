/* The kernels, compiled once for each instruction set and chosen at run time. */
#ifndef PCF_KERNELS_H
#define PCF_KERNELS_H

#include "pairs/band.h"

#include <stdatomic.h>

/* A grid panel: `count` <= width functions as rows of values on the grid points, stored point
 * by point: values[g * width + lane]. Unused lanes are 0. */
struct pcf_panel {
  int64_t first;
  int count;
  const void *values;
};

/* A tile of the result: the pairs of `rows` and `columns`. The result for row i and column j
 * of the tile is stored at output[i + stride * j], in the integral's precision. When
 * `triangle` is set, rows and columns are the same functions and only pairs with i >= j are
 * stored. */
struct pcf_tile {
  const struct pcf_integral *integral;
  int width;
  int triangle;
  void *workspace; /* pcf_tile_workspace() bytes, aligned */
  void *output;
  int64_t stride;
  const atomic_int *stop; /* when it becomes non-zero the kernel returns early */
  union {
    struct {
      const struct pcf_band *rows, *columns;
    } sweep;
    struct {
      const struct pcf_panel *rows, *columns;
      const void *lengths; /* of the stretches that start at the grid points */
      int64_t points;
    } grid;
  };
};

/* Kernels return 0, or 1 when they were stopped. */
typedef int pcf_tile_kernel(const struct pcf_tile *tile);

/* Numbers to sort: no NaN and no -0. All arrays have room for pcf_sort_room(count) numbers and
 * are aligned to PCF_ALIGNMENT; `payload` and what becomes of it are left out for keys alone.
 * Afterwards `keys` and `payload`, and the sorted ones behind `count`, hold nothing of use. */
struct pcf_sorting {
  int64_t count;
  double *keys, *payload;
  double *sorted_keys, *sorted_payload; /* the result, ascending by key */
};

/* The payload goes with its key, which must be less than INFINITY then. The order of equal keys
 * depends on the kernel. */
typedef void pcf_sort_kernel(const struct pcf_sorting *sorting);

/* The least of 64, 96, 128, 192, 256, ... that is at least `count`: whole vectors, so that
 * arrays that follow each other are aligned as well. */
int64_t pcf_sort_room(int64_t count);

/* Bars of a persistence diagram, and where to put what is read of them, each with room for
 * `count` numbers or NULL. 0 is stored for -0. */
struct pcf_bars {
  const double *birth, *death;
  int64_t count;
  double *to_birth, *to_death, *to_length, *to_middle;
};

/* Reads bars for as long as they are plain: of finite births, deaths, and lengths over 0.
 * Returns how many it has read. What it stopped at is not plain, or fewer than a vector, and is
 * within the next PCF_BARS_PER_BLOCK bars; what is stored for these means nothing. */
typedef int64_t pcf_bars_kernel(const struct pcf_bars *bars);
enum { PCF_BARS_PER_BLOCK = 64 };

struct pcf_kernels {
  const char *name;          /* "avx512", "avx2", "sse2", "neon", "scalar" */
  int (*supported)(void);    /* does this processor have the instructions? */
  pcf_tile_kernel *sweep[2]; /* by precision */
  pcf_tile_kernel *grid[2];
  pcf_bars_kernel *plain_bars;
  pcf_sort_kernel *sort_keys, *sort_pairs;
  int64_t most_keys, most_pairs; /* what they sort faster than pcf_sort_steps() */
};

extern const struct pcf_kernels pcf_kernels_avx512, pcf_kernels_avx2, pcf_kernels_sse2,
  pcf_kernels_neon, pcf_kernels_scalar;

/* The instruction sets that this build and this processor have, best first; `count` is at most
 * PCF_MAX_ISAS. "scalar" is always the last. */
enum { PCF_MAX_ISAS = 4 };
int pcf_available_kernels(const struct pcf_kernels *available[PCF_MAX_ISAS]);

/* The kernels of that name, the best ones for NULL or "auto"; NULL if this machine has none of
 * that name. */
const struct pcf_kernels *pcf_find_kernels(const char *name);

/* Bytes of workspace that a tile of that width and precision needs. */
size_t pcf_tile_workspace(int width, const struct pcf_integral *integral);

#endif
