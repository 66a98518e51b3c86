/* Gaps for plain C. */
#define ISA scalar
#define SIMD "base/simd-scalar.h"
#include "selections/gaps-template.h"
