#include "sinks/pair-tile.h"

#include "arithmetic/double-double.h"
#include "base/bits.h"

#include <math.h>
#include <string.h>

enum { SIDE = PCF_PAIR_TILE };

/* ---- Weights ---- */

static double raised(double number, double power) {
  return power == 1 ? number : power == 2 ? number * number : pow(number, power);
}

/* The power of a result, divided by the scale, also where the power itself is no normal number.
 */
static inline double scaled_power(const struct pcf_pair_weighing *weighing, double result) {
  double power = raised(result, weighing->power);
  if (isnormal(power) || !isnormal(result)) return power / weighing->scale;
  return pow(result / pow(weighing->scale, 1 / weighing->power), weighing->power);
}

/* What a result becomes: a weight or, for logarithms, an exponent. What is missing stays so. */
static double weight_of(const struct pcf_pair_weighing *weighing, double result) {
  double ratio = result / weighing->scale;
  if (isnan(result)) return result;
  switch (weighing->weight) {
  case PCF_WEIGH_GAUSSIAN: return exp(-(ratio * ratio) / 2);
  case PCF_WEIGH_LAPLACIAN: return exp(-ratio);
  case PCF_WEIGH_LOGARITHM: return -scaled_power(weighing, result);
  default: return raised(result, weighing->power);
  }
}

/* ---- Tiles ---- */

static void put_odd(struct pcf_pair_tile *tile, int row, int column, double weight) {
  tile->odd[tile->odds++] =
    (struct pcf_odd_weight){weight, (unsigned char)row, (unsigned char)column};
}

static const double most_weight = 0x1p500;

static void put_weight(struct pcf_pair_tile *tile, int row, int column, double weight,
                       int turned) {
  if (!(fabs(weight) <= most_weight)) {
    put_odd(tile, row, column, weight);
    return;
  }
  tile->weight[column][row] = weight;
  if (turned) tile->turned[row][column] = weight;
}

static void keep_larger(double *most, double weight) {
  if (weight > *most) *most = weight;
}

/* exp(weight) is a number from 1/√2 to √2 times a power of two. */
static void put_logarithm(struct pcf_pair_tile *tile, int row, int column, double weight) {
  static const double log2e = 1.4426950408889634, ln2 = 0x1.62e42fefa39efp-1,
                      ln2_rest = 0x1.abc9e3b39803fp-56, lowest = -0x1p50;
  if (isnan(weight)) put_odd(tile, row, column, weight);
  keep_larger(&tile->most[0][row], weight);
  keep_larger(&tile->most[1][column], weight);
  if (!(weight >= lowest)) return;
  double exponent = rint(weight * log2e);
  struct pcf_double_double whole = pcf_exact_product(exponent, ln2);
  tile->weight[column][row] = exp((weight - whole.high) - (whole.low + exponent * ln2_rest));
  tile->exponent[column][row] = (int64_t)exponent;
}

/* Bounds the rows begin … end - 1 of a column to those of the part. */
static void bound_rows(const struct pcf_pair_weighing *weighing, enum pcf_pair_part part,
                       int64_t column, int64_t *begin, int64_t *end) {
  int64_t least = weighing->diagonal ? column : column + 1;
  if (part == PCF_PAIRS_BELOW && *begin < least) *begin = least;
  if (part == PCF_PAIRS_ABOVE && *end > column) *end = column;
}

void pcf_fill_pair_tile(const struct pcf_pair_weighing *weighing,
                        const struct pcf_finished *finished, struct pcf_pair_tile *tile) {
  const struct pcf_block *block = finished->block;
  int logarithms = weighing->weight == PCF_WEIGH_LOGARITHM;
  int64_t begin = pcf_larger(block->row, tile->row);
  int64_t block_end = pcf_smaller(block->row + block->rows, tile->row + SIDE);
  int64_t last = pcf_smaller(block->column + block->columns, tile->column + SIDE);
  memset(tile->weight, 0, sizeof tile->weight);
  if (!logarithms) memset(tile->turned, 0, sizeof tile->turned);
  tile->odds = 0;
  for (int k = 0; k < SIDE * SIDE && logarithms; k++)
    tile->exponent[k / SIDE][k % SIDE] = PCF_NO_EXPONENT;
  for (int k = 0; k < SIDE; k++) tile->most[0][k] = tile->most[1][k] = -INFINITY;
  for (int64_t j = pcf_larger(block->column, tile->column); j < last; j++) {
    double number[SIDE];
    int64_t i = begin, end = block_end;
    bound_rows(weighing, tile->part, j, &i, &end);
    if (i >= end) continue;
    int64_t place = i - block->row + finished->stride * (j - block->column);
    const void *from = pcf_scalar_at(finished->data, place, weighing->back.precision);
    pcf_scale_back(&weighing->back, i, j, from, end - i, number);
    for (int64_t k = 0; k < end - i; k++) {
      int row = (int)(i + k - tile->row), column = (int)(j - tile->column);
      double weight = weight_of(weighing, number[k]);
      if (logarithms) put_logarithm(tile, row, column, weight);
      else put_weight(tile, row, column, weight, weighing->both && i + k != j);
    }
  }
}
