#include "cuda/lists.h"

#include "base/memory.h"
#include "cuda/common.h"

#include <math.h>

static enum pcf_status allocate(struct pcf_cuda_listed *listed, struct pcf_error *error);

static size_t scalar_size(const struct pcf_cuda_listed *listed) {
  return pcf_scalar_size(listed->run->pairs->integral.precision);
}

static size_t items_of(const struct pcf_cuda_listed *listed) {
  return (size_t)listed->run->task->rows.count;
}

static size_t others_of(const struct pcf_cuda_listed *listed) {
  return (size_t)listed->run->task->columns.count;
}

static size_t list_bytes(const struct pcf_cuda_listed *listed) {
  return (size_t)listed->lists.each * sizeof *listed->lists.entry;
}

/* ---- Opening and closing ---- */

/* Copies a number of each item, as scalars. */
static enum pcf_status copy_scalars(struct pcf_cuda_listed *listed, const double *number,
                                    void *to, cudaStream_t stream, struct pcf_error *error) {
  enum pcf_precision precision = listed->run->pairs->integral.precision;
  size_t items = items_of(listed), bytes = items * scalar_size(listed);
  void *scalar = pcf_allocate(items, scalar_size(listed), error);
  if (!scalar) return PCF_ERROR_MEMORY;
  for (size_t i = 0; i < items; i++) pcf_store_scalar(scalar, (int64_t)i, number[i], precision);
  cudaError_t code = cudaMemcpyAsync(to, scalar, bytes, cudaMemcpyHostToDevice, stream);
  cudaError_t done = cudaStreamSynchronize(stream);
  pcf_free(scalar);
  return pcf_cuda_check(listed->memory, code ? code : done, "copying limits", error);
}

/* The first limits of all items, NaN where there is none, and the least numbers of their pairs,
 * where there are any. */
static enum pcf_status fill_numbers(struct pcf_cuda_listed *listed, cudaStream_t stream,
                                    struct pcf_error *error) {
  const struct pcf_selection *selection = pcf_cuda_selection_of(listed->run);
  const struct pcf_scale *scale = &listed->run->task->scale;
  int64_t items = (int64_t)items_of(listed);
  struct pcf_block all = {.rectangle = {.rows = items}};
  if (!selection->farthest && !selection->least) return PCF_OK;
  double *number = pcf_allocate(items_of(listed), sizeof *number, error);
  if (!number) return PCF_ERROR_MEMORY;
  enum pcf_status status = PCF_OK;
  for (int64_t i = 0; selection->least && i < items; i++) {
    number[i] = pcf_number_of(scale, selection->least[i]);
  }
  if (selection->least) {
    status = copy_scalars(listed, number, (void *)listed->lists.least, stream, error);
  }
  if (!status && selection->farthest) {
    pcf_selection_limits(selection, &all, number, NULL);
    for (int64_t i = 0; i < items; i++) {
      double limit = pcf_rounded_down(number[i], scale->precision);
      number[i] = limit < INFINITY ? limit : NAN;
    }
    status = copy_scalars(listed, number, listed->lists.limit, stream, error);
  }
  pcf_free(number);
  return status;
}

/* Bytes of which all bits are set make NaN. */
static cudaError_t empty_lists(struct pcf_cuda_listed *listed, cudaStream_t stream) {
  struct pcf_cuda_lists *lists = &listed->lists;
  size_t items = items_of(listed), side = (size_t)listed->run->side;
  const struct pcf_selection *selection = pcf_cuda_selection_of(listed->run);
  cudaError_t code = cudaMemsetAsync(lists->entry, 0xff, items * list_bytes(listed), stream);
  if (!code) code = cudaMemsetAsync(lists->limit, 0xff, items * scalar_size(listed), stream);
  if (!code) code = cudaMemsetAsync(lists->rows.count, 0, 2 * side * sizeof(int), stream);
  if (!code && lists->label) {
    code = cudaMemcpyAsync((void *)lists->label, selection->label, items * sizeof *lists->label,
                           cudaMemcpyHostToDevice, stream);
  }
  if (!code && lists->name) {
    size_t others = others_of(listed);
    code = cudaMemcpyAsync((void *)lists->name, selection->name, others * sizeof *lists->name,
                           cudaMemcpyHostToDevice, stream);
    if (!code) code = pcf_cuda_invert(lists->name, (int64_t)others, listed->place, stream);
  }
  return code;
}

enum pcf_status pcf_cuda_lists_open(struct pcf_cuda_listed *listed, cudaStream_t stream,
                                    struct pcf_error *error) {
  struct pcf_cuda_memory *memory = listed->memory;
  listed->lists.each = (int)pcf_cuda_selection_of(listed->run)->most;
  enum pcf_status status =
    pcf_cuda_check(memory, cudaEventCreate(&listed->done), "creating an event", error);
  if (!status) status = allocate(listed, error);
  if (!status) {
    status = pcf_cuda_check(memory, empty_lists(listed, stream), "clearing lists", error);
  }
  if (!status) status = fill_numbers(listed, stream, error);
  if (status) return status;
  listed->exchange_at =
    pcf_band_count((int64_t)items_of(listed), listed->run->side) / listed->run->info.wanted;
  return pcf_cuda_check(memory, cudaEventRecord(listed->done, stream), "clearing lists", error);
}

static enum pcf_status allocate_waiting(struct pcf_cuda_listed *listed,
                                        struct pcf_error *error) {
  size_t side = (size_t)listed->run->side, places = side * PCF_CUDA_WAITING;
  struct pcf_cuda_waiting *rows = &listed->lists.rows, *columns = &listed->lists.columns;
  struct pcf_cuda_memory *memory = listed->memory;
  enum pcf_status status = PCF_OK;
  rows->count = pcf_cuda_allocate(memory, 2 * side * sizeof *rows->count, &status, error);
  rows->entry = pcf_cuda_allocate(memory, 2 * places * sizeof *rows->entry, &status, error);
  if (status) return status;
  *columns = (struct pcf_cuda_waiting){rows->count + side, rows->entry + places};
  return PCF_OK;
}

/* The lists themselves, and what waits for them. */
static enum pcf_status allocate(struct pcf_cuda_listed *listed, struct pcf_error *error) {
  enum { MOST_AT_ONCE = 1 << 24 };
  struct pcf_cuda_lists *lists = &listed->lists;
  struct pcf_cuda_memory *memory = listed->memory;
  size_t items = items_of(listed);
  enum pcf_status status = PCF_OK;
  lists->entry = pcf_cuda_allocate(memory, items * list_bytes(listed), &status, error);
  lists->limit = pcf_cuda_allocate(memory, items * scalar_size(listed), &status, error);
  if (pcf_cuda_selection_of(listed->run)->least) {
    lists->least = pcf_cuda_allocate(memory, items * scalar_size(listed), &status, error);
  }
  if (pcf_cuda_selection_of(listed->run)->label) {
    lists->label = pcf_cuda_allocate(memory, items * sizeof(int32_t), &status, error);
  }
  if (pcf_cuda_selection_of(listed->run)->name) {
    size_t bytes = others_of(listed) * sizeof(int32_t);
    lists->name = pcf_cuda_allocate(memory, bytes, &status, error);
    listed->place = pcf_cuda_allocate(memory, bytes, &status, error);
  }
  if (!status) status = allocate_waiting(listed, error);
  if (status) return status;
  size_t at_once = MOST_AT_ONCE / list_bytes(listed);
  listed->items_at_once = (int64_t)(at_once < items ? at_once : items);
  return pcf_cuda_pin(memory, (size_t)listed->items_at_once * list_bytes(listed), &listed->host,
                      error);
}

void pcf_cuda_lists_close(struct pcf_cuda_listed *listed) {
  if (!listed->memory) return;
  pcf_cuda_unpin(listed->memory, listed->host);
  if (listed->done) cudaEventDestroy(listed->done);
}

/* ---- Limits of all devices ---- */

static cudaError_t exchange(struct pcf_cuda_listed *listed, cudaStream_t stream) {
  int64_t items = (int64_t)items_of(listed);
  int64_t most = listed->items_at_once * (int64_t)(list_bytes(listed) / scalar_size(listed));
  cudaError_t code = cudaStreamWaitEvent(stream, listed->done, 0);
  for (int64_t first = 0; first < items && !code; first += most) {
    int64_t count = pcf_smaller(most, items - first);
    size_t bytes = (size_t)count * scalar_size(listed);
    char *limit = (char *)listed->lists.limit + (size_t)first * scalar_size(listed);
    code = cudaMemcpyAsync(listed->host, limit, bytes, cudaMemcpyDeviceToHost, stream);
    if (!code) code = cudaStreamSynchronize(stream);
    if (code) break;
    pcf_cuda_common_exchange(listed->run->common, first, count, listed->host);
    code = cudaMemcpyAsync(limit, listed->host, bytes, cudaMemcpyHostToDevice, stream);
    if (!code) code = cudaStreamSynchronize(stream);
  }
  return code;
}

/* Each device begins with blocks of its own, of which those at the diagonal give their items
 * limits. So others have good ones when it gets to the blocks of nobody. After the first blocks
 * limits change less and less: it is enough to exchange them when there are twice as many
 * blocks; and besides when the device has no blocks of its own any more, and when no device
 * has.
 */
static int is_due(struct pcf_cuda_listed *listed, const struct pcf_block *block) {
  struct pcf_cuda_common *common = listed->run->common;
  int devices = listed->run->info.wanted, is_first = !block->owner && !listed->has_arrived;
  if (is_first) pcf_cuda_common_arrive(common);
  listed->has_arrived |= is_first;
  int arrived = pcf_cuda_common_arrived(common);
  int due = is_first || listed->begun >= listed->exchange_at ||
            (arrived >= devices && listed->arrived < devices);
  if (!due) return 0;
  listed->arrived = arrived;
  listed->exchange_at = 2 * (listed->begun + 1);
  return 1;
}

enum pcf_status pcf_cuda_lists_keep_up(struct pcf_cuda_listed *listed,
                                       const struct pcf_block *block, cudaStream_t stream,
                                       struct pcf_error *error) {
  if (!listed->run->common) return PCF_OK;
  cudaError_t code = is_due(listed, block) ? exchange(listed, stream) : cudaSuccess;
  listed->begun++;
  return pcf_cuda_check(listed->memory, code, "exchanging limits", error);
}

/* ---- Blocks ---- */

cudaError_t pcf_cuda_lists_add(struct pcf_cuda_listed *listed, const struct pcf_block *block,
                               struct pcf_cuda_filter *filter, cudaStream_t stream) {
  const char *limit = listed->lists.limit;
  int one = listed->run->task->mode != PCF_FULL;
  filter->lists = listed->lists;
  filter->row = (int32_t)block->row;
  filter->column = (int32_t)block->column;
  filter->row_limit = limit + (size_t)block->row * scalar_size(listed);
  filter->column_limit = one ? limit + (size_t)block->column * scalar_size(listed) : NULL;
  cudaError_t code = cudaStreamWaitEvent(stream, listed->done, 0);
  if (!code) code = pcf_cuda_pick(listed->run->pairs->integral.precision, filter, stream);
  return code ? code : cudaEventRecord(listed->done, stream);
}

/* ---- After the last block ---- */

enum pcf_status pcf_cuda_lists_give(struct pcf_cuda_listed *listed, cudaStream_t stream,
                                    struct pcf_finished *finished, struct pcf_error *error) {
  const struct pcf_cuda_lists *lists = &listed->lists;
  int64_t items = (int64_t)items_of(listed) - listed->given;
  if (items > listed->items_at_once) items = listed->items_at_once;
  finished->few = finished->of_rows = 1;
  finished->entry = listed->host;
  finished->entries = items * lists->each;
  struct pcf_entry *entry = lists->entry + listed->given * lists->each;
  cudaError_t code = cudaSuccess;
  if (lists->name) {
    code = pcf_cuda_rename(entry, finished->entries, listed->place, stream);
  }
  if (!code) {
    code = cudaMemcpyAsync(listed->host, entry, (size_t)items * list_bytes(listed),
                           cudaMemcpyDeviceToHost, stream);
  }
  if (!code) code = cudaStreamSynchronize(stream);
  listed->given += items;
  finished->kept = listed->given < (int64_t)items_of(listed);
  return pcf_cuda_check(listed->memory, code, "copying lists back", error);
}
