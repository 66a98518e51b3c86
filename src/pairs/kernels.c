#include "pairs/kernels.h"

/* Two accumulators of width² (and for general p the suprema, their reciprocals for rows and for
 * columns, and room for results), as many wide ones, which only long functions touch, and two
 * sides of up to five state arrays, one of them of pointers, and a row of zeros. */
size_t pcf_tile_workspace(int width, const struct pcf_integral *integral) {
  size_t squares = pcf_takes_powers(integral->operation) ? 6 : 2, w = (size_t)width;
  return (squares * w * w + 9 * w) * pcf_scalar_size(integral->precision) +
         2 * w * sizeof(void *) + 2 * w * w * sizeof(double);
}
