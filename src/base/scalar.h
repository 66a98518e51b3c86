/* The two precisions that results are computed in. */
#ifndef PCF_SCALAR_H
#define PCF_SCALAR_H

#include <stddef.h>
#include <stdint.h>

enum pcf_precision { PCF_DOUBLE = 0, PCF_SINGLE_PRECISION = 1 };

static inline size_t pcf_scalar_size(enum pcf_precision precision) {
  return precision == PCF_DOUBLE ? sizeof(double) : sizeof(float);
}

/* array[k] = x, in an array of that precision. */
static inline void pcf_store_scalar(void *array, int64_t k, double x,
                                    enum pcf_precision precision) {
  if (precision == PCF_DOUBLE) ((double *)array)[k] = x;
  else ((float *)array)[k] = (float)x;
}

/* array[k]. */
static inline double pcf_load_scalar(const void *array, int64_t k,
                                     enum pcf_precision precision) {
  return precision == PCF_DOUBLE ? ((const double *)array)[k]
                                 : (double)((const float *)array)[k];
}

#endif
