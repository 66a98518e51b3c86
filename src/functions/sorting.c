#include "functions/sorting.h"

#include <stddef.h>

const struct pcf_sorters *pcf_sorters_of(enum pcf_instructions set) {
  static const struct pcf_sorters *const tables[PCF_INSTRUCTION_SETS] = PCF_TABLES(pcf_sorters);
  return tables[set];
}

const struct pcf_sorters *pcf_best_sorters(void) {
  enum pcf_instructions best = PCF_SCALAR;
  pcf_find_instructions(NULL, &best);
  return pcf_sorters_of(best);
}

int64_t pcf_sort_room(int64_t count) {
  int64_t room = 64;
  while (room < count) room *= 2;
  return room > 64 && room / 4 * 3 >= count ? room / 4 * 3 : room;
}
