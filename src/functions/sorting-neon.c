/* Sorting and the reading of bars for NEON. */
#include "base/instructions.h"

#if PCF_HAS_NEON
#define ISA neon
#define MOST_KEYS 8192
#define SIMD "base/simd-neon.h"
#include "functions/sorting-template.h"
#endif
