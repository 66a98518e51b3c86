/* Which of sorted values a quantile lies at or between. */
#pragma once

#include <float.h>
#include <math.h>
#include <stdint.h>

/* The value with so many before it (from 0), and how far the quantile is from there to the next
 * one: 0 … 1. */
struct pcf_rank {
  int64_t before;
  double share;
};

/* That of type 7 of R's quantile(), for a probability and a number of values, at least 1. */
static inline struct pcf_rank pcf_rank_of(double prob, int64_t count) {
  double at = 1 + (double)(count - 1) * prob, below = floor(at + 4 * DBL_EPSILON);
  return (struct pcf_rank){(int64_t)below - 1, fmax(at - below, 0)};
}

/* The quantile, from the value there and the next one: the sum of shares of one value may miss
 * it. */
static inline double pcf_at_rank(struct pcf_rank rank, double value, double next) {
  return value == next ? value : (1 - rank.share) * value + rank.share * next;
}
