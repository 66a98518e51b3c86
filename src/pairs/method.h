/* Methods: the ways in which the CPU computes pairs of functions, or sums over them. Each is a
 * value with all that is known of it, from its cost to its kernels; the plan takes the
 * cheapest.
 */
#pragma once

#include "pairs/pairs.h"

struct pcf_cpu_run;

/* What a worker has to itself: its workspace, and its output, of the largest block. */
struct pcf_cpu_worker {
  void *workspace, *output;
  struct pcf_pair_position *position; /* room for the run's `most` */
  int complete;                       /* is the result of the block in the output? */
  int empty; /* or was nothing of it wanted, so that the output has nothing? */
};

struct pcf_method {
  const char *name;
  /* Estimates its time with tiles of that width (0: its own choice) and that many threads; ∞
   * where it cannot be used. */
  struct pcf_estimate (*estimate)(const struct pcf_pairs *pairs, int width, int threads);
  /* Computes the sums that are asked for without looking at pairs; NULL for the other methods.
   * Where it is there, nothing below is. */
  enum pcf_status (*at_once)(const struct pcf_task *task, struct pcf_error *error);
  /* Looks at the functions, where its cost depends on more than their lengths; `others` is what
   * the best of the other methods takes, `forced` whether it will be used in any case. NULL:
   * there is no need. */
  enum pcf_status (*survey)(struct pcf_pairs *pairs, double others, int forced,
                            struct pcf_error *error);
  /* The bytes of run->state, which are 0 before prepare(); 0 where that allocates it. */
  size_t state;
  /* Makes the functions ready for all workers, in run->state. What it holds is freed by
   * release(), which takes what a prepare() that failed has left. */
  enum pcf_status (*prepare)(struct pcf_cpu_run *run, struct pcf_error *error);
  enum pcf_status (*schedule)(struct pcf_cpu_run *run, struct pcf_schedule *schedule,
                              struct pcf_error *error);
  void (*release)(struct pcf_cpu_run *run);
  /* How many pairs of a tile of that width take as long one by one as all of them together.
   * NULL: the method does not compute single pairs. */
  int64_t (*most_single)(const struct pcf_pairs *pairs, int width);
  /* The bytes of a worker's workspace; NULL: it needs none. */
  size_t (*workspace)(const struct pcf_cpu_run *run);
  /* Computes a block into the worker's output, column by column. Returns 1 when it was
   * stopped. */
  int (*compute)(const struct pcf_cpu_run *run, const struct pcf_block *block,
                 struct pcf_cpu_worker *worker);
};

/* A run on the CPU, which all workers share. */
struct pcf_cpu_run {
  const struct pcf_task *task;
  const struct pcf_pairs *pairs;
  const struct pcf_method *method;
  int width, threads;
  int64_t most; /* pairs of a tile that are computed one by one; 0: none are */
  void *state;  /* the method's own */
};

extern const struct pcf_method pcf_sweep_method, pcf_grid_method, pcf_split_method,
  pcf_walk_method, pcf_lookup_method, pcf_events_method;

/* All methods, NULL at the end. */
extern const struct pcf_method *const pcf_methods[PCF_MAX_METHODS + 1];

/* The position of a method in that list. */
int pcf_method_number(const struct pcf_method *method);

/* Estimates a whole call by a method, with the use of its results. */
struct pcf_estimate pcf_method_estimate(const struct pcf_method *method,
                                        const struct pcf_pairs *pairs, int width, int threads);

/* Estimates all methods and chooses one; `pairs` is checked, with its integral, its
 * instructions and its counts. */
enum pcf_status pcf_methods_plan(struct pcf_pairs *pairs, const struct pcf_settings *settings,
                                 struct pcf_error *error);

/* The CPU, where each thread is a device. */
extern const struct pcf_backend pcf_cpu_backend;
