#include "pairs/parts.h"

#include "base/memory.h"

enum pcf_status pcf_parts_schedule(struct pcf_parts *parts, const struct pcf_task *task,
                                   int64_t side, pcf_part_rule *rule, const void *context,
                                   size_t bytes, struct pcf_schedule *schedule,
                                   struct pcf_error *error) {
  int64_t total = 0;
  enum pcf_status status = pcf_schedule_parts(schedule, task->mode, &task->rows, &task->columns,
                                              side, task->pairs, rule, context, error);
  if (status) return status;
  parts->slot = pcf_allocate((size_t)schedule->slots, sizeof *parts->slot, error);
  if (!parts->slot) return PCF_ERROR_MEMORY;
  for (int64_t b = 0; b < schedule->count; b++) {
    const struct pcf_block *block = &schedule->block[b];
    if (block->part == 0) atomic_init(&parts->slot[block->slot].missing, block->parts);
  }
  for (int64_t s = 0; s < schedule->slots; s++) {
    parts->slot[s].first = total;
    total += atomic_load(&parts->slot[s].missing);
  }
  parts->memory = pcf_allocate((size_t)total, bytes, error);
  return parts->memory ? PCF_OK : PCF_ERROR_MEMORY;
}

void pcf_parts_free(struct pcf_parts *parts) {
  pcf_free(parts->slot);
  pcf_free(parts->memory);
}
