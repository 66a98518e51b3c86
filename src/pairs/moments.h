/* Moments of functions over time, in double-double arithmetic: what sums of powers are made of.
 * Functions g with weights b have the moments k = 0 … p up to a time T: the sum of
 * b(g) ∫ g^k = T · A(k) − B(k). Where a g changes its value at t, A(k) changes by b times the
 * difference of the powers, and B(k) by t times that. */
#ifndef PCF_MOMENTS_H
#define PCF_MOMENTS_H

#include "base/twofold.h"
#include "pairs/product.h"

#define PCF_ALWAYS_INLINE static inline __attribute__((always_inline))

/* The powers 0 … p of a value, less a center. */
struct pcf_powers {
  struct pcf_twofold of[PCF_MOST_PRODUCT_POWER + 1];
};

struct pcf_moments {
  struct pcf_twofold steady[PCF_MOST_PRODUCT_POWER + 1]; /* A */
  struct pcf_twofold missed[PCF_MOST_PRODUCT_POWER + 1]; /* B */
};

PCF_ALWAYS_INLINE void pcf_find_powers(double value, double center, int p,
                                       struct pcf_powers *powers) {
  *powers = (struct pcf_powers){{{1, 0}}};
  powers->of[1] = pcf_exact_sum_of(value, -center);
  for (int k = 2; k <= p; k++) {
    powers->of[k] = pcf_twofold_product(powers->of[k - 1], powers->of[1]);
  }
}

/* From a time on, the moments least … p have b times these powers more. */
PCF_ALWAYS_INLINE void pcf_change_moments(struct pcf_moments *moments,
                                          const struct pcf_powers *powers, int least, int p,
                                          double b, struct pcf_twofold time) {
  for (int k = least; k <= p; k++) {
    struct pcf_twofold step = pcf_twofold_times(powers->of[k], b);
    moments->steady[k] = pcf_twofold_sum(moments->steady[k], step);
    moments->missed[k] = pcf_twofold_sum(moments->missed[k], pcf_twofold_product(step, time));
  }
}

/* The sum over the moments k = 0 … most up to a time of factor[k] · moment · power p − k. */
PCF_ALWAYS_INLINE struct pcf_twofold pcf_ask_moments(const struct pcf_moments *moments,
                                                     const double *factor,
                                                     const struct pcf_powers *powers, int p,
                                                     int most, struct pcf_twofold time) {
  struct pcf_twofold sum = {0, 0};
  for (int k = 0; k <= most; k++) {
    struct pcf_twofold moment =
      pcf_twofold_difference(pcf_twofold_product(moments->steady[k], time), moments->missed[k]);
    struct pcf_twofold term = pcf_twofold_product(moment, powers->of[p - k]);
    sum = pcf_twofold_sum(sum, pcf_twofold_times(term, factor[k]));
  }
  return sum;
}

#endif
