/* All vector code for SSE2. */
#include "base/instructions.h"

#if PCF_HAS_X86
#define ISA sse2
#define SIMD "arithmetic/simd-sse2.h"
#define MOST_KEYS 8192
#include "instructions/code-template.h"
#endif
