/* The tile kernels, compiled once for each instruction set and chosen at run time. */
#pragma once

#include "base/instructions.h"
#include "blocks/sink.h"
#include "pairs/band.h"
#include "pairs/event-lists.h"

#include <stdatomic.h>

/* Functions whose bits are in a word. */
enum { PCF_CELL_LANES = 64 };

/* A grid panel: `count` <= width functions as rows of values on the grid points, stored point
 * by point: values[g * width + lane]. Unused lanes are 0. For a partial form missing values are
 * 0 too. Then `lengths`, otherwise NULL, has those of the stretches that start at the points,
 * or 0 where the value is missing, and `known` has a bit for each value that is known, bit
 * lane % PCF_CELL_LANES of known[g * words + lane / PCF_CELL_LANES]. */
struct pcf_panel {
  int count, complete; /* is no value missing? Set for partial forms */
  const void *values, *lengths;
  const uint64_t *known;
};

/* The words of a point in `known`. */
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
  int part;        /* one of these? Then no root is taken */
  void *suprema; /* of a part, where the operation takes powers: their suprema, as the output */
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

/* Listed pairs of a tile, at positions relative to it, and the event lists of its rows and
 * columns. */
struct pcf_listed_pairs {
  const struct pcf_event_list *rows, *columns;
  const struct pcf_pair_position *position;
  int64_t positions;
};

/* Does the operation have a kernel for listed pairs? Pairs are left out by bounds of distances
 * between step functions that are known throughout; powers pay for whole tiles only. */
PCF_CONSTANT int pcf_takes_listed(int operation) {
  return pcf_is_norm(operation) && !pcf_takes_powers(operation);
}

/* Kernels return 0, or 1 when they were stopped. That of listed pairs gives the same results as
 * that of whole tiles. */
typedef int pcf_tile_kernel(const struct pcf_tile *tile);
typedef int pcf_listed_kernel(const struct pcf_tile *tile,
                              const struct pcf_listed_pairs *listed);

/* Turns the values of a panel, where NaN is missing, into those of a partial form, and fills
 * what goes with them; `lengths` are those of the points. Returns whether no value is
 * missing. */
typedef int pcf_separate_kernel(int64_t points, int width, const void *lengths, void *values,
                                uint64_t *known, void *own_lengths);

/* x[k] = x[k]^p for `count` numbers from 0 to 1; see power-template.h. */
typedef void pcf_power_kernel(const struct pcf_exponent *p, int64_t count, void *x);

/* The means of |d|^p over stretches on which d goes from start[k] to end[k], relative to its
 * supremum; 0 where d is missing. */
enum { PCF_MEANS = 32 };
typedef void pcf_means_kernel(const struct pcf_integral *integral,
                              const double start[PCF_MEANS], const double end[PCF_MEANS],
                              double mean[PCF_MEANS]);

/* sum[lane] = Σ weight[k][lane] · number[k] over k = 0 … count - 1, added in that order. */
enum { PCF_PRODUCT_LANES = 32 };
typedef void pcf_products_kernel(const double (*weight)[PCF_PRODUCT_LANES],
                                 const double *number, int count, double *sum);

/* By precision, but for means and products, which are double; those of the sweep for step
 * functions, then for piecewise linear ones. */
struct pcf_kernels {
  pcf_tile_kernel *sweep[2][2], *grid[2];
  pcf_listed_kernel *listed[2];
  pcf_separate_kernel *separate[2];
  pcf_power_kernel *power[2], *power_by_table[2];
  pcf_means_kernel *means;
  pcf_products_kernel *products;
  const struct pcf_l1_passes *l1_passes; /* pairs/product-l1.h */
};
PCF_TABLES(pcf_kernels)

/* Bytes of workspace that a tile of that width and precision needs. */
size_t pcf_tile_workspace(int width, const struct pcf_integral *integral);
