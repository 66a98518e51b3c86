#include "selections/gaps.h"

const struct pcf_gaps *pcf_gaps_of(enum pcf_instructions set) {
  static const struct pcf_gaps *const tables[PCF_INSTRUCTION_SETS] = PCF_TABLES(pcf_gaps);
  return tables[set];
}
