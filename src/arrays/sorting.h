/* Sorting numbers and reading bars, compiled once for each instruction set. */
#pragma once

#include "base/instructions.h"

#include <stdint.h>

/* Numbers to sort: no NaN and no -0. Both arrays have room for pcf_sort_room(count) numbers and
 * are aligned to PCF_ALIGNMENT. Afterwards `sorted` has the result, ascending; `keys`, and what
 * is in `sorted` behind `count`, are of no use. */
struct pcf_sorting {
  int64_t count;
  double *keys, *sorted;
};

typedef void pcf_sort_kernel(const struct pcf_sorting *sorting);

/* The least of 64, 96, 128, 192, 256, ... that is at least `count`: whole vectors, so that
 * arrays that follow each other are aligned as well. */
int64_t pcf_sort_room(int64_t count);

/* Bars of a persistence diagram, and where to put what is read of them, each with room for
 * `count` numbers or NULL. 0 is stored for -0. */
struct pcf_bars {
  const double *birth, *death;
  int64_t count;
  double *to_birth, *to_death, *to_length, *to_middle;
};

/* Reads bars as long as they are plain: with finite births and deaths, and lengths over 0.
 * Returns how many it has read. The next PCF_BARS_PER_BLOCK bars have one that is not plain, or
 * are fewer than a vector; what is stored for them means nothing. */
typedef int64_t pcf_bars_kernel(const struct pcf_bars *bars);
enum { PCF_BARS_PER_BLOCK = 64 };

/* The kernels of an instruction set. */
struct pcf_sorters {
  pcf_bars_kernel *plain_bars;
  pcf_sort_kernel *sort_keys;
  int64_t most_keys; /* what it sorts faster than pcf_sort_steps() */
};
PCF_TABLES(pcf_sorters)
