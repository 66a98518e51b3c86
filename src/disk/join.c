#include "disk/join.h"

#include "base/memory.h"
#include "disk/stored.h"

#include <string.h>

/* Blocks of so many rows and columns go from the parts to the sink of the file. */
enum { ROWS = 2048, COLUMNS = PCF_JOIN_COLUMNS };

struct joining {
  const struct pcf_layout *layout; /* of the file */
  struct pcf_stored *stored;       /* the parts */
  struct pcf_sink *sink;
  int64_t parts, bands; /* of rows */
};

static enum pcf_status check_order(const struct pcf_disk_request *request,
                                   const struct pcf_disk_part *part, int64_t parts,
                                   struct pcf_error *error) {
  int64_t next = request->layout.first;
  for (int64_t k = 0; k < parts; k++) {
    const struct pcf_layout *layout = &part[k].layout;
    int fits = layout->first == next && layout->kind == request->layout.kind &&
               layout->rows == request->layout.rows && layout->first % COLUMNS == 0 &&
               layout->storage == request->layout.storage;
    if (!fits) next = -1;
    else next = layout->end;
  }
  if (next == request->layout.end) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_FILE, "the parts of \"%s\" are not its columns in order",
                  request->path);
}

static enum pcf_status open_parts(struct joining *joining, const struct pcf_disk_part *part,
                                  int threads, const atomic_int *stop,
                                  struct pcf_error *error) {
  enum pcf_status status = PCF_OK;
  for (int64_t k = 0; k < joining->parts && !status; k++) {
    status = pcf_stored_open(&joining->stored[k], part[k].path, &part[k].layout, error);
    if (!status)
      status = pcf_stored_check(&joining->stored[k], part[k].header, threads, stop, error);
  }
  return status;
}

static const struct pcf_stored *part_with(const struct joining *joining, int64_t column) {
  int64_t k = 0;
  while (joining->stored[k].layout.end <= column) k++;
  return &joining->stored[k];
}

/* Copies the numbers that a part has of a block into its columns. */
static void copy_block(const struct pcf_stored *stored, const struct pcf_block *block,
                       char *to) {
  const struct pcf_layout *layout = &stored->layout;
  size_t scalar = pcf_scalar_size(layout->storage);
  struct pcf_rectangle all = pcf_rectangle_of(block);
  for (int64_t k = 0; k < block->columns; k++) {
    struct pcf_extent extent = pcf_layout_extent(layout, &all, k);
    int64_t above = block->rows - extent.count;
    const char *from = (const char *)stored->numbers + (size_t)extent.index * scalar;
    memcpy(to + (size_t)(above + block->rows * k) * scalar, from,
           (size_t)extent.count * scalar);
  }
}

static enum pcf_status join_block(void *joining_, int thread, int64_t index,
                                  struct pcf_error *error) {
  const struct joining *joining = joining_;
  const struct pcf_layout *layout = joining->layout;
  struct pcf_block block = {.row = index % joining->bands * ROWS,
                            .column = layout->first + index / joining->bands * COLUMNS,
                            .rows = ROWS,
                            .columns = COLUMNS,
                            .parts = 1};
  if (block.rows > layout->rows - block.row) block.rows = layout->rows - block.row;
  if (block.columns > layout->end - block.column) block.columns = layout->end - block.column;
  if (joining->sink->type->has(joining->sink, &block)) return PCF_OK;
  size_t scalar = pcf_scalar_size(layout->storage);
  char *numbers = pcf_allocate((size_t)(block.rows * block.columns), scalar, error);
  if (!numbers) return PCF_ERROR_MEMORY;
  copy_block(part_with(joining, block.column), &block, numbers);
  struct pcf_finished finished = {.block = &block, .data = numbers, .stride = block.rows};
  enum pcf_status status = pcf_sink_consume(joining->sink, thread, &finished, NULL, error);
  pcf_free(numbers);
  return status;
}

static enum pcf_status join_all(struct joining *joining, int threads, const atomic_int *stop,
                                struct pcf_error *error) {
  const struct pcf_layout *layout = joining->layout;
  struct pcf_scale as_it_is = {.precision = layout->storage, .factor = 1};
  enum pcf_status status = pcf_sink_begin(joining->sink, PCF_FULL, &as_it_is, threads, error);
  joining->bands = pcf_band_count(layout->rows, ROWS);
  int64_t blocks = joining->bands * pcf_band_count(layout->end - layout->first, COLUMNS);
  if (!status) status = pcf_parallel_for(threads, blocks, stop, join_block, joining, error);
  return status ? status : pcf_sink_finish(joining->sink, error);
}

enum pcf_status pcf_disk_join(const struct pcf_disk_request *request,
                              const struct pcf_disk_part *part, int64_t parts, int threads,
                              const atomic_int *stop, struct pcf_error *error) {
  struct joining joining = {.layout = &request->layout, .parts = parts};
  struct pcf_disk_sink *disk = NULL;
  enum pcf_status status = check_order(request, part, parts, error);
  if (status) return status;
  joining.stored = pcf_allocate((size_t)parts, sizeof *joining.stored, error);
  if (!joining.stored) return PCF_ERROR_MEMORY;
  for (int64_t k = 0; k < parts; k++) {
    joining.stored[k] = (struct pcf_stored){.file = PCF_NO_FILE};
  }
  status = open_parts(&joining, part, threads, stop, error);
  if (!status) {
    disk = pcf_disk_open(request, threads, stop, error);
    status = disk ? PCF_OK : error->status;
  }
  if (!status) {
    joining.sink = pcf_disk_as_sink(disk);
    status = join_all(&joining, threads, stop, error);
  }
  pcf_disk_close(disk);
  for (int64_t k = 0; k < parts; k++) pcf_stored_close(&joining.stored[k]);
  pcf_free(joining.stored);
  return status;
}
