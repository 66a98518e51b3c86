/* Tiles of pairs: the weights that 32 × 32 pairs have in sums (pair-sums.h). */
#pragma once

#include "blocks/sink.h"

/* The weight of a pair with the result r: r^power; exp(−(r / scale)² / 2); exp(−r / scale). For
 * logarithms of sums: exp(−r^power / scale), of any size. */
enum pcf_pair_weight {
  PCF_WEIGH_POWER,
  PCF_WEIGH_GAUSSIAN,
  PCF_WEIGH_LAPLACIAN,
  PCF_WEIGH_LOGARITHM,
  PCF_PAIR_WEIGHTS,
};

/* How pairs are weighed. */
struct pcf_pair_weighing {
  enum pcf_pair_weight weight;
  double power, scale; /* positive */
  /* Set when the run begins: do pairs count for both of their functions, and those of a
   * function and itself; and how numbers are scaled back. */
  int both, diagonal;
  struct pcf_scale back;
};

enum { PCF_PAIR_TILE = 32 };

/* A weight that is not finite, or too large to be added up with others; of logarithms, one that
 * is missing or too low. */
struct pcf_odd_weight {
  double weight;
  unsigned char row, column;
};

/* Which pairs a tile has. Where rows and columns are the same functions, those on and below the
 * diagonal and those above it are separate terms. */
enum pcf_pair_part { PCF_PAIRS_ALL, PCF_PAIRS_BELOW, PCF_PAIRS_ABOVE };

/* Rows row … row + 31 and columns column … column + 31. What is not a pair has the weight 0.
 *
 * weight[column][row] is that of a pair. Where pairs count for both of their functions, it also
 * stands in turned[row][column], without the diagonal. For logarithms the weight is
 * weight[column][row] · 2^exponent[column][row]. */
struct pcf_pair_tile {
  int64_t row, column;
  enum pcf_pair_part part;
  double weight[PCF_PAIR_TILE][PCF_PAIR_TILE];
  union {
    double turned[PCF_PAIR_TILE][PCF_PAIR_TILE];
    int64_t exponent[PCF_PAIR_TILE][PCF_PAIR_TILE];
  };
  int odds;
  struct pcf_odd_weight odd[PCF_PAIR_TILE * PCF_PAIR_TILE];
};

/* The exponent where there is no pair, or it counts for nothing. */
#define PCF_NO_EXPONENT (INT64_MIN / 4)

/* Weighs the pairs of a block that are in the tile, whose first three members are set. What is
 * not a pair, or not of the part, has no weight. Larger weights than 2^500 are in `odd`. */
void pcf_fill_pair_tile(const struct pcf_pair_weighing *weighing,
                        const struct pcf_finished *finished, struct pcf_pair_tile *tile);
