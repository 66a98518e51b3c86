/* Powers that are multiplied out: x^p where 2p is a small whole number. C and CUDA read this
 * file. */
#pragma once

#include "base/host-device.h"

#include <math.h>

/* 2p if p is a multiple of 1/2 that is small enough to multiply out, else 0. */
static inline int pcf_half_powers(double p) {
  enum { MOST = 64 };
  return 2 * p <= MOST && 2 * p == floor(2 * p) ? (int)(2 * p) : 0;
}

/* x^p for x >= 0; `half_powers` is that of p. In C pcf_power() is of doubles and
 * pcf_power_single() of floats; in CUDA both have the plain name. */
#define PCF_POWER(name, scalar, general)                             \
  PCF_HOST_DEVICE scalar name(scalar x, double p, int half_powers) { \
    if (!half_powers) return general(x, (scalar)p);                  \
    scalar result = half_powers & 1 ? (scalar)sqrt(x) : 1;           \
    for (int n = half_powers / 2; n; n >>= 1) {                      \
      if (n & 1) result *= x;                                        \
      x *= x;                                                        \
    }                                                                \
    return result;                                                   \
  }

PCF_POWER(pcf_power, double, pow)
#ifdef __cplusplus
PCF_POWER(pcf_power, float, powf)
#else
PCF_POWER(pcf_power_single, float, powf)
#endif
