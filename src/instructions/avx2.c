/* All vector code for AVX2 with FMA. */
#include "base/instructions.h"

#if PCF_HAS_X86
#define ISA avx2
#define SIMD "arithmetic/simd-avx2.h"
#define MOST_KEYS 65536
#define UNFUSED_TARGET __attribute__((target("avx2")))
#include "instructions/code-template.h"
#endif
