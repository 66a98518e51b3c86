/* The kernels for tiles, compiled for each instruction set and chosen at run time. */
#pragma once

#include "base/instructions.h"
#include "base/memory.h"
#include "blocks/sink.h"
#include "kernels/band.h"
#include "kernels/event-lists.h"
#include "kernels/spikes.h"

#include <stdatomic.h>

/* The number of functions whose bits are in a word. */
enum { PCF_CELL_LANES = 64 };

/* A grid panel: `count` <= width functions as rows of values at the grid points, stored point
 * by point: values[g * width + lane]. Unused lanes are 0. For a partial form, missing values
 * are 0 as well; `lengths`, otherwise NULL, has the lengths of the stretches that start at the
 * points, or 0 if the value is missing; and `known` has a bit for each value that is not
 * missing, bit lane % PCF_CELL_LANES of known[g * words + lane / PCF_CELL_LANES]. */
struct pcf_panel {
  int count, complete; /* complete: is no value missing? Set for partial forms */
  void *values, *lengths;
  uint64_t *known;
  struct pcf_arrays arrays;
};

/* The number of words for a point in `known`. */
static inline size_t pcf_known_words(int width) {
  return (size_t)pcf_band_count(width, PCF_CELL_LANES);
}

/* A tile of the result: the pairs of `rows` and `columns`. The result for row i and column j
 * of the tile is stored at output[i + stride * j], in the integral's precision. When
 * `triangle` is set, rows and columns are the same functions and only pairs with i >= j are
 * stored. */
struct pcf_tile {
  const struct pcf_integral *integral;
  double from, to; /* of the integral, or of a part of its window */
  int part;        /* is it a part of the window? Then no root is taken */
  void *suprema; /* of a part, if the operation takes powers: their suprema, like the output */
  int width;
  int triangle;
  void *workspace; /* pcf_tile_workspace() bytes, aligned */
  void *output;
  int64_t stride;
  const atomic_int *stop; /* if it becomes non-zero, the kernel returns early */
  union {
    struct {
      const struct pcf_band *rows, *columns;
    } sweep;
    struct {
      const struct pcf_spike_band *rows, *columns;
    } spikes;
    struct {
      const struct pcf_panel *rows, *columns;
      const void *lengths; /* of the stretches that start at the grid points */
      int64_t points;
    } grid;
  };
};

/* Listed pairs of a tile, as positions relative to it, and the event lists of its rows and
 * columns. */
struct pcf_listed_pairs {
  const struct pcf_event_list *rows, *columns;
  const struct pcf_pair_position *position;
  int64_t positions;
};

/* Does the operation have a kernel for listed pairs? Pairs are skipped by bounds of distances
 * between step functions without missing values; for powers only whole tiles are worth it. */
PCF_CONSTANT int pcf_takes_listed(int operation) {
  return pcf_is_norm(operation) && !pcf_takes_powers(operation);
}

/* Kernels return 0, or 1 if they were stopped. The kernel for listed pairs gives the same
 * results as that for whole tiles. */
typedef int pcf_tile_kernel(const struct pcf_tile *tile);
typedef int pcf_listed_kernel(const struct pcf_tile *tile,
                              const struct pcf_listed_pairs *listed);

/* x[k] = x[k]^p for `count` numbers from 0 to 1; see power-template.h. */
typedef void pcf_power_kernel(const struct pcf_exponent *p, int64_t count, void *x);

/* The means of |d|^p over stretches on which d goes from start[k] to end[k], relative to its
 * supremum; 0 if d is missing. */
enum { PCF_MEANS = 32 };
typedef void pcf_means_kernel(const struct pcf_integral *integral,
                              const double start[PCF_MEANS], const double end[PCF_MEANS],
                              double mean[PCF_MEANS]);

/* sum[lane] = Σ weight[k][lane] · number[k] over k = 0 … count - 1, added in that order. */
enum { PCF_PRODUCT_LANES = 32 };
typedef void pcf_products_kernel(const double (*weight)[PCF_PRODUCT_LANES],
                                 const double *number, int count, double *sum);

/* By precision, except for spikes, means and products, which are double. The sweep has kernels
 * for each family of functions. */
struct pcf_kernels {
  pcf_tile_kernel *sweep[PCF_FAMILIES][2], *grid[2], *spikes;
  pcf_listed_kernel *listed[2];
  pcf_power_kernel *power[2], *power_by_table[2];
  pcf_means_kernel *means;
  pcf_products_kernel *products;
  const struct pcf_l1_passes *l1_passes; /* products/product-l1.h */
  const struct pcf_settling *settling;   /* depth/settling.h */
};
PCF_TABLES(pcf_kernels)

/* The bytes of workspace for a tile of that width and precision: two accumulators of width²
 * (and for general p the suprema, their reciprocals for rows and for columns, and room for
 * results), as many wide ones, which only long functions touch, and two sides of up to five
 * state arrays, one of them of pointers, and a row of zeros. */
static inline size_t pcf_tile_workspace(int width, const struct pcf_integral *integral) {
  size_t squares = pcf_takes_powers(integral->operation) ? 6 : 2, w = (size_t)width;
  return (squares * w * w + 9 * w) * pcf_scalar_size(integral->precision) +
         2 * w * sizeof(void *) + 2 * w * w * sizeof(double);
}
