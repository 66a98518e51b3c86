#include "summaries/permutations.h"

#include "base/memory.h"
#include "base/scalar.h"
#include "base/threads.h"

#include <string.h>

static pcf_loop_body sum_block;

/* Permutations that share a column of the distances while it is in the cache. */
enum { PERMUTATIONS_PER_BLOCK = 16 };

struct summing {
  const struct pcf_labels *labels;
  const double *distance;
  int squared;
  double *sums;
};

/* The members of each group, in increasing order: member[next[g]] … member[end[g] - 1] are
 * those that still come. */
struct members {
  const int *label;
  int *member;
  int64_t *next, *end;
};

enum pcf_status pcf_permuted_sums(const struct pcf_labels *labels, const double *distance,
                                  int squared, int threads, const atomic_int *stop,
                                  double *sums, struct pcf_error *error) {
  struct summing summing = {labels, distance, squared, sums};
  int64_t blocks = (labels->permutations + PERMUTATIONS_PER_BLOCK - 1) / PERMUTATIONS_PER_BLOCK;
  return pcf_parallel_for(threads, blocks, stop, sum_block, &summing, error);
}

/* A sort by counting. */
static void find_members(const struct pcf_labels *labels, const struct members *members) {
  int groups = labels->groups;
  memset(members->end, 0, (size_t)groups * sizeof *members->end);
  for (int64_t i = 0; i < labels->count; i++) members->end[members->label[i]]++;
  for (int64_t g = 0, start = 0; g < groups; g++) {
    members->next[g] = start;
    start += members->end[g];
    members->end[g] = members->next[g];
  }
  for (int64_t i = 0; i < labels->count; i++) {
    members->member[members->end[members->label[i]]++] = (int)i;
  }
}

/* Four sums, since each addition waits for the one before. */
static double sum_of(const double *column, const int *member, int64_t count) {
  double sum[4] = {0};
  int64_t k = 0;
  for (; k + 4 <= count; k += 4) {
    for (int l = 0; l < 4; l++) sum[l] += column[member[k + l]];
  }
  for (; k < count; k++) sum[0] += column[member[k]];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Adds the distances of member i to those after it: column[j] is that to member j. */
static void add_column(const struct members *members, int groups, int64_t i,
                       const double *column, double *sums) {
  int own = members->label[i];
  members->next[own]++;
  for (int g = 0; g < groups; g++) {
    int64_t next = members->next[g];
    sums[own + g * groups] += sum_of(column, members->member + next, members->end[g] - next);
  }
}

/* Adds up both orders of the groups of a pair: before, the sum of a pair is at the group of its
 * first member and that of its second one. */
static void add_both_orders(int groups, double *sums) {
  for (int g = 0; g < groups; g++) {
    for (int h = g + 1; h < groups; h++) {
      double sum = sums[g + h * groups] + sums[h + g * groups];
      sums[g + h * groups] = sums[h + g * groups] = sum;
    }
  }
}

/* The distances of member i to those after it, at the places of these. */
static void read_column(const struct summing *summing, int64_t i, double *column) {
  int64_t n = summing->labels->count;
  const double *from = summing->distance + i * (2 * n - i - 1) / 2;
  for (int64_t j = i + 1; j < n; j++) {
    double d = from[j - i - 1];
    column[j] = summing->squared ? d * d : d;
  }
}

static void sum_permutations(const struct summing *summing, int64_t first, int count,
                             struct members *members, double *column) {
  const struct pcf_labels *labels = summing->labels;
  int64_t size = (int64_t)labels->groups * labels->groups;
  double *sums = summing->sums + first * size;
  memset(sums, 0, (size_t)(count * size) * sizeof *sums);
  for (int k = 0; k < count; k++) find_members(labels, &members[k]);
  for (int64_t i = 0; i < labels->count; i++) {
    read_column(summing, i, column);
    for (int k = 0; k < count; k++) {
      add_column(&members[k], labels->groups, i, column, sums + k * size);
    }
  }
  for (int k = 0; k < count; k++) add_both_orders(labels->groups, sums + k * size);
}

static enum pcf_status sum_block(void *summing_, int thread, int64_t index,
                                 struct pcf_error *error) {
  const struct summing *summing = summing_;
  const struct pcf_labels *labels = summing->labels;
  int64_t first = index * PERMUTATIONS_PER_BLOCK;
  int count = (int)pcf_smaller(labels->permutations - first, PERMUTATIONS_PER_BLOCK);
  size_t n = (size_t)labels->count, groups = (size_t)labels->groups;
  struct members members[PERMUTATIONS_PER_BLOCK];
  struct pcf_arrays arrays = {0};
  int *member = pcf_array(&arrays, n * PERMUTATIONS_PER_BLOCK, sizeof *member, error);
  size_t all_bounds = groups * 2 * PERMUTATIONS_PER_BLOCK;
  int64_t *bounds = pcf_array(&arrays, all_bounds, sizeof *bounds, error);
  double *column = pcf_array(&arrays, n, sizeof *column, error);
  if (!arrays.status) {
    for (int k = 0; k < count; k++) {
      int64_t *next = bounds + 2 * (size_t)k * groups;
      const int *label = labels->label + (first + k) * labels->count;
      members[k] = (struct members){label, member + (size_t)k * n, next, next + groups};
    }
    sum_permutations(summing, first, count, members, column);
  }
  pcf_arrays_free(&arrays);
  return arrays.status;
}
