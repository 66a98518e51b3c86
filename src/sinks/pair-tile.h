/* Tiles of pairs: the weights of 32 × 32 pairs in sums (pair-sums.h). */
#pragma once

#include "blocks/sink.h"

/* The weight of a pair with the result r: r^power; exp(−(r / scale)² / 2); exp(−r / scale). For
 * logarithms of sums: exp(−r^power / scale), without overflow or underflow. */
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
  /* Set when the run begins: are pairs added for both of their functions (`both`), are pairs of
   * a function and itself included (`diagonal`), and how numbers are scaled back. */
  int both, diagonal;
  struct pcf_scale back;
};

enum { PCF_PAIR_TILE = 32 };

/* A weight that is not finite, or too large to be added to others; for logarithms, one that is
 * missing. */
struct pcf_odd_weight {
  double weight;
  unsigned char row, column;
};

/* The pairs in a tile. If rows and columns are the same functions, pairs on and below the
 * diagonal and pairs above it are separate terms. */
enum pcf_pair_part { PCF_PAIRS_ALL, PCF_PAIRS_BELOW, PCF_PAIRS_ABOVE };

/* Rows row … row + 31 and columns column … column + 31. Elements that are not pairs have weight
 * 0.
 *
 * weight[column][row] is the weight of a pair. If pairs are added for both of their functions,
 * it is also in turned[row][column], without the diagonal. For logarithms the weight is
 * weight[column][row] · 2^exponent[column][row]; the largest logarithms of rows are in most[0],
 * and those of columns in most[1]. */
struct pcf_pair_tile {
  int64_t row, column;
  enum pcf_pair_part part;
  double weight[PCF_PAIR_TILE][PCF_PAIR_TILE];
  union {
    double turned[PCF_PAIR_TILE][PCF_PAIR_TILE];
    int64_t exponent[PCF_PAIR_TILE][PCF_PAIR_TILE];
  };
  double most[2][PCF_PAIR_TILE];
  int odds;
  struct pcf_odd_weight odd[PCF_PAIR_TILE * PCF_PAIR_TILE];
};

/* The exponent of elements that are not pairs, and of pairs that are ignored. */
#define PCF_NO_EXPONENT (INT64_MIN / 4)

/* Fills in the weights of the pairs of a block that are in the tile, whose first three members
 * are set. Elements that are not pairs of its `part` have no weight. Weights above 2^500 are in
 * `odd`. */
void pcf_fill_pair_tile(const struct pcf_pair_weighing *weighing,
                        const struct pcf_finished *finished, struct pcf_pair_tile *tile);
