/* Functions with several components as functions with one. */
#pragma once

#include "collections/owned.h"

/* From `from` to `to` on the clock of a component lie from `begin` to `end` on the clock of the
 * row: the times between are multiplied by 2^exponent and then shifted. `begin` and `end` are
 * finite: where `from` or `to` is not, breakpoints lie between them nevertheless. */
struct pcf_laid {
  int64_t column;
  double from, to, begin, end, shift;
  int exponent;
};

/* Row r consists of the functions x[r], x[r + rows] … of its columns, of which each part has a
 * stretch. The parts are in the order of their stretches, which do not meet but at their ends.
 * Between them a row has the value `outside`, or what a part without an end has there; and so
 * before the first and after the last. Times that are the same once they are laid become a
 * jump. */
struct pcf_laying {
  const struct pcf_collection *x;
  int64_t rows, count; /* of parts, at least one */
  const struct pcf_laid *parts;
  double outside;
};

/* The rows, still to be written. */
struct pcf_unwritten pcf_lay_rows(const struct pcf_laying *laying);

/* Times by their size: of those with the same sign and power of two the least and the largest
 * magnitude, by the bits of sign and exponent; 0 where there are none. */
enum { PCF_TIME_SIZES = 1 << 12 };
struct pcf_time_sizes {
  double least[PCF_TIME_SIZES], largest[PCF_TIME_SIZES];
  int zero;  /* is 0 among them? */
  int grain; /* all are multiples of 2^grain */
};

/* Adds the times of functions first … end - 1 that are strictly between `from` and `to`. */
void pcf_add_time_sizes(struct pcf_time_sizes *sizes, const struct pcf_collection *x,
                        int64_t first, int64_t end, double from, double to);

/* The least and the largest times, and 0 if it is among them, increasing: at most
 * 2 · PCF_TIME_SIZES + 1. Returns how many these are. */
int pcf_list_time_sizes(const struct pcf_time_sizes *sizes, double *time);
