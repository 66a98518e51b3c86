/* Gaps for AVX2 with FMA. */
#include "base/instructions.h"

#if PCF_HAS_X86
#define ISA avx2
#define SIMD "base/simd-avx2.h"
#include "selections/gaps-template.h"
#endif
