#include "functions/rows.h"

#include "base/search.h"

#include <stddef.h>

static int is_taken(const double *row, const double *weight, int64_t count, int64_t i) {
  return row[i] >= 1 && row[i] <= (double)count && !(weight && weight[i] == 0);
}

/* Row r is counted in starts[r + 1]. Filled from its end, that becomes its start, one place too
 * high. */
void pcf_rows_fill(int64_t n, const double *row, const double *weight, int64_t count,
                   int64_t *starts, int64_t *function) {
  for (int64_t r = 0; r <= count; r++) starts[r] = 0;
  for (int64_t i = 0; i < n; i++) {
    if (is_taken(row, weight, count, i)) starts[(int64_t)row[i]]++;
  }
  for (int64_t r = 0; r < count; r++) starts[r + 1] += starts[r];
  int64_t total = starts[count];
  for (int64_t i = n - 1; i >= 0; i--) {
    if (is_taken(row, weight, count, i)) function[--starts[(int64_t)row[i]]] = i;
  }
  for (int64_t r = 0; r < count; r++) starts[r] = starts[r + 1];
  starts[count] = total;
}

struct pcf_row pcf_row_of(const struct pcf_collection *x, const struct pcf_rows *rows,
                          int64_t r, int64_t *ends) {
  int64_t first = rows->starts[r];
  struct pcf_row row = {
    .x = x,
    .entries = rows->starts[r + 1] - first,
    .function = rows->function + first,
    .weight = rows->weight ? rows->weight + first : NULL,
    .ends = ends,
  };
  ends[0] = 0;
  for (int64_t e = 0; e < row.entries; e++) {
    ends[e + 1] = ends[e] + pcf_breakpoints(x, row.function[e]);
  }
  return row;
}

struct pcf_slices pcf_slices_of(const struct pcf_row *row, int64_t first, int64_t last) {
  return (struct pcf_slices){row, pcf_segment_of(row->ends, row->entries, first), first, last};
}

int pcf_next_slice(struct pcf_slices *slices, struct pcf_slice *slice) {
  if (slices->at >= slices->end) return 0;
  const struct pcf_row *row = slices->row;
  int64_t e = slices->entry++, begin = row->ends[e], end = row->ends[e + 1];
  if (end > slices->end) end = slices->end;
  *slice = (struct pcf_slice){
    .time = pcf_times(row->x, row->function[e]),
    .value = pcf_values(row->x, row->function[e]),
    .first = slices->at - begin,
    .last = end - begin,
    .at = slices->at,
    .weight = row->weight ? row->weight[e] : 1,
  };
  slices->at = end;
  return 1;
}
