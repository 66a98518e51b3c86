/* What is told about a run. */
#pragma once

#include "blocks/device.h"
#include "blocks/timeline.h"

enum { PCF_MAX_BACKENDS = 4 };

/* Phases of a run. Blocks are consumed while others are computed, on the same threads; both are
 * elapsed times, as if all workers took equal shares. */
enum pcf_phase {
  PCF_PHASE_CHECK,
  PCF_PHASE_PLAN,
  PCF_PHASE_PREPARE,
  PCF_PHASE_COMPUTE,
  PCF_PHASE_SCATTER,
  PCF_PHASE_COUNT
};

struct pcf_report {
  int chosen; /* of the job's backends; -1 before there were offers */
  struct pcf_offer offer[PCF_MAX_BACKENDS];
  struct pcf_scale scale;
  double seconds[PCF_PHASE_COUNT];
  int64_t blocks;
  int64_t halvings; /* how often blocks were made smaller, to fit in device memory */
  struct pcf_timeline timeline; /* if requested: all blocks, in order of their launch */
};
