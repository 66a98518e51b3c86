/* Functions that a device has made, until R has memory for them. */
#ifndef PCF_CUDA_CURVES_H
#define PCF_CUDA_CURVES_H

#include "collections/curves.h"
#include "cuda/session.h"

/* Functions end to end in the memory of a session: function i has the breakpoints starts[i] …
 * starts[i + 1] - 1, or, if these are none, is 0. `starts` is the host's, from pcf_allocate(),
 * and goes to pcf_cuda_make_curves(), after failures too. */
struct pcf_cuda_made {
  const double *time, *value;
  int64_t count, *starts;
};

/* Room for the times and values of so many breakpoints, 0 included. */
enum pcf_status pcf_cuda_make_room(struct pcf_cuda_session *session, int64_t breakpoints,
                                   double **time, double **value, struct pcf_error *error);

/* Brings the starts of made->count functions from the device. */
enum pcf_status pcf_cuda_bring_starts(struct pcf_cuda_session *session, const int64_t *starts,
                                      struct pcf_cuda_made *made, struct pcf_error *error);

typedef enum pcf_status pcf_cuda_making(struct pcf_cuda_session *session, void *context,
                                        struct pcf_cuda_made *made, struct pcf_error *error);

/* Makes functions on the first device that is wanted. They stay there: writing the curves
 * brings them back, and freeing them ends the session, each on any thread. PCF_ERROR_ARGUMENT
 * as pcf_curves_count(). After a failure there is nothing to free. */
enum pcf_status pcf_cuda_make_curves(pcf_cuda_making *make, void *context,
                                     const struct pcf_settings *settings,
                                     const atomic_int *stop, struct pcf_curves *curves,
                                     struct pcf_error *error);

#endif
