/* The tile kernels, compiled once for each instruction set and chosen at run time. */
#ifndef PCF_KERNELS_H
#define PCF_KERNELS_H

#include "base/instructions.h"
#include "blocks/sink.h"
#include "pairs/band.h"
#include "pairs/track.h"

#include <stdatomic.h>

struct pcf_cpu_run;

/* Functions whose bits are in a word. */
enum { PCF_CELL_LANES = 64 };

/* A grid panel: `count` <= width functions as rows of values on the grid points, stored point
 * by point: values[g * width + lane]. Unused lanes are 0. For a partial form missing values are
 * 0 too. Then `lengths`, otherwise NULL, has those of the stretches that start at the points,
 * or 0 where the value is missing, and `known` has a bit for each value that is known, bit
 * lane % PCF_CELL_LANES of known[g * words + lane / PCF_CELL_LANES]. */
struct pcf_panel {
  int count, complete; /* is no value missing? Told of partial forms */
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
  void *suprema; /* of a part, where the operation is relative: their suprema, as the output */
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
    struct {
      const struct pcf_cpu_run *run;
      struct pcf_spot place; /* the first row and column */
    } lengths;
  };
};

/* Some pairs of a tile of the sweep, relative to it, and the tracks of its rows and columns. */
struct pcf_some {
  const struct pcf_track *rows, *columns;
  const struct pcf_spot *spot;
  int64_t spots;
};

/* Has the operation a kernel for some pairs? Pairs are left out by bounds of distances between
 * functions that are known throughout; powers pay for whole tiles only. */
PCF_CONSTANT int pcf_takes_some(int operation) {
  return operation != PCF_INNER && !pcf_is_partial_form(operation) &&
         !pcf_is_relative(operation);
}

/* Kernels return 0, or 1 when they were stopped. That for some pairs gives the same results as
 * that for all. */
typedef int pcf_tile_kernel(const struct pcf_tile *tile);
typedef int pcf_some_kernel(const struct pcf_tile *tile, const struct pcf_some *some);

/* Makes of the values of a panel, of which NaN are missing, those of a partial form, and fills
 * what goes with them; `lengths` are those of the points. Returns whether none are missing. */
typedef int pcf_separate_kernel(int64_t points, int width, const void *lengths, void *values,
                                uint64_t *known, void *own_lengths);

/* x[k] = x[k]^p for `count` numbers from 0 to 1; see power-template.h. */
typedef void pcf_power_kernel(const struct pcf_exponent *p, int64_t count, void *x);

/* sum[lane]: that of weight[k][lane] · number[k] for k = 0 … count - 1, in their order. */
enum { PCF_PRODUCT_LANES = 32 };
typedef void pcf_products_kernel(const double (*weight)[PCF_PRODUCT_LANES],
                                 const double *number, int count, double *sum);

/* What follows is by precision, too: whole numbers of 64 bits go with double precision, of 32
 * with single, and sums of them are modulo 2^64 or 2^32. */

/* `width` at once: sum[k] += held[k] + time where going[k] has all bits, and held[k] where it
 * has none. */
typedef void pcf_add_elapsed_kernel(const void *held, const void *going, int64_t time,
                                    int width, void *sum);

/* Of PCF_CELL_LANES functions at once, where bit k of observed[c] tells whether function k is
 * observed in cell c: sum[k] becomes all[k] plus the lengths of those of the `count` listed
 * cells in which it is. */
struct pcf_listed_cell {
  int64_t cell, length;
};
typedef void pcf_add_cells_kernel(const uint64_t *observed, const struct pcf_listed_cell *list,
                                  int64_t count, const void *all, void *sum);

/* to[k] = number[k] · unit as scalars, for numbers that are not negative. Returns whether any
 * number is negative or below `least`. */
typedef int pcf_to_scalars_kernel(const void *number, int count, double unit, int64_t least,
                                  void *to);

/* results[k] /= lengths[k] · unit, or the square root of that if `root` is 2 and not 1. Returns
 * whether all lengths are positive. */
typedef int pcf_divide_kernel(double *results, const void *lengths,
                              enum pcf_precision precision, double unit, int64_t count,
                              int root);

/* By precision, but for products and quotients. */
struct pcf_kernels {
  pcf_tile_kernel *sweep[2], *grid[2];
  pcf_some_kernel *some[2];
  pcf_separate_kernel *separate[2];
  pcf_power_kernel *power[2], *power_by_table[2];
  pcf_products_kernel *products;
  pcf_add_elapsed_kernel *add_elapsed[2];
  pcf_add_cells_kernel *add_cells[2];
  pcf_to_scalars_kernel *to_scalars[2];
  pcf_divide_kernel *divide;
  const struct pcf_l1_passes *l1_passes; /* pairs/product-l1.h */
};
PCF_TABLES(pcf_kernels)

/* Bytes of workspace that a tile of that width and precision needs. */
size_t pcf_tile_workspace(int width, const struct pcf_integral *integral);

#endif
