/* The vector code of the tree of depths (tree.h), in a table for each instruction set. Nothing
 * is fused, so that all sets give the same bits. Arrays are aligned to PCF_ALIGNMENT. */
#pragma once

enum { PCF_FAN = 64 };

struct pcf_settling {
  /* The leaves of a block: adds to `sum` the integrals of their x², where x was x + c for c
   * with the integrals `once` and `square` over a time; and adds `by` to x. */
  void (*squares)(double *x, double *sum, double time, double by, double once, double square);
  /* The same for |x|, of which all had that sign; 0: for c that did not change, but is `by`. */
  void (*sizes)(double *x, double *sum, double time, double by, double once, double sign);
  /* The blocks of a group: the same for c of their leaves. */
  void (*blocks)(double *more, double *once, double *squared, double time, double by,
                 double integral, double square);
  /* The groups, a multiple of 8: time passes. */
  void (*groups)(const double *more, double *once, double *squared, long count, double time);
};

extern const struct pcf_settling pcf_settling_avx2, pcf_settling_sse2, pcf_settling_neon,
  pcf_settling_scalar;
