/* If medoid b is replaced by a candidate, rows that the candidate is nearest to gain d1 − d,
 * and the rows of b lose d2 − d1, or less where the candidate is nearer than their second
 * medoid: sums over the rows of each medoid, of which those without a candidate are known
 * before (Schubert and Rousseeuw 2021). Candidates are looked at in rounds, on several threads;
 * the first one that gains is taken, and the round begins anew after it. */
#include "clusters/swaps.h"

#include "base/memory.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

enum { ROUND = 256, EACH = 8 };

struct candidate {
  double gain; /* of the best medoid to replace */
  int medoid;
};

struct state {
  struct pcf_swaps *wanted;
  struct pcf_team *team;
  double *column; /* of each medoid, its distances */
  int *nearest;   /* of each row, its medoid, and the distances of this and the second one */
  double *d1, *d2;
  double *loss;        /* of each medoid: minus what is lost without it */
  char *is_medoid;     /* of each candidate */
  double *work;        /* of each thread: a column, and a sum for each medoid */
  int64_t from, width; /* the round */
  struct candidate round[ROUND];
};

static double weight_of(const struct state *it, int64_t row) {
  return it->wanted->weight ? it->wanted->weight[row] : 1;
}

/* ---- Distances ---- */

static void read_dist(const double *dist, int64_t n, int64_t i, double *to) {
  const double *at = dist + i - 1;
  for (int64_t j = 0; j < i; j++) {
    to[j] = *at;
    at += n - j - 2;
  }
  to[i] = 0;
  if (i + 1 < n) memcpy(to + i + 1, at + 1, (size_t)(n - i - 1) * sizeof *to);
}

static void read_column(const struct pcf_distances *from, int64_t i, double *to) {
  if (from->dist) {
    read_dist(from->dist, from->columns, i, to);
    return;
  }
  const float *number = from->number + i * from->rows;
  for (int64_t j = 0; j < from->rows; j++) to[j] = (double)number[j];
}

/* ---- The state ---- */

/* Where there is no second medoid, whatever is not nearer than all others will do. */
static void find_nearest(struct state *it, int64_t row) {
  int64_t k = it->wanted->clusters, rows = it->wanted->from.rows;
  double least = INFINITY, second = k > 1 ? INFINITY : it->wanted->largest;
  for (int64_t q = 0; q < k; q++) {
    double d = it->column[q * rows + row];
    if (d < least) {
      if (q > 0) second = least;
      least = d;
      it->nearest[row] = (int)q;
    } else if (d < second) {
      second = d;
    }
  }
  it->d1[row] = least;
  it->d2[row] = second;
}

static void find_all(struct state *it) {
  struct pcf_swaps *swaps = it->wanted;
  memset(it->loss, 0, (size_t)swaps->clusters * sizeof *it->loss);
  swaps->loss = 0;
  for (int64_t j = 0; j < swaps->from.rows; j++) {
    find_nearest(it, j);
    it->loss[it->nearest[j]] += weight_of(it, j) * (it->d1[j] - it->d2[j]);
    swaps->loss += weight_of(it, j) * it->d1[j];
  }
}

static void set_medoid(struct state *it, int64_t q, int64_t candidate) {
  struct pcf_swaps *swaps = it->wanted;
  it->is_medoid[swaps->medoid[q]] = 0;
  it->is_medoid[candidate] = 1;
  swaps->medoid[q] = (int)candidate;
  read_column(&swaps->from, candidate, it->column + q * swaps->from.rows);
}

/* ---- Candidates ---- */

static struct candidate judge(const struct state *it, const double *column, double *loss) {
  int64_t k = it->wanted->clusters, rows = it->wanted->from.rows;
  double gain = 0;
  memcpy(loss, it->loss, (size_t)k * sizeof *loss);
  for (int64_t j = 0; j < rows; j++) {
    double d = column[j];
    if (!(d < it->d2[j])) continue;
    if (d < it->d1[j]) {
      gain += weight_of(it, j) * (it->d1[j] - d);
      d = it->d1[j];
    }
    loss[it->nearest[j]] += weight_of(it, j) * (it->d2[j] - d);
  }
  int best = 0;
  for (int q = 1; q < k; q++) best = loss[q] > loss[best] ? q : best;
  return (struct candidate){gain + loss[best], best};
}

static enum pcf_status judge_some(void *state, int thread, int64_t part,
                                  struct pcf_error *error) {
  struct state *it = state;
  const struct pcf_swaps *swaps = it->wanted;
  double *column = it->work + thread * (swaps->from.rows + swaps->clusters);
  for (int64_t r = part * EACH; r < (part + 1) * EACH && r < it->width; r++) {
    int64_t candidate = it->from + r;
    it->round[r] = (struct candidate){0};
    if (!it->is_medoid[candidate]) {
      read_column(&swaps->from, candidate, column);
      it->round[r] = judge(it, column, column + swaps->from.rows);
    }
    if (swaps->gain) swaps->gain[candidate] = it->round[r].gain;
  }
  return PCF_OK;
}

/* Judges the round from a candidate on; the first of it that gains, or -1. */
static int64_t next_gain(struct state *it, int64_t from, const atomic_int *stop,
                         enum pcf_status *status, struct pcf_error *error) {
  const struct pcf_swaps *swaps = it->wanted;
  int64_t left = swaps->from.columns - from;
  it->from = from;
  it->width = left < ROUND ? left : ROUND;
  *status = pcf_team_for(it->team, (it->width + EACH - 1) / EACH, stop, judge_some, it, error);
  for (int64_t r = 0; r < it->width && !*status; r++) {
    if (it->round[r].gain > swaps->least * swaps->loss) return from + r;
  }
  return -1;
}

/* Passes over the candidates, until all have been looked at since the last swap. */
static enum pcf_status swap_all(struct state *it, const atomic_int *stop,
                                struct pcf_error *error) {
  struct pcf_swaps *swaps = it->wanted;
  enum pcf_status status = PCF_OK;
  int64_t columns = swaps->from.columns, at = 0, idle = 0, left = swaps->most * columns;
  while (idle < columns && left > 0 && !status) {
    int64_t found = next_gain(it, at, stop, &status, error);
    int64_t looked = found < 0 ? it->width : found - at + 1;
    if (found >= 0) {
      set_medoid(it, it->round[found - at].medoid, found);
      find_all(it);
    }
    idle = found < 0 ? idle + looked : 0;
    at = (at + looked) % columns;
    left -= looked;
  }
  swaps->settled = idle >= columns;
  return status;
}

enum pcf_status pcf_swap_medoids(struct pcf_swaps *swaps, const atomic_int *stop,
                                 struct pcf_error *error) {
  size_t rows = (size_t)swaps->from.rows, k = (size_t)swaps->clusters;
  struct pcf_arrays arrays = {0};
  struct state *it = pcf_zeros(&arrays, 1, sizeof *it, error);
  if (!it) return PCF_ERROR_MEMORY;
  *it = (struct state){
    .wanted = swaps,
    .column = pcf_array(&arrays, rows * k, sizeof(double), error),
    .nearest = pcf_zeros(&arrays, rows, sizeof(int), error),
    .d1 = pcf_array(&arrays, rows, sizeof(double), error),
    .d2 = pcf_array(&arrays, rows, sizeof(double), error),
    .loss = pcf_array(&arrays, k, sizeof(double), error),
    .is_medoid = pcf_zeros(&arrays, (size_t)swaps->from.columns, 1, error),
    .work = pcf_array(&arrays, (size_t)swaps->threads * (rows + k), sizeof(double), error)};
  enum pcf_status status = arrays.status;
  if (!status) it->team = pcf_team_start(swaps->threads, error);
  if (!status) {
    for (size_t q = 0; q < k; q++) set_medoid(it, (int64_t)q, swaps->medoid[q]);
    find_all(it);
    status = swap_all(it, stop, error);
  }
  if (it) pcf_team_end(it->team);
  pcf_arrays_free(&arrays);
  return status;
}
