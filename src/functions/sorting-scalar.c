/* Sorting and the reading of bars for plain C. */
#define ISA scalar
#define MOST_KEYS 1024
#define SIMD "base/simd-scalar.h"
#include "functions/sorting-template.h"
