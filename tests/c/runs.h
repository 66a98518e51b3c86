/* Whole runs from a request to a result, and a double of a device with several buffers. */
#ifndef PCFDIST_TESTS_RUNS_H
#define PCFDIST_TESTS_RUNS_H

#include "collections.h"

#include "pairs/family.h"
#include "pairs/method.h"
#include "sinks/matrix.h"

/* A request with the settings of its run; another backend that is asked first, and a pruner,
 * where these are not NULL. */
struct asked {
  struct pcf_request pairs;
  struct pcf_settings settings;
  const struct pcf_backend *other;
  struct pcf_pruner *pruner;
};

/* The names of the methods, with NULL for the plan's choice before them. */
enum { METHODS = 4 };
extern const char *const *const method_names;

/* What a run gave, until the test ends. `result` was filled with `unwritten` before. */
struct outcome {
  enum pcf_status status;
  struct pcf_job job;
  struct pcf_pairs pairs;
  struct pcf_report report;
  struct pcf_error error;
  struct pcf_matrix_sink sink;
  int64_t length;
  double *result;
};

extern const double unwritten;

/* A request for all pairs; y may be NULL. */
struct asked request_of(const struct question *question, enum pcf_mode mode,
                        const struct functions *x, const struct functions *y);

struct outcome run_request(const struct asked *request, enum pcf_mode sink,
                           const struct pcf_backend *backend);

/* Frees what the report of a run holds when the test ends. */
void keep_report(struct pcf_report report);

/* The index of the pair (i, j), i > j, in a `dist` of n items. */
static inline int64_t dist_index(int64_t n, int64_t i, int64_t j) {
  struct pcf_layout layout = {PCF_LOWER_WITHOUT_DIAGONAL, n, n, 0, n, PCF_DOUBLE};
  struct pcf_rectangle pair = {i, 1, j, 1};
  return pcf_layout_extent(&layout, &pair, 0).index;
}

/* A sink for the request, with that result. */
struct pcf_matrix_sink sink_for(const struct asked *request, enum pcf_mode kind,
                                double *result);

/* Starts a run; `pairs` and `sink` (or NULL) must outlive it. */
struct pcf_run *start_run(const struct asked *request, struct pcf_pairs *pairs,
                          struct pcf_matrix_sink *sink, const struct pcf_backend *backend,
                          struct pcf_error *error);

/* What a pruner that leaves the order of functions as it is does to arrange them. */
enum pcf_status arrange_nothing(struct pcf_pruner *pruner, struct pcf_pairs *pairs,
                                const struct pcf_backend *backend, const struct pcf_task *task,
                                int *changed, struct pcf_error *error);

/* How a device opens that has no memory. */
enum pcf_status open_without_memory(void *shared, int index, int64_t elements, void **device,
                                    struct pcf_error *error);

/* Runs into any sink. */
enum pcf_status run_into(struct pcf_sink *sink, const struct asked *request,
                         const struct pcf_backend *backend, struct pcf_report *report,
                         struct pcf_error *error);

/* What the backend that took the run had offered, and its name. */
const struct pcf_offer *offer_of(const struct outcome *outcome);
const char *device_of(const struct outcome *outcome);

/* Did the run succeed with results that agree with all of the oracle's answers, which are those
 * of oracle_matrix()? */
bool outcome_agrees(const struct outcome *outcome, const struct answer *answers,
                    double tolerance);

/* Did both succeed with the same bits? */
bool outcomes_equal(const struct outcome *a, const struct outcome *b);

/* Makes a collection resident on so many GPUs, as the glue does, until it is dropped or the
 * test ends. */
enum pcf_status make_resident(struct functions *x, int gpus, struct pcf_error *error);
void drop_resident(struct functions *x);

/* Is the failure that pcf_memory_fail_at(k) asked for still to come? Takes it back. */
bool memory_failure_is_pending(long k);

/* Runs with each allocation failing in turn, until none does: a run says that there is no
 * memory or, if it `may_go_on` without, has the same result as ever. */
void fail_at_every_allocation(const struct asked *request, enum pcf_mode sink,
                              const struct pcf_backend *backend, bool may_go_on);

/* `inner`, which has one buffer, behind a double with `buffers` of them, and, unless it is 0,
 * another number of devices. Results come in a wider stride, and only when they are waited
 * for; until then, and after the next launch into the buffer, the host's copy is NaN. A
 * selection gets every second block as entries. One double at a time. */
const struct pcf_backend *deferring_backend(const struct pcf_backend *inner, int buffers,
                                            int devices);

/* How often the double was used against the rules of device.h since it was made: a launch into
 * a buffer that was not collected, the wrong order, another block, a device left open. */
int deferring_misuses(void);

#endif
