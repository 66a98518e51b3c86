/* The tile kernels for AVX2 with FMA. */
#include "base/instructions.h"

#if PCF_HAS_X86
#define ISA avx2
#define SIMD "base/simd-avx2.h"
#include "pairs/kernels-template.h"
#endif
