/* All vector code for NEON. */
#include "base/instructions.h"

#if PCF_HAS_NEON
#define ISA neon
#define SIMD "arithmetic/simd-neon.h"
#define MOST_KEYS 8192
#include "instructions/code-template.h"
#endif
