/* What a block is where only few of its numbers are handed on; devices write it, too. */
#ifndef PCF_ENTRY_H
#define PCF_ENTRY_H

#include <stdint.h>

/* A number of a block, and its place relative to the block. */
struct pcf_entry {
  int32_t row, column;
  double number;
};

#endif
