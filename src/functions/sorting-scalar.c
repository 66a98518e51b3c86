/* Sorting and the reading of bars for plain C. */
#define ISA scalar
#define MOST_KEYS 1024
#define MOST_PAIRS 64
#define SIMD "base/simd-scalar.h"
#include "functions/sorting-template.h"
