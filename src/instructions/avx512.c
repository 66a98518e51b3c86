/* All vector code for AVX-512. */
#include "base/instructions.h"

#if PCF_HAS_X86
#define ISA avx512
#define SIMD "arithmetic/simd-avx512.h"
#define MOST_KEYS 65536
/* What has no vectors, or short ones, is that of AVX2. */
#define NARROW_ISA avx2
#include "instructions/code-template.h"
#endif
