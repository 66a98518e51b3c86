#include "collections/cutting.h"

#include "base/memory.h"
#include "base/threads.h"

#include <math.h>

/* What a thread takes at once. */
enum { FUNCTIONS_AT_ONCE = 64 };

/* Breakpoints that are written one after the other, or, without room for them, only counted. */
struct writing {
  int64_t count;
  double *time, *value;
};

static inline void write_breakpoint(struct writing *to, double time, double value) {
  if (to->time) {
    to->time[to->count] = time;
    to->value[to->count] = value;
  }
  to->count++;
}

static int64_t cut_function(const struct pcf_cutting *cutting, int64_t i, double *to_time,
                            double *to_value) {
  const struct pcf_weight *weight = cutting->weight;
  const double *time = pcf_times(cutting->x, i), *value = pcf_values(cutting->x, i);
  int64_t m = pcf_breakpoints(cutting->x, i), k = 0;
  double now = 0, nothing = cutting->partial ? pcf_missing() : 0;
  struct writing to = {0, to_time, to_value};
  if (cutting->partial && !(weight->height[0] > 0)) write_breakpoint(&to, -INFINITY, nothing);
  for (int64_t piece = 0; piece < weight->pieces; piece++) {
    int counts = weight->height[piece] > 0;
    double factor = cutting->factor ? cutting->factor[piece] : 1;
    if (piece > 0) {
      double begin = weight->end[piece - 1];
      if (k < m && time[k] == begin) now = value[k++];
      write_breakpoint(&to, begin, counts ? now * factor : nothing);
    }
    for (; k < m && time[k] < weight->end[piece]; k++) {
      now = value[k];
      if (counts) write_breakpoint(&to, time[k], now * factor);
    }
  }
  if (to.count == 0) write_breakpoint(&to, 0, 0);
  return to.count;
}

struct cutting_all {
  const struct pcf_cutting *cutting;
  int64_t *counted;
  const int64_t *breakpoints;
  double *const *result;
};

static void cut_some(void *all_, int64_t first, int64_t end) {
  const struct cutting_all *all = all_;
  for (int64_t i = first; i < end; i++) {
    if (all->counted) {
      all->counted[i] = cut_function(all->cutting, i, NULL, NULL);
    } else {
      cut_function(all->cutting, i, all->result[i], all->result[i] + all->breakpoints[i]);
    }
  }
}

static enum pcf_status cut_all(struct cutting_all *all, int threads, const atomic_int *stop,
                               struct pcf_error *error) {
  return pcf_for_ranges(threads, all->cutting->x->count, FUNCTIONS_AT_ONCE, stop, cut_some, all,
                        error);
}

enum pcf_status pcf_cut_count(const struct pcf_cutting *cutting, int threads,
                              const atomic_int *stop, int64_t *breakpoints,
                              struct pcf_error *error) {
  struct cutting_all all = {.cutting = cutting, .counted = breakpoints};
  return cut_all(&all, threads, stop, error);
}

enum pcf_status pcf_cut_fill(const struct pcf_cutting *cutting, int threads,
                             const atomic_int *stop, const int64_t *breakpoints,
                             double *const *result, struct pcf_error *error) {
  struct cutting_all all = {.cutting = cutting, .breakpoints = breakpoints, .result = result};
  return cut_all(&all, threads, stop, error);
}

enum pcf_status pcf_cut_functions_make(struct pcf_owned_functions *cut,
                                       const struct pcf_cutting *cutting, int threads,
                                       const atomic_int *stop, struct pcf_error *error) {
  int64_t n = cutting->x->count;
  int64_t *counts = pcf_allocate((size_t)n, sizeof *counts, error);
  *cut = (struct pcf_owned_functions){0};
  if (!counts) return PCF_ERROR_MEMORY;
  enum pcf_status status = pcf_cut_count(cutting, threads, stop, counts, error);
  if (!status) status = pcf_owned_functions_make(cut, n, counts, cutting->x->partial, error);
  if (!status) status = pcf_cut_fill(cutting, threads, stop, counts, cut->function, error);
  pcf_free(counts);
  return status;
}
