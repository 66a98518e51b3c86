/* Silhouettes of persistence diagrams: for each the weighted mean of the tents of its bars. */
#pragma once

#include "collections/curves.h"
#include "diagrams/tents.h"

/* Makes a function of each diagram: the mean of the tents of all bars that count, where a bar
 * has the weight (death - birth)^power. `power` is at least 0 and finite. The function has
 * vertices at births, middles and deaths, but where the slopes cancel; it is exactly 0 where no
 * bar lives.
 *
 * Times are the exact ones, rounded once; the values are those at these times, to 1e-15 of the
 * largest, whatever the number of bars and however large they are. A tent without a number
 * between its birth and death is taken for 0, though its weight counts.
 *
 * The result does not depend on `threads`, of which each works on one diagram at a time.
 * Returns PCF_ERROR_ARGUMENT with `fault` for a bar that breaks the rules, otherwise
 * PCF_ERROR_MEMORY or, after a non-zero `stop` (which may be NULL), PCF_ERROR_INTERRUPTED.
 * Free `curves` with pcf_curves_free(), whatever the status. */
enum pcf_status pcf_build_silhouettes(const struct pcf_diagrams *x, double power, int threads,
                                      const atomic_int *stop, struct pcf_bar_fault *fault,
                                      struct pcf_curves *curves, struct pcf_error *error);
