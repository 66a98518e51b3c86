#include "cuda/lists.h"

static enum pcf_status allocate(struct pcf_cuda_listed *listed, struct pcf_error *error);

static size_t scalar_size(const struct pcf_cuda_listed *listed) {
  return pcf_scalar_size(listed->run->pairs->integral.precision);
}

static size_t items_of(const struct pcf_cuda_listed *listed) {
  return (size_t)listed->run->task->rows.count;
}

/* Numbers and the other items, of one list. */
static size_t pair_bytes(const struct pcf_cuda_listed *listed) {
  return (size_t)listed->lists.each * (scalar_size(listed) + sizeof(int32_t));
}

/* ---- Opening and closing ---- */

/* Bytes of which all bits are set make limits of NaN, and -1. */
static cudaError_t empty_lists(struct pcf_cuda_listed *listed, cudaStream_t stream) {
  struct pcf_cuda_lists *lists = &listed->lists;
  size_t items = items_of(listed), side = (size_t)listed->run->side;
  size_t pairs = items * (size_t)lists->each;
  cudaError_t code = cudaMemsetAsync(lists->other, 0xff, pairs * sizeof *lists->other, stream);
  if (!code) code = cudaMemsetAsync(lists->limit, 0xff, items * scalar_size(listed), stream);
  struct pcf_cuda_waiting *waiting[] = {&lists->rows, &lists->columns};
  for (int s = 0; s < 2 && !code; s++) {
    code = cudaMemsetAsync(waiting[s]->count, 0, side * sizeof(int), stream);
  }
  if (!code && lists->label) {
    code = cudaMemcpyAsync((void *)lists->label, listed->run->wish.label,
                           items * sizeof *lists->label, cudaMemcpyHostToDevice, stream);
  }
  return code ? code : cudaEventRecord(listed->done, stream);
}

enum pcf_status pcf_cuda_lists_open(struct pcf_cuda_listed *listed, cudaStream_t stream,
                                    struct pcf_error *error) {
  struct pcf_cuda_memory *memory = listed->memory;
  listed->lists.each = (int)listed->run->wish.each;
  listed->lists.sign = listed->run->wish.sign;
  enum pcf_status status =
    pcf_cuda_check(memory, cudaEventCreate(&listed->done), "making an event", error);
  if (!status) status = allocate(listed, error);
  if (status) return status;
  return pcf_cuda_check(memory, empty_lists(listed, stream), "clearing lists", error);
}

static enum pcf_status allocate_waiting(struct pcf_cuda_listed *listed,
                                        struct pcf_cuda_waiting *waiting,
                                        struct pcf_error *error) {
  size_t side = (size_t)listed->run->side, places = side * PCF_CUDA_WAITING;
  struct pcf_cuda_memory *memory = listed->memory;
  void *count, *number, *other = NULL;
  enum pcf_status status =
    pcf_cuda_allocate(memory, side * sizeof *waiting->count, &count, error);
  if (!status) {
    status = pcf_cuda_allocate(memory, places * scalar_size(listed), &number, error);
  }
  if (!status) {
    status = pcf_cuda_allocate(memory, places * sizeof *waiting->other, &other, error);
  }
  if (!status) *waiting = (struct pcf_cuda_waiting){count, number, other};
  return status;
}

/* The lists themselves, and what waits for them. */
static enum pcf_status allocate(struct pcf_cuda_listed *listed, struct pcf_error *error) {
  enum { MOST_AT_ONCE = 1 << 24 };
  struct pcf_cuda_lists *lists = &listed->lists;
  struct pcf_cuda_memory *memory = listed->memory;
  size_t items = items_of(listed), pairs = items * (size_t)lists->each;
  void *other = NULL, *label = NULL;
  enum pcf_status status =
    pcf_cuda_allocate(memory, pairs * scalar_size(listed), &lists->number, error);
  if (!status) status = pcf_cuda_allocate(memory, pairs * sizeof(int32_t), &other, error);
  if (!status) {
    status = pcf_cuda_allocate(memory, items * scalar_size(listed), &lists->limit, error);
  }
  if (!status && listed->run->wish.label) {
    status = pcf_cuda_allocate(memory, items * sizeof(int32_t), &label, error);
  }
  lists->other = other;
  lists->label = label;
  if (!status) status = allocate_waiting(listed, &lists->rows, error);
  if (!status) status = allocate_waiting(listed, &lists->columns, error);
  if (status) return status;
  size_t at_once = MOST_AT_ONCE / pair_bytes(listed);
  listed->items_at_once = (int64_t)(at_once < items ? at_once : items);
  return pcf_cuda_pin(memory, (size_t)listed->items_at_once * pair_bytes(listed), &listed->host,
                      error);
}

void pcf_cuda_lists_close(struct pcf_cuda_listed *listed) {
  if (!listed->memory) return;
  pcf_cuda_unpin(listed->memory, listed->host);
  if (listed->done) cudaEventDestroy(listed->done);
}

/* ---- Blocks ---- */

cudaError_t pcf_cuda_lists_add(struct pcf_cuda_listed *listed,
                               const struct pcf_cuda_listing *listing, cudaStream_t stream) {
  struct pcf_cuda_listing block = *listing;
  block.lists = listed->lists;
  cudaError_t code = cudaStreamWaitEvent(stream, listed->done, 0);
  if (!code) code = pcf_cuda_list(listed->run->pairs->integral.precision, &block, stream);
  return code ? code : cudaEventRecord(listed->done, stream);
}

/* ---- Handing over ---- */

enum pcf_status pcf_cuda_lists_hand_over(struct pcf_cuda_listed *listed, cudaStream_t stream,
                                         struct pcf_best *best, struct pcf_error *error) {
  const struct pcf_cuda_lists *lists = &listed->lists;
  int64_t first = listed->handed_over, items = (int64_t)items_of(listed) - first;
  if (items > listed->items_at_once) items = listed->items_at_once;
  size_t at = (size_t)(first * lists->each), pairs = (size_t)(items * lists->each);
  size_t scalar = scalar_size(listed);
  char *number = listed->host, *other = number + pairs * scalar;
  cudaError_t code = cudaMemcpyAsync(number, (const char *)lists->number + at * scalar,
                                     pairs * scalar, cudaMemcpyDeviceToHost, stream);
  if (!code) {
    code = cudaMemcpyAsync(other, lists->other + at, pairs * sizeof *lists->other,
                           cudaMemcpyDeviceToHost, stream);
  }
  if (!code) code = cudaStreamSynchronize(stream);
  enum pcf_status status = pcf_cuda_check(listed->memory, code, "copying lists back", error);
  if (status) return status;
  *best = (struct pcf_best){.first = first,
                            .items = items,
                            .each = lists->each,
                            .sign = lists->sign,
                            .number = number,
                            .other = (const int32_t *)other,
                            .more = first + items < (int64_t)items_of(listed)};
  listed->handed_over += items;
  return PCF_OK;
}
