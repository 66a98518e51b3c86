/* All vector code in plain C. */
#include "base/instructions.h"

#if PCF_HAS_SCALAR
#define ISA scalar
#define SIMD "arithmetic/simd-scalar.h"
#define MOST_KEYS 1024
#include "instructions/code-template.h"
#endif
