/* Times from arithmetic such as 0.1 * 3 and 0.3 are the same time where windows are read. */
#pragma once

#include "base/bits.h"

/* Do two times differ by less than 8 units in the last place? */
static inline int pcf_is_same_time(double a, double b) {
  double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
  return a == b || (larger < INFINITY && fabs(a - b) < 8 * (pcf_next_time(larger) - larger));
}
