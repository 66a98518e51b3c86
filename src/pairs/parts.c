#include "pairs/parts.h"

enum pcf_status pcf_parts_schedule(struct pcf_parts *parts, const struct pcf_task *task,
                                   int64_t side, pcf_part_rule *rule, const void *context,
                                   size_t bytes, struct pcf_schedule *schedule,
                                   struct pcf_error *error) {
  enum pcf_status status = pcf_schedule_parts(schedule, task->mode, &task->rows, &task->columns,
                                              side, task->pairs, rule, context, error);
  if (status) return status;
  parts->missing =
    pcf_array(&parts->arrays, (size_t)schedule->slots, sizeof *parts->missing, error);
  parts->memory = pcf_array(&parts->arrays, (size_t)schedule->count, bytes, error);
  if (parts->arrays.status) return PCF_ERROR_MEMORY;
  for (int64_t b = 0; b < schedule->count; b++) {
    const struct pcf_block *block = &schedule->block[b];
    if (block->part == 0) atomic_init(&parts->missing[block->slot], block->parts);
  }
  return PCF_OK;
}
