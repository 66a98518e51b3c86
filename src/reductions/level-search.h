/* The search for quantiles of piecewise linear functions in a range of time. */
#pragma once

#include "reductions/level-path.h"

/* A function over a range of time: those of its breakpoints that are strictly inside, and its
 * values at both ends, which may be `off` by so much; infinite if some are missing. */
struct pcf_level_run {
  int64_t function, begin, end;
  double from, to, off;
};

/* Functions over a range, and bounds of the values of each: infinite where some, or all, are
 * missing. */
struct pcf_level_runs {
  struct pcf_level_run *run;
  double *least, *most;
};

/* From a time on, so many functions are observed; while they are noted, so many more. */
struct pcf_level_change {
  double time;
  int64_t known;
};

/* What a quantile does from a time on, up to the next piece: its values at both ends, the lines
 * that it is on or between, and how far between. Where it is missing it is on no line. */
struct pcf_level_piece {
  double time, from, to;
  struct pcf_line_of lower, upper;
  double share;
};

/* The functions of a row in a range of time, and the quantile that was sought last: begin with
 * zeros. The memory is kept for the next range. */
enum { PCF_LEVEL_CUTS = 96 };
struct pcf_level_search {
  const struct pcf_collection *x;
  int64_t functions;
  int observed_only;
  double from, to, prob;
  struct pcf_level_runs all; /* of each function */
  double *number;            /* as many numbers */
  int64_t room;
  struct pcf_level_change *change;
  int64_t changes, change_room;
  struct pcf_level_piece *piece;
  int64_t pieces, piece_room;
  struct pcf_level_cut {
    struct pcf_level_runs runs; /* in both parts of a range */
    int64_t room;
  } cut[PCF_LEVEL_CUTS + 1];
  struct pcf_level_run *now; /* functions, and lines, at a moment */
  struct pcf_level_line *line;
  int64_t now_room;
  struct pcf_level_path path, next_path;
};

/* Makes the search ready for some functions, `count` of them, between two times.
 * PCF_ERROR_MEMORY. */
enum pcf_status pcf_level_search_begin(struct pcf_level_search *search,
                                       const struct pcf_collection *x, const int64_t *function,
                                       int64_t count, int observed_only, double from, double to,
                                       struct pcf_error *error);

/* Finds the pieces of the quantile of type 7 for a probability, none if the range is empty.
 * PCF_ERROR_MEMORY. */
enum pcf_status pcf_level_search_find(struct pcf_level_search *search, double prob,
                                      struct pcf_error *error);

/* Does a quantile go on from one piece to the next? */
int pcf_level_goes_on(const struct pcf_level_piece *before,
                      const struct pcf_level_piece *after);

void pcf_level_search_free(struct pcf_level_search *search);
