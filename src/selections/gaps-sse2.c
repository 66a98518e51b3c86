/* Gaps for SSE2. */
#include "base/instructions.h"

#if PCF_HAS_X86
#define ISA sse2
#define SIMD "base/simd-sse2.h"
#include "selections/gaps-template.h"
#endif
