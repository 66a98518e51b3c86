/* Sorting and the reading of bars for SSE2. */
#include "base/instructions.h"

#if PCF_HAS_X86
#define ISA sse2
#define MOST_KEYS 8192
#define SIMD "base/simd-sse2.h"
#include "functions/sorting-template.h"
#endif
