#include "pairs/parts.h"

#include "base/memory.h"

enum pcf_status pcf_parts_count(struct pcf_parts *parts, const struct pcf_schedule *schedule,
                                struct pcf_error *error) {
  *parts = (struct pcf_parts){0};
  parts->slot = pcf_allocate((size_t)schedule->slots, sizeof *parts->slot, error);
  if (!parts->slot) return PCF_ERROR_MEMORY;
  for (int64_t b = 0; b < schedule->count; b++) {
    const struct pcf_block *block = &schedule->block[b];
    if (block->part == 0) atomic_init(&parts->slot[block->slot].missing, block->parts);
  }
  for (int64_t s = 0; s < schedule->slots; s++) {
    parts->slot[s].first = parts->total;
    parts->total += atomic_load(&parts->slot[s].missing);
  }
  return PCF_OK;
}

void pcf_parts_free(struct pcf_parts *parts) {
  pcf_free(parts->slot);
  *parts = (struct pcf_parts){0};
}
