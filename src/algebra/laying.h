/* Functions with several components as functions with one. */
#pragma once

#include "collections/owned.h"

/* From `from` to `to` on the clock of a component lie from `begin` to `end` on the clock of the
 * row: the times between are shifted. `begin` and `end` are finite: where `from` or `to` is
 * not, breakpoints lie between them nevertheless. */
struct pcf_laid {
  int64_t column;
  double from, to, begin, end, shift;
};

/* Row r consists of the functions x[r], x[r + rows] … of its columns, of which each part has a
 * stretch. The parts are in the order of their stretches, which do not meet but at their ends.
 * Between them a row has the value `outside`, or what a part without an end has there; and so
 * before the first and after the last. Times that are the same once they are shifted become a
 * jump. */
struct pcf_laying {
  const struct pcf_collection *x;
  int64_t rows, count; /* of parts, at least one */
  const struct pcf_laid *parts;
  double outside;
};

/* The rows, still to be written. */
struct pcf_unwritten pcf_lay_rows(const struct pcf_laying *laying);
