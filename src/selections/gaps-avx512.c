/* Gaps for AVX-512. */
#include "base/instructions.h"

#if PCF_HAS_X86
#define ISA avx512
#define SIMD "base/simd-avx512.h"
#include "selections/gaps-template.h"
#endif
