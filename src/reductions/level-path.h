/* Levels of straight lines: the k-th smallest of their values at every time. */
#pragma once

#include "arithmetic/double-double.h"
#include "base/error.h"
#include "collections/collection.h"

/* A line: that of a function of a collection after so many of its breakpoints. */
struct pcf_line_of {
  int64_t function, passed;
};

static inline int pcf_same_line(struct pcf_line_of a, struct pcf_line_of b) {
  return a.function == b.function && a.passed == b.passed;
}

/* The value at a time on a line, rounded as if all its digits were known; NaN where the
 * function is missing. */
struct pcf_double_double pcf_line_value(const struct pcf_collection *x, struct pcf_line_of line,
                                        double time);

/* The value where one line meets another: of the one that changes less, so that clipped values
 * do not pass the level at which they are. */
double pcf_meeting_value(const struct pcf_collection *x, struct pcf_line_of a,
                         struct pcf_line_of b, double time);

/* A line with its values at both ends of a stretch of time. */
struct pcf_level_line {
  struct pcf_line_of line;
  struct pcf_double_double from, to;
};

/* From a time on, a level follows a line. */
struct pcf_level_bend {
  double time;
  struct pcf_line_of line;
};

/* The level of a stretch: bends, the first one at its start, and its values at both ends. The
 * memory is kept for the next one; begin with zeros. */
enum { PCF_LEVEL_DEPTH = 128 };
struct pcf_level_path {
  const struct pcf_collection *x;
  struct pcf_level_bend *bend;
  int64_t bends, room;
  double from, to;
  struct pcf_level_part {
    struct pcf_level_line *line;
    struct pcf_double_double *middle;
    double *number;
    int64_t room;
  } part[PCF_LEVEL_DEPTH];
};

/* Finds the level that `k` of `count` lines are below (from 0), none of them missing. Free with
 * pcf_level_path_free(), whatever the status. PCF_ERROR_MEMORY. */
enum pcf_status pcf_find_level(struct pcf_level_path *path, double from, double to,
                               const struct pcf_level_line *line, int64_t count, int64_t k,
                               struct pcf_error *error);
/* Adds a bend, unless the line is that of the last one. PCF_ERROR_MEMORY. */
enum pcf_status pcf_level_follow(struct pcf_level_path *path, double time,
                                 struct pcf_line_of line, struct pcf_error *error);
void pcf_level_path_free(struct pcf_level_path *path);
