/* The tile kernels for NEON. */
#include "base/instructions.h"

#if PCF_HAS_NEON
#define ISA neon
#define SIMD "base/simd-neon.h"
#include "pairs/kernels-template.h"
#endif
