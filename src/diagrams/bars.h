/* Persistence diagrams, and the functions that can be made of them. */
#pragma once

#include "base/error.h"

#include <stdatomic.h>
#include <stdint.h>

/* A persistence diagram as the caller holds it: bar k lives on [birth[k], death[k]). Births
 * must be finite, deaths not before births but by rounding, which is by 1e-6 of them where
 * either is a number of single precision, and dimensions whole numbers from 0 on. */
struct pcf_diagram {
  const double *dimension; /* of each bar, or NULL where bars have none */
  const double *birth, *death;
  int64_t bars;
};

enum pcf_curve {
  PCF_STABLE_RANK,             /* how many bars are longer than t, from t = 0 on */
  PCF_BETTI_CURVE,             /* how many bars are alive at t */
  PCF_EULER_CURVE,             /* the same, those of odd dimensions counted as -1 */
  PCF_ACCUMULATED_PERSISTENCE, /* the length of all bars whose middle is at most t */
};

/* How a function is made of a diagram. Bars of length 0 add nothing, nor
 * do those that rounding has made shorter. A bar that never dies
 * counts for ever, and adds nothing to the accumulated persistence; the same holds for a bar
 * whose length overflows, in the stable rank and the accumulated persistence. */
struct pcf_curve_rule {
  enum pcf_curve curve;
  double dimension; /* the bars that count; NaN: all */
  int no_other;     /* is a bar of another dimension a fault? */
  double infinite;  /* what infinite deaths become: INFINITY, a number, or NaN: left out */
};

enum pcf_bar_problem {
  PCF_BAR_VALID = 0,
  PCF_BAR_MISSING,         /* NA or NaN */
  PCF_BAR_BIRTH_INFINITE,  /* of either sign */
  PCF_BAR_REVERSED,        /* death before birth */
  PCF_BAR_DIMENSION,       /* not a whole number from 0 on */
  PCF_BAR_OTHER_DIMENSION, /* where there should be only one */
  PCF_BAR_OVERFLOW,        /* the sum of the lengths; no bar in particular */
  PCF_BAR_ENDLESS,         /* the death is infinite, where none may be */
};

/* The first bar that broke the rules, counted from 0. */
struct pcf_bar_fault {
  enum pcf_bar_problem problem;
  int64_t diagram, bar;
};

/* Some diagrams, and what is made of each. */
struct pcf_diagrams {
  const struct pcf_diagram *diagrams;
  int64_t count;
  struct pcf_curve_rule rule;
};
