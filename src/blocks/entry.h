/* Entries: the few numbers of a block that are passed on instead of all. Devices write them,
 * too. */
#pragma once

#include <stdint.h>

/* A number of a block, and its place relative to the block. */
struct pcf_entry {
  int32_t row, column;
  double number;
};
