/* The tile kernels for plain C. */
#define ISA scalar
#define SIMD "base/simd-scalar.h"
#include "pairs/kernels-template.h"
