/* Both metrics are taken for minimum spanning trees. The mergers under `far` are its edges in
 * the order of their lengths. Each joins two points for good, so the tree of `near` gets an
 * edge between them, shorter than all, and loses the longest on the path that was there: that
 * edge is the youngest class of the kernel which the merger makes 0. Trees have a root, and
 * each other point its parent, so that a path is found by walking up. */
#include "diagrams/homological-kernel.h"

#include "arrays/steps.h"
#include "base/memory.h"
#include "base/threads.h"

struct tree {
  int64_t *parent; /* -1 at the root, point 0 */
  double *length;  /* of the edge to it */
};

/* What a thread needs, for the largest number of points. */
struct scratch {
  struct tree far, near;
  int64_t *points; /* that are not in the tree yet, or: the last merger that passed a point */
  struct pcf_step *mergers, *sorting;
};

struct work {
  const struct pcf_two_metrics *x;
  struct scratch *scratch; /* one a thread */
  struct pcf_arrays arrays;
};

static enum pcf_status make_scratch(struct work *work, int64_t most, int threads,
                                    struct pcf_error *error);
static pcf_loop_body build_kernel;

enum pcf_status pcf_homological_kernels(const struct pcf_two_metrics *x, int64_t count,
                                        int threads, const atomic_int *stop,
                                        struct pcf_error *error) {
  struct work work = {.x = x};
  int64_t most = 1;
  for (int64_t i = 0; i < count; i++) most = x[i].points > most ? x[i].points : most;
  enum pcf_status status = make_scratch(&work, most, threads > 1 ? threads : 1, error);
  if (!status) status = pcf_parallel_for(threads, count, stop, build_kernel, &work, error);
  pcf_arrays_free(&work.arrays);
  return status;
}

static enum pcf_status make_scratch(struct work *work, int64_t most, int threads,
                                    struct pcf_error *error) {
  size_t n = (size_t)most, all = n * (size_t)threads;
  struct pcf_arrays *arrays = &work->arrays;
  work->scratch = pcf_array(arrays, (size_t)threads, sizeof *work->scratch, error);
  int64_t *indices = pcf_array(arrays, 3 * all, sizeof *indices, error);
  double *lengths = pcf_array(arrays, 2 * all, sizeof *lengths, error);
  struct pcf_step *steps = pcf_array(arrays, 2 * all, sizeof *steps, error);
  if (arrays->status) return PCF_ERROR_MEMORY;
  for (size_t k = 0; k < (size_t)threads; k++) {
    work->scratch[k] = (struct scratch){{indices + 3 * k * n, lengths + 2 * k * n},
                                        {indices + (3 * k + 1) * n, lengths + (2 * k + 1) * n},
                                        indices + (3 * k + 2) * n,
                                        steps + 2 * k * n,
                                        steps + (2 * k + 1) * n};
  }
  return PCF_OK;
}

/* ---- Minimum spanning trees, by Prim's algorithm ---- */

static double distance(const double *distances, int64_t points, int64_t i, int64_t j) {
  int64_t low = i < j ? i : j, high = i < j ? j : i;
  return distances[low * points - low * (low + 1) / 2 + high - low - 1];
}

static void span(const double *distances, int64_t points, int64_t *outside, struct tree *tree) {
  for (int64_t i = 0; i < points; i++) {
    outside[i] = i + 1;
    tree->parent[i] = -1;
  }
  for (int64_t left = points - 1, last = 0; left > 0;) {
    int64_t nearest = 0;
    for (int64_t k = 0; k < left; k++) {
      int64_t i = outside[k];
      double length = distance(distances, points, last, i);
      if (tree->parent[i] < 0 || length < tree->length[i]) {
        tree->parent[i] = last;
        tree->length[i] = length;
      }
      if (tree->length[i] < tree->length[outside[nearest]]) nearest = k;
    }
    last = outside[nearest];
    outside[nearest] = outside[--left];
  }
}

/* ---- The mergers ---- */

static const double shorter_than_all = -1;

/* The point with the longest edge to its parent on the path between a and b; `end` becomes that
 * of the two from which it is reached by walking up. */
static int64_t longest_between(const struct tree *tree, int64_t a, int64_t b, int64_t merger,
                               int64_t *passed, int64_t *end) {
  int64_t longest = -1, top = b;
  for (int64_t i = a; i >= 0; i = tree->parent[i]) passed[i] = merger;
  for (; passed[top] != merger; top = tree->parent[top]) {
    if (longest >= 0 && tree->length[top] <= tree->length[longest]) continue;
    longest = top;
    *end = b;
  }
  for (int64_t i = a; i != top; i = tree->parent[i]) {
    if (longest >= 0 && tree->length[i] <= tree->length[longest]) continue;
    longest = i;
    *end = a;
  }
  return longest;
}

/* Takes the edge above `below` out of the tree, and joins `end`, from which it is reached by
 * walking up, to `other`. */
static void exchange(struct tree *tree, int64_t below, int64_t end, int64_t other) {
  double length = shorter_than_all;
  for (int64_t i = end, parent = other, stop = 0; !stop;) {
    int64_t next = tree->parent[i];
    double next_length = tree->length[i];
    stop = i == below;
    tree->parent[i] = parent;
    tree->length[i] = length;
    parent = i;
    length = next_length;
    i = next;
  }
}

static enum pcf_status build_kernel(void *work_, int thread, int64_t index,
                                    struct pcf_error *error) {
  const struct work *work = work_;
  const struct pcf_two_metrics *x = &work->x[index];
  struct scratch *scratch = &work->scratch[thread];
  int64_t *passed = scratch->points, mergers = x->points - 1;
  span(x->far, x->points, scratch->points, &scratch->far);
  span(x->near, x->points, scratch->points, &scratch->near);
  for (int64_t i = 0; i < x->points; i++) passed[i] = -1;
  for (int64_t k = 0; k < mergers; k++) {
    scratch->mergers[k] = (struct pcf_step){scratch->far.length[k + 1], (double)(k + 1)};
  }
  pcf_sort_steps(scratch->mergers, scratch->sorting, mergers);
  for (int64_t k = 0; k < mergers; k++) {
    int64_t a = (int64_t)scratch->mergers[k].change, b = scratch->far.parent[a], end = a;
    int64_t longest = longest_between(&scratch->near, a, b, k, passed, &end);
    x->births[k] = scratch->near.length[longest];
    x->deaths[k] = scratch->mergers[k].time;
    exchange(&scratch->near, longest, end, a + b - end);
  }
  return PCF_OK;
}
