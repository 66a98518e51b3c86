/* Seeded random collections for the tests, and what a pair of functions should give. */
#ifndef PCFDIST_TESTS_COLLECTIONS_H
#define PCFDIST_TESTS_COLLECTIONS_H

#include "check.h"

#include "blocks/schedule.h"
#include "integrals/integral.h"

/* ---- Random numbers ---- */

double random_uniform(struct random *random); /* in [0, 1) */
double random_normal(struct random *random);
int64_t random_between(struct random *random, int64_t least, int64_t most);

/* For qsort() of doubles: the smallest first. */
int by_number(const void *a, const void *b);

/* ---- Collections that own their functions, and are freed at the end of the test ---- */

struct functions {
  struct pcf_collection view;
  double **function; /* times, then values */
  int64_t *offsets;
};

/* The functions have these numbers of breakpoints; what is in them is up to the caller. */
struct functions *functions_new(int64_t count, const int64_t *lengths);

/* Piecewise linear ones: of function i the limits from the left, and the values. */
struct functions *lines_new(int64_t count, const int64_t *lengths);
double *lefts_of(const struct functions *x, int64_t i);
double *after_lefts(const struct functions *x, int64_t i);

/* From literal functions, each given as its times and then its values. */
struct functions *functions_of(int64_t count, const int64_t *lengths,
                               const double *const *literal);

enum shape {
  PAPER,         /* sorted absolute normals, times one more; first time 0, last value 0 */
  INTEGER_TIMES, /* few different times, small whole values: ties everywhere */
  SHARED_GRID,   /* all have the times 0, 1, 2, …, as long as they are */
  UNBOUNDED,     /* negative times too, the last value is not 0 for some */
  PARTIAL,       /* the same with missing values; of each four functions, the second has a first
                    time of −∞, and of each eight one is never observed */
};

/* `count` functions with least … most breakpoints each. */
struct functions *functions_random(struct random *random, enum shape shape, int64_t count,
                                   int64_t least, int64_t most);

/* Groups far from each other, which take turns, of functions from time 0 to 1 that each have
 * times of their own, least … most of them. */
struct functions *functions_in_groups(struct random *random, int64_t count, int64_t groups,
                                      int64_t least, int64_t most);

/* Functions order[0], order[1], … of x. */
struct functions *functions_picked(const struct functions *x, int64_t count,
                                   const int64_t *order);

/* Multiplies all times by a factor and then adds a number. */
void functions_move(struct functions *x, double factor, double by);

double *times_of(const struct functions *x, int64_t i);
double *values_of(const struct functions *x, int64_t i);

/* The value of a function at a time, by definition; of times and values that lie anywhere. */
double value_at(const struct pcf_collection *x, int64_t i, double time);
double value_of(const double *time, const double *value, int64_t m, double t);

/* ---- The oracle ---- */

struct question {
  enum pcf_operation operation;
  double p, from, to;
};

/* The result in long double, and what its error is relative to: the result itself, or for inner
 * products, whose terms may cancel, that of the absolute values. */
struct answer {
  double value, scale;
};

/* The functions i of x and j of y, straight from the definition, over the stretches on which
 * both are observed. */
struct answer oracle(const struct question *question, const struct pcf_collection *x, int64_t i,
                     const struct pcf_collection *y, int64_t j);

/* All pairs: answers[i + count of x * j]; freed at the end of the test. */
struct answer *oracle_matrix(const struct question *question, const struct pcf_collection *x,
                             const struct pcf_collection *y);

/* The same with function 0 of w as the weight, from −∞ on 0 or its first value. */
struct answer *weighted_matrix(const struct question *question, const struct pcf_collection *x,
                               const struct pcf_collection *y, const struct pcf_collection *w);

/* |got - answer| <= tolerance * scale; infinities must be equal. */
bool agrees(double got, struct answer answer, double tolerance);

/* What the results of that precision must keep: 1e-13, 1e-5. Valgrind has no long double beyond
 * double, so that the oracle itself is off there. */
double tolerance_of(enum pcf_precision precision);

/* The operations, general p with and without half powers among them. */
extern const struct question operations[];
extern const int operation_count;
#define OPERATIONS operation_count

/* The same for piecewise linear functions, and what a pair of them should give: the error is
 * relative to what the functions' sizes would give. The mean of |d|^p for a line d from a to b.
 */
extern const struct question line_operations[];
extern const int line_operation_count;
struct answer line_oracle(const struct question *question, const struct pcf_collection *x,
                          int64_t i, const struct pcf_collection *y, int64_t j);
long double line_mean_power(long double a, long double b, long double p);

/* The integral for a question over one or two collections (y may be NULL), over the overlaps of
 * functions. */
struct pcf_integral integral_for(const struct question *question, enum pcf_precision precision,
                                 const struct pcf_collection *x,
                                 const struct pcf_collection *y);

/* That of L1 over a window; y may be NULL. */
struct pcf_integral l1_within(double from, double to, enum pcf_precision precision,
                              const struct functions *x, const struct functions *y);

/* A kernel's result for functions i of x and j of y, scaled back as a sink does. */
double scaled_back(const struct pcf_integral *integral, double result,
                   const struct pcf_collection *x, int64_t i, const struct pcf_collection *y,
                   int64_t j);

/* Element k of an array in that precision. */
double scalar_at(const void *array, int64_t k, enum pcf_precision precision);

/* As the engine sees the functions. Use it within the expression that makes it. */
#define items_of(x) (&(struct pcf_items){(x)->view.count, (x)->view.offsets})

#endif
