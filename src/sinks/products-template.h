/* Products of a tile with numbers, for the instruction set ISA, on the vector operations of the
 * simd-*.h header that was included before, in double precision; see kernels.h. */
#include "base/hints.h"

#define PRODUCTS_NAME_2(isa) pcf_products_##isa
#define PRODUCTS_NAME(isa) PRODUCTS_NAME_2(isa)
#define EACH_VECTOR(v) EACH_OF(v, VECTORS_AT_ONCE)

/* As many sums at the same time as fit into registers. */
enum { VECTORS_AT_ONCE = PCF_PRODUCT_LANES / LANES < 8 ? PCF_PRODUCT_LANES / LANES : 8 };

static TARGET void PRODUCTS_NAME(ISA)(const double (*weight)[PCF_PRODUCT_LANES],
                                      const double *number, int count, double *sum) {
  for (int lane = 0; lane < PCF_PRODUCT_LANES; lane += VECTORS_AT_ONCE * LANES) {
    V sums[VECTORS_AT_ONCE];
    EACH_VECTOR(v) sums[v] = v_set1(0);
    for (int k = 0; k < count; k++) {
      V factor = v_set1(number[k]);
      EACH_VECTOR(v) sums[v] = v_fma(v_load(&weight[k][lane + v * LANES]), factor, sums[v]);
    }
    EACH_VECTOR(v) v_store(sum + lane + v * LANES, sums[v]);
  }
}

#undef PCF_SINGLE
#include "arithmetic/simd-end.h"
