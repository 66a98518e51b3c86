#include "cuda/output.h"

#include "base/memory.h"
#include "cuda/memory.h"

#include <math.h>
#include <string.h>

static enum pcf_status reserve_filter(struct pcf_cuda_output *output, struct pcf_error *error);
static enum pcf_status take_few(struct pcf_cuda_output *output, const struct pcf_block *block,
                                struct pcf_finished *finished, struct pcf_error *error);

static size_t scalar_size(const struct pcf_cuda_output *output) {
  return pcf_scalar_size(output->run->pairs->integral.precision);
}

/* Are entries copied back, and not whole blocks? */
static int has_filter(const struct pcf_cuda_output *output) {
  return pcf_cuda_selection_of(output->run) && !output->listed;
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static enum pcf_status check(const struct pcf_cuda_output *output, cudaError_t code,
                             const char *what, struct pcf_error *error) {
  return pcf_cuda_check(output->memory, code, what, error);
}

/* ---- Opening and closing ---- */

/* The bytes of the buffer on the host, which holds the limits before they are copied to the
 * device, and afterwards the block or the entries found in it. */
static size_t host_bytes(const struct pcf_cuda_output *output, size_t bytes) {
  if (!has_filter(output)) return bytes;
  size_t limits = 2 * (size_t)output->run->side * scalar_size(output);
  size_t entries = (size_t)(1 + output->room) * sizeof *output->found;
  return larger(bytes, larger(limits, entries));
}

/* Clears the buffer once, since the elements above the diagonal that tiles do not write are
 * copied back, too. */
enum pcf_status pcf_cuda_output_open(struct pcf_cuda_output *output, int64_t elements,
                                     const struct pcf_cuda_choice *choice,
                                     struct pcf_error *error) {
  enum { TILE = PCF_CUDA_CHOSEN_SIDE * PCF_CUDA_CHOSEN_SIDE };
  int64_t more = 2 * PCF_CUDA_CHOSEN_SIDE * output->run->side + TILE; /* for whole tiles */
  if (choice && output->listed) elements = pcf_cuda_most_chosen(output->run) * TILE;
  else if (choice) elements += more;
  size_t bytes = (size_t)elements * scalar_size(output);
  size_t wide = (size_t)elements * (size_t)output->run->wide * sizeof(double);
  int marks = output->run->task->settings.timeline ? PCF_CUDA_MARKS : 0;
  cudaError_t code = pcf_cuda_take_stream(output->memory->index, &output->stream);
  enum pcf_status status = check(output, code, "creating a stream", error);
  if (!status && choice)
    status = pcf_cuda_tiles_found_open(&output->found_tiles, choice, error);
  for (int k = 0; k < marks && !status; k++) {
    status = check(output, cudaEventCreate(&output->mark[k]), "creating an event", error);
  }
  output->device = pcf_cuda_allocate(output->memory, bytes, &status, error);
  if (wide) output->wide = pcf_cuda_allocate(output->memory, wide, &status, error);
  output->room = elements / PCF_CUDA_NUMBERS_PER_ENTRY;
  if (!status && !output->listed) {
    status = pcf_cuda_pin(output->memory, host_bytes(output, bytes), &output->host, error);
  }
  if (status) return status;
  cudaMemsetAsync(output->device, 0, bytes, output->stream);
  if (wide) cudaMemsetAsync(output->wide, 0, wide, output->stream);
  status = check(output, cudaGetLastError(), "clearing a buffer", error);
  return status || !has_filter(output) ? status : reserve_filter(output, error);
}

/* Clears the entries once, since more of them are copied back than were found. */
static enum pcf_status reserve_filter(struct pcf_cuda_output *output, struct pcf_error *error) {
  size_t limits = 2 * (size_t)output->run->side, scalar = scalar_size(output);
  size_t bytes = (size_t)(1 + output->room) * sizeof *output->found;
  enum pcf_status status = PCF_OK;
  output->limit = pcf_allocate(limits, sizeof *output->limit, error);
  if (!output->limit) return PCF_ERROR_MEMORY;
  output->limits = pcf_cuda_allocate(output->memory, limits * scalar, &status, error);
  output->found = pcf_cuda_allocate(output->memory, bytes, &status, error);
  if (status) return status;
  cudaError_t code = cudaMemsetAsync(output->found, 0, bytes, output->stream);
  return check(output, code, "clearing a buffer", error);
}

void pcf_cuda_output_close(struct pcf_cuda_output *output) {
  if (!output->memory) return;
  pcf_cuda_give_stream(output->memory->index, output->stream);
  pcf_cuda_unpin(output->memory, output->host);
  for (int k = 0; k < PCF_CUDA_MARKS; k++) {
    if (output->mark[k]) cudaEventDestroy(output->mark[k]);
  }
  pcf_free(output->limit);
}

/* ---- What is wanted ---- */

int pcf_cuda_output_leaves_out(struct pcf_cuda_output *output, const struct pcf_block *block) {
  output->wanted = PCF_CUDA_ALL;
  if (pcf_pairs_find(output->run->pairs, &block->rectangle, 0, NULL) > 0) return 0;
  output->wanted = PCF_CUDA_NOTHING;
  for (int mark = 0; mark < PCF_CUDA_MARKS; mark++) pcf_cuda_output_mark(output, mark);
  return 1;
}

static double share_without_limit(const double *limit, int64_t count) {
  int64_t without = 0;
  for (int64_t k = 0; k < count; k++) without += limit[k] == INFINITY;
  return (double)without / (double)count;
}

/* Would nearly all pairs pass the filter, so that it is of no use? So it is while the selection
 * has seen few pairs of most items and has no limits for them yet. */
static int nearly_all_pass(const struct pcf_cuda_output *output,
                           const struct pcf_block *block) {
  double limited = (1 - share_without_limit(output->limit, block->rows)) *
                   (1 - share_without_limit(output->limit + block->rows, block->columns));
  double pairs = (double)pcf_rectangle_pairs(&block->rectangle, output->run->task->mode);
  return pairs * (1 - limited) > (double)output->room;
}

/* The limits are copied from the same host buffer that later receives the numbers: the copies
 * of one stream run in order. */
cudaError_t pcf_cuda_output_limit(struct pcf_cuda_output *output,
                                  const struct pcf_block *block) {
  enum pcf_precision precision = output->run->pairs->integral.precision;
  int64_t count = block->rows + block->columns;
  output->wanted = output->listed ? PCF_CUDA_LISTED : PCF_CUDA_ALL;
  if (!has_filter(output)) return cudaSuccess;
  pcf_selection_limits(pcf_cuda_selection_of(output->run), block, output->limit,
                       output->limit + block->rows);
  if (nearly_all_pass(output, block)) return cudaSuccess;
  output->wanted = PCF_CUDA_FEW;
  for (int64_t k = 0; k < count; k++) {
    pcf_store_scalar(output->host, k, pcf_rounded_down(output->limit[k], precision), precision);
  }
  return cudaMemcpyAsync(output->limits, output->host, (size_t)count * scalar_size(output),
                         cudaMemcpyHostToDevice, output->stream);
}

struct pcf_cuda_limits pcf_cuda_output_limits(const struct pcf_cuda_output *output,
                                              const struct pcf_block *block) {
  int lists = output->wanted == PCF_CUDA_LISTED;
  const char *limit = lists ? output->listed->lists.limit : output->limits;
  size_t row = lists ? (size_t)block->row : 0;
  size_t column = lists ? (size_t)block->column : (size_t)block->rows;
  int both = output->run->task->mode != PCF_FULL;
  return (struct pcf_cuda_limits){limit + row * scalar_size(output),
                                  both ? limit + column * scalar_size(output) : NULL};
}

/* ---- The filter ---- */

/* Pairs (i, j) of the block that the mode asks for are those with j < i + reach. */
static int64_t reach_of(const struct pcf_block *block, enum pcf_mode mode) {
  if (mode == PCF_FULL) return block->columns;
  return block->row - block->column + (mode == PCF_LOWER_WITH_DIAGONAL);
}

cudaError_t pcf_cuda_output_filter(const struct pcf_cuda_output *output,
                                   const struct pcf_block *block) {
  if (output->wanted != PCF_CUDA_FEW && output->wanted != PCF_CUDA_LISTED) return cudaSuccess;
  struct pcf_cuda_filter filter = {
    .numbers = output->device,
    .stride = block->rows,
    .chosen = output->chosen,
    .rows = (int)block->rows,
    .columns = (int)block->columns,
    .reach = reach_of(block, output->run->task->mode),
    .sign = pcf_cuda_selection_of(output->run)->sign,
  };
  if (output->wanted == PCF_CUDA_LISTED) {
    return pcf_cuda_lists_add(output->listed, block, &filter, output->stream);
  }
  filter.row_limit = output->limits;
  filter.column_limit = (char *)output->limits + (size_t)block->rows * scalar_size(output);
  filter.count = (unsigned long long *)output->found;
  filter.entry = output->found + 1;
  filter.room = (unsigned long long)output->room;
  cudaError_t code = cudaMemsetAsync(output->found, 0, sizeof *output->found, output->stream);
  if (code) return code;
  return pcf_cuda_pick(output->run->pairs->integral.precision, &filter, output->stream);
}

/* ---- The way back ---- */

void pcf_cuda_output_mark(struct pcf_cuda_output *output, enum pcf_cuda_mark mark) {
  if (output->mark[mark]) cudaEventRecord(output->mark[mark], output->stream);
}

static cudaError_t copy_back(const struct pcf_cuda_output *output, void *to, const void *from,
                             size_t bytes) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, output->stream);
}

/* The number of entries that are copied back together with their count, which takes little
 * longer than copying one. If there are more, they come in a second copy. */
static int64_t first_entries(const struct pcf_cuda_output *output) {
  enum { AT_LEAST = 1024 };
  int64_t first = output->room / 16 > AT_LEAST ? output->room / 16 : AT_LEAST;
  return pcf_smaller(first, output->room);
}

enum pcf_status pcf_cuda_output_fetch(struct pcf_cuda_output *output,
                                      const struct pcf_block *block, struct pcf_error *error) {
  cudaError_t code = cudaSuccess;
  if (output->wanted == PCF_CUDA_ALL) {
    size_t bytes = (size_t)(block->rows * block->columns) * scalar_size(output);
    code = copy_back(output, output->host, output->device, bytes);
  } else if (output->wanted == PCF_CUDA_FEW) {
    size_t bytes = (size_t)(1 + first_entries(output)) * sizeof *output->found;
    code = copy_back(output, output->host, output->found, bytes);
  }
  pcf_cuda_output_mark(output, PCF_CUDA_COPIED);
  return check(output, code, "copying a block back", error);
}

static enum pcf_status wait_for_stream(const struct pcf_cuda_output *output,
                                       struct pcf_error *error) {
  return check(output, cudaStreamSynchronize(output->stream), "computing a block", error);
}

enum pcf_status pcf_cuda_output_wait(struct pcf_cuda_output *output,
                                     const struct pcf_block *block,
                                     struct pcf_finished *finished, struct pcf_error *error) {
  enum pcf_status status = wait_for_stream(output, error);
  if (status) return status;
  if (output->wanted == PCF_CUDA_FEW) return take_few(output, block, finished, error);
  finished->few = output->wanted == PCF_CUDA_NOTHING;
  finished->kept = output->wanted == PCF_CUDA_LISTED;
  if (finished->few || finished->kept) return PCF_OK;
  finished->data = output->host;
  finished->stride = block->rows;
  return PCF_OK;
}

/* Takes the entries of a block; where there were too many for the buffer, copies back the whole
 * block, which is still on the device. */
static enum pcf_status take_few(struct pcf_cuda_output *output, const struct pcf_block *block,
                                struct pcf_finished *finished, struct pcf_error *error) {
  struct pcf_entry *found = output->host;
  int64_t first = 1 + first_entries(output);
  unsigned long long count;
  memcpy(&count, found, sizeof count);
  if (count > (unsigned long long)output->room) {
    output->wanted = PCF_CUDA_ALL;
    output->overflows = output->chosen.tile != NULL;
    if (output->overflows) return PCF_OK;
    enum pcf_status status = pcf_cuda_output_fetch(output, block, error);
    return status ? status : pcf_cuda_output_wait(output, block, finished, error);
  }
  finished->few = 1;
  finished->entry = found + 1;
  finished->entries = (int64_t)count;
  int64_t rest = 1 + (int64_t)count - first;
  if (rest <= 0) return PCF_OK;
  cudaError_t code =
    copy_back(output, found + first, output->found + first, (size_t)rest * sizeof *found);
  pcf_cuda_output_mark(output, PCF_CUDA_COPIED);
  enum pcf_status status = check(output, code, "copying a block back", error);
  return status ? status : wait_for_stream(output, error);
}
