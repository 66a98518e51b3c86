/* Gaps for 64-bit Arm. */
#include "base/instructions.h"

#if PCF_HAS_NEON
#define ISA neon
#define SIMD "base/simd-neon.h"
#include "selections/gaps-template.h"
#endif
