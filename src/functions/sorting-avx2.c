/* Sorting and the reading of bars for AVX2 with FMA. */
#include "base/instructions.h"

#if PCF_HAS_X86
#define ISA avx2
#define MOST_KEYS 65536
#define SIMD "base/simd-avx2.h"
#include "functions/sorting-template.h"
#endif
