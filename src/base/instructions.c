#include "base/instructions.h"

#include <string.h>

const char *pcf_instructions_name(enum pcf_instructions set) {
  static const char *const names[] = {"avx512", "avx2", "sse2", "neon", "scalar"};
  return names[set];
}

static enum pcf_instructions best_allowed = PCF_AVX512;

void pcf_allow_instructions(enum pcf_instructions best) {
  best_allowed = best;
}

static int is_supported(enum pcf_instructions set) {
  switch (set) {
#if PCF_HAS_X86
  case PCF_AVX512:
    return is_supported(PCF_AVX2) && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw");
  case PCF_AVX2:
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  case PCF_SSE2: return 1;
#elif PCF_HAS_NEON
  case PCF_NEON: return 1;
#endif
  default: return set == PCF_SCALAR && PCF_HAS_SCALAR;
  }
}

int pcf_available_instructions(enum pcf_instructions available[PCF_INSTRUCTION_SETS]) {
  int count = 0;
  for (int k = (int)best_allowed; k < PCF_INSTRUCTION_SETS; k++) {
    if (is_supported((enum pcf_instructions)k)) available[count++] = (enum pcf_instructions)k;
  }
  return count;
}

int pcf_find_instructions(const char *name, enum pcf_instructions *set) {
  int best = !name || strcmp(name, "auto") == 0;
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int count = pcf_available_instructions(available);
  for (int k = 0; k < count; k++) {
    *set = available[k];
    if (best || strcmp(pcf_instructions_name(*set), name) == 0) return 1;
  }
  return 0;
}

enum pcf_instructions pcf_best_instructions(void) {
  enum pcf_instructions available[PCF_INSTRUCTION_SETS] = {PCF_SCALAR};
  pcf_available_instructions(available);
  return available[0];
}
