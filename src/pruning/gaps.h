/* Points in bands of 32, boxes around them, and how far these are apart: what bounds of
 * distances are made of. In single precision. */
#pragma once

#include "arithmetic/power.h"
#include "base/instructions.h"
#include "integrals/operation.h"

#include <stdint.h>

/* The points of a band, and what the number of coordinates is a multiple of. */
enum { PCF_BAND_POINTS = 32, PCF_COORDINATES_AT_ONCE = 32 };

/* Coordinate c of point `lane` of a band is point[c * PCF_BAND_POINTS + lane]. A box is the
 * least and the most that each coordinate is. */
struct pcf_box {
  const float *least, *most;
};

/* What gaps in the coordinates combine to: their sum, the sum of their squares or of their
 * powers p, or the largest of them, for PCF_L1, PCF_L2, PCF_LP and PCF_LINF. No root is taken.
 * Powers are those of numbers up to 1, which all differences of coordinates are then to be. */
struct pcf_metric {
  enum pcf_operation operation;
  int coordinates;
  int half_powers; /* as of an integral */
  struct pcf_exponent power;
};

/* The box that has only point `lane` of a band, whose coordinates are copied to `own`. */
static inline struct pcf_box pcf_box_of_point(const struct pcf_metric *metric,
                                              const float *band, int64_t lane, float *own) {
  for (int c = 0; c < metric->coordinates; c++) own[c] = band[c * PCF_BAND_POINTS + lane];
  return (struct pcf_box){own, own};
}

/* The code of an instruction set. */
struct pcf_gaps {
  /* Between two boxes. */
  float (*of_boxes)(const struct pcf_metric *metric, const struct pcf_box *a,
                    const struct pcf_box *b);
  /* gap[lane]: between a box and each point of a band. */
  void (*of_points)(const struct pcf_metric *metric, const struct pcf_box *box,
                    const float *point, float *gap);
  /* Where coordinates are bytes, eight a word, `words` each; word w of point `lane` of a band
   * is band[w * PCF_BAND_POINTS + lane]. A bit for each point whose gaps add up to no more than
   * reach[lane], from a box, or than `reach`, from a point of another band. */
  uint32_t (*near_box)(int words, const uint64_t *least, const uint64_t *most,
                       const uint64_t *band, const int64_t *reach);
  uint32_t (*near_point)(int words, const uint64_t *point, const uint64_t *band, int64_t reach);
};
PCF_TABLES(pcf_gaps)
