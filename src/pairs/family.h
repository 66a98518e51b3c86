/* Pairs of piecewise constant functions as a family: how they are checked and planned. */
#pragma once

#include "pairs/pairs.h"

/* For families of pairs of functions: checks both collections, and widens the range. */
enum pcf_status pcf_pairs_check_functions(struct pcf_pairs *pairs, int threads,
                                          const atomic_int *stop, struct pcf_error *error);

/* Plans pairs and describes the task; and arranges them where there is a pruner. `plan_request`
 * sets the integral, the instructions and the method. */
typedef enum pcf_status pcf_request_planner(struct pcf_pairs *pairs,
                                            const struct pcf_settings *settings,
                                            struct pcf_error *error);
enum pcf_status pcf_pairs_plan(struct pcf_pairs *pairs, pcf_request_planner *plan_request,
                               const struct pcf_settings *settings, struct pcf_task *task,
                               struct pcf_error *error);
enum pcf_status pcf_pairs_arrange(struct pcf_pairs *pairs, pcf_request_planner *plan_request,
                                  const struct pcf_backend *backend, struct pcf_task *task,
                                  int *changed, struct pcf_error *error);

/* Frees what the caller frees. */
void pcf_pairs_free(struct pcf_pairs *pairs);

extern const struct pcf_family pcf_pairs_family;
