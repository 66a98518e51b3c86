/* Expanding, gathering, scattering and moving many intervals of very different lengths. The
 * work is shared out by elements, so that one long interval keeps all threads busy.
 *
 * There are `count` intervals; interval s has offsets[s + 1] - offsets[s] elements, which may
 * be none; offsets[0] is 0. Elements are `size` bytes each: 1, 2, 4, 8 or 16. */
#pragma once

#include "base/error.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Fills to[offsets[s] … offsets[s + 1] - 1] with value[s], for every s.
 * PCF_ERROR_INTERRUPTED when `stop` (or NULL) becomes non-zero; PCF_ERROR_MEMORY. */
enum pcf_status pcf_interval_expand(const void *value, size_t size, const int64_t *offsets,
                                    int64_t count, int threads, const atomic_int *stop,
                                    void *to, struct pcf_error *error);

/* Copies interval s from from[gather[s] …] to to[scatter[s] …], for every s. Without `gather`
 * (NULL) the intervals are read one after the other, without `scatter` they are written so. The
 * caller has checked that they lie within both arrays, and that no two are written to the same
 * place. Status as of pcf_interval_expand(). */
enum pcf_status pcf_interval_move(const void *from, const int64_t *gather, void *to,
                                  const int64_t *scatter, size_t size, const int64_t *offsets,
                                  int64_t count, int threads, const atomic_int *stop,
                                  struct pcf_error *error);
