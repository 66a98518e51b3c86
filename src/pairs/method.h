/* Methods: the ways in which the CPU computes pairs of functions, or sums over them. Each is a
 * struct with everything known about it, from its cost to its kernels; the plan chooses the
 * cheapest. */
#pragma once

#include "pairs/pairs.h"

struct pcf_cpu_run;

/* The memory of a worker: workspace for a tile, and the output of the largest block. */
struct pcf_cpu_worker {
  void *workspace, *output;
  struct pcf_pair_position *position; /* room for the run's `most` */
  int complete;                       /* is the result of the block in the output? */
  int empty; /* or was no pair of it needed, so that nothing is in the output? */
};

struct pcf_method {
  const char *name;
  const struct pcf_method *const *among; /* its list, NULL at the end; NULL: pcf_methods */
  /* Estimates its time with tiles of that width (0: chosen by the method) and that many
   * threads; ∞ if it cannot be used. */
  struct pcf_estimate (*estimate)(const struct pcf_pairs *pairs, int width, int threads);
  /* Computes the requested sums without looking at pairs; NULL for the other methods. If it is
   * set, none of the members below are. */
  enum pcf_status (*at_once)(const struct pcf_task *task, struct pcf_error *error);
  /* Examines the functions, if the cost depends on more than their lengths. `others` is the
   * time of the best other method; `forced` tells whether this one is used in any case. NULL if
   * that is not needed. */
  enum pcf_status (*survey)(struct pcf_pairs *pairs, double others, int forced,
                            struct pcf_error *error);
  /* The bytes of run->state, which are 0 before prepare(). */
  size_t state;
  /* Prepares the functions for all workers, in run->state. release() frees it, also after a
   * prepare() that failed. */
  enum pcf_status (*prepare)(struct pcf_cpu_run *run, struct pcf_error *error);
  enum pcf_status (*schedule)(struct pcf_cpu_run *run, struct pcf_schedule *schedule,
                              struct pcf_error *error);
  void (*release)(struct pcf_cpu_run *run);
  /* The bytes that a worker needs, after prepare(); NULL: pcf_tile_workspace(). */
  size_t (*workspace)(const struct pcf_cpu_run *run);
  /* The number of pairs of a tile of that width that take as long one by one as all of them
   * together. NULL: the method does not compute single pairs. */
  int64_t (*most_single)(const struct pcf_pairs *pairs, int width);
  /* Computes a block into the output of the worker, column by column. Returns 1 if it was
   * stopped. */
  int (*compute)(const struct pcf_cpu_run *run, const struct pcf_block *block,
                 struct pcf_cpu_worker *worker);
};

/* A run on the CPU, shared by all workers. */
struct pcf_cpu_run {
  const struct pcf_task *task;
  const struct pcf_pairs *pairs;
  const struct pcf_method *method;
  int width, threads;
  int64_t most; /* pairs of a tile that are computed one by one, at most; 0: none */
  size_t room;  /* bytes of a worker's workspace behind that of tiles */
  void *state;  /* of the method */
};

extern const struct pcf_method pcf_sweep_method, pcf_grid_method, pcf_split_method,
  pcf_walk_method, pcf_lookup_method, pcf_events_method;

/* The methods for integrals, NULL at the end. */
extern const struct pcf_method *const pcf_methods[PCF_MAX_METHODS + 1];

/* The list of the pairs' own kind. */
static inline const struct pcf_method *const *pcf_methods_of(const struct pcf_pairs *pairs) {
  return pairs->methods ? pairs->methods : pcf_methods;
}

/* The index of a method in its list. */
int pcf_method_number(const struct pcf_method *method);

/* Estimates a whole call by a method, including the use of its results. */
struct pcf_estimate pcf_method_estimate(const struct pcf_method *method,
                                        const struct pcf_pairs *pairs, int width, int threads);

/* Estimates all methods and chooses one. `pairs` has been checked, and has its integral, its
 * instructions and its counts. */
enum pcf_status pcf_methods_plan(struct pcf_pairs *pairs, const struct pcf_settings *settings,
                                 struct pcf_error *error);

/* The CPU, where each thread is a device. */
extern const struct pcf_backend pcf_cpu_backend;
