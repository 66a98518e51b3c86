/* Plain vectors of numbers, of uneven lengths, and their dot products: a second family, with
 * backends of its own, which the engine runs as it runs functions. */
#ifndef PCFDIST_TESTS_VECTORS_H
#define PCFDIST_TESTS_VECTORS_H

#include "blocks/pipeline.h"

/* Vector i is numbers[offsets[i]] … numbers[offsets[i + 1] - 1]. */
struct vectors {
  int64_t count;
  int64_t *offsets;
  double *numbers;
};

/* Until the end of the test; the numbers are up to the caller. */
struct vectors *vectors_new(int64_t count, const int64_t *lengths);

/* Asks for weight · 2^shift · Σ_k x_i[k] y_j[k] of all pairs, over the shorter length. */
struct vector_problem {
  const struct vectors *x, *y; /* y is NULL for the pairs of x itself */
  enum pcf_mode mode;
  int64_t pairs; /* of a paired mode */
  enum pcf_precision precision;
  double weight;
  int shift;
  int own_exponents; /* is every vector scaled by itself? */
  int slots;         /* of a device: 2 … PCF_MAX_SLOTS */
  int *exponents;    /* only while the run lasts: of x, then of y */
};

extern const struct pcf_family vector_family;

enum { VECTOR_TILE = 4, VECTOR_BUFFERS = 2, VECTOR_DEVICES = 2, VECTOR_MEMORY = 1 << 20 };

/* Two kinds of machines. The single one begins at once; the fleet has VECTOR_DEVICES devices,
 * begins later and is faster. Their devices pretend to have memory of their own, as much as the
 * settings say or VECTOR_MEMORY bytes: half for vectors, which come in segments to slots and
 * are read there alone, half for the outputs of VECTOR_BUFFERS blocks. */
extern const struct pcf_backend vector_single, vector_fleet;

/* What the machines have done since the last call: segments that were brought to slots. */
int64_t vector_loads(void);

/* What was made for runs and not freed: 0 when none is under way. */
int vector_remains(void);

#endif
