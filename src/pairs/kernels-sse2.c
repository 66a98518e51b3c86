/* The tile kernels for SSE2. */
#include "base/instructions.h"

#if PCF_HAS_X86
#define ISA sse2
#define SIMD "base/simd-sse2.h"
#include "pairs/kernels-template.h"
#endif
