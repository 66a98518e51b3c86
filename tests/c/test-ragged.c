/* Partitions of ragged arrays, and ragged primitives without memory.
 * tests/testthat/test-core-ragged.R has what segmented reductions, runs of keys and intervals
 * give.
 */
#include "check.h"
#include "runs.h"

#include "arrays/intervals.h"
#include "arrays/partition.h"
#include "base/memory.h"
#include "base/search.h"
#include "summaries/segments.h"

#include <stdlib.h>
#include <string.h>

/* ---- Partitions ---- */

static void running_totals(const int64_t *counts, int64_t n, int64_t *offsets) {
  offsets[0] = 0;
  for (int64_t k = 0; k < n; k++) offsets[k + 1] = offsets[k] + counts[k];
}

/* Where a search for what an element belongs to could go wrong by one. */
TEST(ragged_segment_of_an_element) {
  static const int64_t offsets[] = {0, 957, 1008, 2000, 2312};
  CHECK(pcf_segment_of(offsets, 4, 0) == 0);
  CHECK(pcf_segment_of(offsets, 4, 956) == 0);
  CHECK(pcf_segment_of(offsets, 4, 957) == 1);
  CHECK(pcf_segment_of(offsets, 4, 1000) == 1);
  CHECK(pcf_segment_of(offsets, 4, 2000) == 3);
  CHECK(pcf_segment_of(offsets, 4, 2311) == 3);
}

/* Kinds of lengths: one segment, all empty, all of one element, about the size of parts and of
 * chunks, and one long segment among many short ones. */
enum { KINDS = 8 };

static int64_t *lengths_of_kind(struct random *random, int kind, int64_t *count) {
  static const int64_t counts[KINDS] = {1, 300000, 300000, 60, 9, 20000, 100000, 0};
  *count = counts[kind];
  int64_t *lengths = kept(malloc((size_t)(*count + 1) * sizeof *lengths));
  for (int64_t s = 0; s < *count; s++) {
    switch (kind) {
    case 0: lengths[s] = 5 * PCF_CHUNK + 3; break;
    case 1: lengths[s] = 0; break;
    case 2: lengths[s] = 1; break;
    case 3:
      lengths[s] = PCF_PART * random_between(random, 0, 3) + random_between(random, 0, 2) - 1;
      break;
    case 4: lengths[s] = PCF_CHUNK + random_between(random, -2, 2); break;
    case 5: lengths[s] = random_between(random, 0, 40); break;
    case 6: lengths[s] = s == 777 ? 3 * PCF_CHUNK : random_between(random, 0, 3); break;
    }
    if (lengths[s] < 0) lengths[s] = 0;
  }
  return lengths;
}

static int64_t *offsets_of_kind(int kind, int64_t *count) {
  struct random random = {(uint64_t)kind + 1};
  int64_t *lengths = lengths_of_kind(&random, kind, count);
  int64_t *offsets = kept(malloc((size_t)(*count + 1) * sizeof *offsets));
  running_totals(lengths, *count, offsets);
  return offsets;
}

/* Chunks follow one another, are of about the same cost, and cut segments at whole parts. */
TEST(ragged_chunks_cover_everything_evenly) {
  for (int kind = 0; kind < KINDS; kind++) {
    int64_t count, *offsets = offsets_of_kind(kind, &count);
    int64_t chunks = pcf_chunk_count(offsets, count);
    for (int64_t part = 1; part <= PCF_PART; part += PCF_PART - 1) {
      struct pcf_cut before = {0, 0};
      for (int64_t k = 0; k < chunks; k++) {
        struct pcf_cut cut = pcf_chunk_begin(offsets, count, k, part);
        CHECK(cut.segment >= before.segment && cut.element >= before.element);
        CHECK(cut.segment - before.segment + cut.element - before.element <= PCF_CHUNK + part);
        if (cut.segment < count) {
          int64_t rank = cut.element - offsets[cut.segment];
          CHECK(rank % part == 0 && rank >= 0);
          CHECK(rank == 0 || cut.element < offsets[cut.segment + 1]);
        } else {
          CHECK(cut.segment == count && cut.element == offsets[count]);
        }
        before = cut;
      }
      CHECK(count - before.segment + offsets[count] - before.element <= PCF_CHUNK + part);
    }
    struct pcf_cut first = pcf_chunk_begin(offsets, count, 0, 1);
    CHECK(first.element == 0);
  }
}

/* ---- Faults ---- */

/* Sums, runs, and intervals that are expanded and moved, of one long segment among short ones.
 */
static enum pcf_status work_on(int which, int64_t count, const int64_t *offsets, double *value,
                               double *result, struct pcf_error *error) {
  struct pcf_numbers numbers = {value, NULL};
  struct pcf_keys keys = {PCF_KEY_REAL, value, offsets[count]};
  int64_t *before = zeroed(pcf_run_chunks(&keys) + 1, sizeof *before);
  int64_t *runs = zeroed(offsets[count] + 1, sizeof *runs);
  switch (which) {
  case 0: return pcf_segment_reduce(PCF_SUM, numbers, offsets, count, 3, NULL, result, error);
  case 1: return pcf_interval_expand(value, 8, offsets, count, 3, NULL, result, error);
  case 2:
    return pcf_interval_move(value, NULL, result, offsets, 8, offsets, count, 3, NULL, error);
  default: break;
  }
  enum pcf_status status = pcf_count_runs(&keys, 3, NULL, before, error);
  return status ? status : pcf_fill_runs(&keys, before, 3, NULL, runs, error);
}

TEST(ragged_without_memory) {
  int64_t count, *offsets = offsets_of_kind(6, &count);
  double *value = zeroed(offsets[count] + 1, sizeof *value);
  double *result = zeroed(offsets[count] + 1, sizeof *result);
  for (int64_t k = 0; k < offsets[count]; k++) value[k] = (double)(k / 7);
  for (int which = 0; which < 4; which++) {
    bool pending = false;
    for (long k = 1; !pending; k++) {
      struct pcf_error error = {0};
      pcf_memory_fail_at(k);
      enum pcf_status status = work_on(which, count, offsets, value, result, &error);
      pending = memory_failure_is_pending(k);
      CHECK(status == (pending ? PCF_OK : PCF_ERROR_MEMORY) && error.status == status);
      CHECK(!error.message[0] == pending && (k > 1 || !pending));
    }
  }
}
