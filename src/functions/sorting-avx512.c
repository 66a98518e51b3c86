/* Sorting and the reading of bars for AVX-512. */
#include "base/instructions.h"

#if PCF_HAS_X86
#define ISA avx512
#define MOST_KEYS 65536
#define SIMD "base/simd-avx512.h"
#include "functions/sorting-template.h"
#endif
