#include "blocks/sink.h"

#include "base/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Results of more bytes than any cache has are written around the caches (measured with 16
 * threads and 25.6 GB: 0.67 s instead of 0.9 s). */
static const int64_t most_in_cache = (int64_t)256 << 20;

static void write_column(const struct pcf_sink *sink, const struct pcf_integral *integral,
                         int64_t row, int64_t column, const void *from, int64_t count,
                         double *to);

static int is_large(const struct pcf_sink *sink) {
  return pcf_sink_length(sink) > most_in_cache / (int64_t)sizeof(double);
}

int64_t pcf_sink_length(const struct pcf_sink *sink) {
  switch (sink->kind) {
  case PCF_SINK_DIST: return sink->rows * (sink->rows - 1) / 2;
  case PCF_SINK_PAIRED: return sink->rows;
  default: return sink->rows * sink->columns;
  }
}

void pcf_sink_write(const struct pcf_sink *sink, const struct pcf_integral *integral,
                    const struct pcf_block *block, const void *data, int64_t stride) {
  pcf_sink_write_below(sink, integral, block, data, stride);
  pcf_sink_mirror(sink, block);
}

/* A column of the block is contiguous in the block and in every kind of result. */
void pcf_sink_write_below(const struct pcf_sink *sink, const struct pcf_integral *integral,
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
  pcf_stream_end();
}

enum { SAFE_EXPONENT = 1000 }; /* 2 to this power is a normal number */

/* Scales back and writes the pairs of functions row … row + count - 1 with a column. */
static void write_column(const struct pcf_sink *sink, const struct pcf_integral *integral,
                         int64_t row, int64_t column, const void *from, int64_t count,
                         double *to) {
  const float *single = from;
  const double *wide = from;
  int own = integral->own_exponents;
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
  int stream =
    sink->kind != PCF_SINK_SYMMETRIC && is_large(sink); /* mirroring reads it again */
  if (integral->precision != PCF_DOUBLE) {
    if (stream) pcf_stream_floats(to, single, factor, count);
    else
      for (int64_t i = 0; i < count; i++) to[i] = (double)single[i] * factor;
  } else if (stream) {
    pcf_stream_doubles(to, wide, factor, count);
  } else if (factor == 1) {
    memcpy(to, wide, (size_t)count * sizeof *to);
  } else {
    for (int64_t i = 0; i < count; i++) to[i] = wide[i] * factor;
  }
}

enum { SQUARE = 32 };

/* Copies the square at (row, column), of at most SQUARE functions a side, across the diagonal.
 * It is turned over in the cache, so that memory is read and written in the order in which it
 * lies. */
static void mirror_square(const struct pcf_sink *sink, int64_t row, int64_t row_end,
                          int64_t column, int64_t column_end) {
  double square[SQUARE][SQUARE + 1];
  int64_t n = sink->rows;
  int stream = is_large(sink);
  for (int64_t j = column; j < column_end; j++) {
    const double *from = sink->result + n * j;
    for (int64_t i = j < row ? row : j + 1; i < row_end; i++) {
      square[i - row][j - column] = from[i];
    }
  }
  for (int64_t i = row; i < row_end; i++) {
    int64_t end = column_end < i ? column_end : i;
    if (end <= column) continue;
    double *to = sink->result + column + n * i;
    if (stream) pcf_stream_doubles(to, square[i - row], 1, end - column);
    else memcpy(to, square[i - row], (size_t)(end - column) * sizeof *to);
  }
}

void pcf_sink_mirror(const struct pcf_sink *sink, const struct pcf_block *block) {
  if (sink->kind != PCF_SINK_SYMMETRIC) return;
  int64_t row_end = block->row + block->rows;
  int64_t column_end = block->column + block->columns;
  for (int64_t i = block->row; i < row_end; i += SQUARE) {
    int64_t i_end = i + SQUARE < row_end ? i + SQUARE : row_end;
    for (int64_t j = block->column; j < column_end; j += SQUARE) {
      int64_t j_end = j + SQUARE < column_end ? j + SQUARE : column_end;
      mirror_square(sink, i, i_end, j, j_end);
    }
  }
  pcf_stream_end();
}
