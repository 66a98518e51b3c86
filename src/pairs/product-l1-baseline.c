/* L1 products for the baseline of the architecture. */
#include "base/lanes.h"

#define ISA baseline
#include "pairs/product-l1-template.h"
