/* L1 products for AVX2, and processors with more. */
#include "base/instructions.h"

#if PCF_HAS_X86
#define PCF_SINGLE 0
#include "base/simd-avx2.h"

/* Without fused multiply-adds. */
#undef TARGET
#define TARGET __attribute__((target("avx2")))
#define ISA avx2
#include "pairs/product-l1-template.h"
#endif
