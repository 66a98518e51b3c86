/* Helpers for the tests of collections and what is made of them. */
#ifndef PCFDIST_TESTS_RAGGED_H
#define PCFDIST_TESTS_RAGGED_H

#include "arrays/partition.h"
#include "collections.h"

/* Never set: what a loop that is not stopped gets. */
extern const atomic_int never_stop;

/* Cuts items of these lengths. */
struct pcf_portions portions_of_lengths(int64_t items, int64_t *length);

/* Functions of the shape INTEGER_TIMES or UNBOUNDED with the given lengths. */
struct functions *functions_of_lengths(struct random *random, enum shape shape, int64_t count,
                                       const int64_t *lengths);

/* Makes about that share of the values missing. */
void forget_values(struct random *random, struct functions *x, double share);

/* Are two functions the same, bit for bit? */
bool same_function(const struct functions *x, const struct functions *y, int64_t i);

#endif
