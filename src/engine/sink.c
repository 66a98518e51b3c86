#include "engine/sink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_column(const struct pcf_sink *sink, const struct pcf_integral *integral,
                         int64_t row, int64_t column, const void *from, int64_t count,
                         double *to);
static void mirror(const struct pcf_sink *sink, const struct pcf_block *block);

int64_t pcf_sink_length(const struct pcf_sink *sink) {
  switch (sink->kind) {
  case PCF_SINK_DIST: return sink->rows * (sink->rows - 1) / 2;
  case PCF_SINK_PAIRED: return sink->rows;
  default: return sink->rows * sink->columns;
  }
}

/* A column of the block is contiguous in the block and in every kind of result. */
void pcf_sink_write(const struct pcf_sink *sink, const struct pcf_integral *integral,
                    const struct pcf_block *block, const void *data, int64_t stride) {
  size_t scalar = pcf_scalar_size(integral->precision);
  int64_t row_end = block->row + block->rows;
  if (sink->kind == PCF_SINK_PAIRED) {
    write_column(sink, integral, block->row, block->column, data, 1,
                 sink->result + block->slot);
    return;
  }
  for (int64_t j = block->column; j < block->column + block->columns; j++) {
    int64_t i = block->row, to;
    if (sink->kind == PCF_SINK_DIST && i <= j) i = j + 1;
    if (sink->kind == PCF_SINK_SYMMETRIC && i < j) i = j;
    if (i >= row_end) continue;
    to = sink->kind == PCF_SINK_DIST ? pcf_dist_index(sink->rows, i, j) : i + sink->rows * j;
    const char *from = data;
    from += (size_t)(i - block->row + stride * (j - block->column)) * scalar;
    write_column(sink, integral, i, j, from, row_end - i, sink->result + to);
  }
  if (sink->kind == PCF_SINK_SYMMETRIC) mirror(sink, block);
}

enum { SAFE_EXPONENT = 1000 }; /* 2 to this power is a normal number */

/* Scales back and writes the pairs of functions row … row + count - 1 with a column. */
static void write_column(const struct pcf_sink *sink, const struct pcf_integral *integral,
                         int64_t row, int64_t column, const void *from, int64_t count,
                         double *to) {
  const float *single = from;
  const double *wide = from;
  int own = integral->own_exponents;
  int scaled = integral->exponent != 0 || integral->factor != 1 || own;
  if (integral->precision == PCF_DOUBLE && !scaled) {
    memcpy(to, from, (size_t)count * sizeof *to);
    return;
  }
  if (own || abs(integral->exponent) > SAFE_EXPONENT) {
    for (int64_t i = 0; i < count; i++) {
      double x = integral->precision == PCF_DOUBLE ? wide[i] : (double)single[i];
      int exponent = integral->exponent;
      if (own) exponent += sink->row_exponents[row + i] + sink->column_exponents[column];
      to[i] = ldexp(x * integral->factor, exponent);
    }
    return;
  }
  double factor = ldexp(integral->factor, integral->exponent);
  if (integral->precision == PCF_DOUBLE) {
    for (int64_t i = 0; i < count; i++) to[i] = wide[i] * factor;
  } else {
    for (int64_t i = 0; i < count; i++) to[i] = (double)single[i] * factor;
  }
}

/* Copies the block across the diagonal, in squares that fit the cache. */
static void mirror(const struct pcf_sink *sink, const struct pcf_block *block) {
  enum { SQUARE = 32 };
  int64_t n = sink->rows, row_end = block->row + block->rows;
  int64_t column_end = block->column + block->columns;
  for (int64_t i0 = block->row; i0 < row_end; i0 += SQUARE) {
    int64_t i1 = i0 + SQUARE < row_end ? i0 + SQUARE : row_end;
    for (int64_t j0 = block->column; j0 < column_end; j0 += SQUARE) {
      int64_t j1 = j0 + SQUARE < column_end ? j0 + SQUARE : column_end;
      for (int64_t i = i0; i < i1; i++) {
        int64_t end = j1 < i ? j1 : i;
        for (int64_t j = j0; j < end; j++) sink->result[j + n * i] = sink->result[i + n * j];
      }
    }
  }
}
