#include "sinks/join.h"

#include "base/memory.h"
#include "blocks/device.h"
#include "disk/stored.h"

#include <string.h>

/* Blocks of so many rows and columns go from the parts to the sink of the file. */
enum { ROWS = 2048, COLUMNS = PCF_ITEMS_TOGETHER };

/* The blocks of one part. */
struct joining {
  const struct pcf_layout *layout; /* of the part */
  const void *numbers;
  struct pcf_sink *sink;
  int64_t bands; /* of rows */
};

static enum pcf_status check_order(const struct pcf_disk_request *request,
                                   const struct pcf_disk_request *part, int64_t parts,
                                   struct pcf_error *error);
static enum pcf_status join_parts(struct pcf_disk_sink *disk, const struct pcf_layout *layout,
                                  const struct pcf_disk_request *part, int64_t parts,
                                  int threads, const atomic_int *stop, struct pcf_error *error);
static enum pcf_status join_part(struct pcf_disk_sink *disk,
                                 const struct pcf_disk_request *part, int threads,
                                 const atomic_int *stop, struct pcf_error *error);
static enum pcf_status join_block(void *joining_, int thread, int64_t index,
                                  struct pcf_error *error);

enum pcf_status pcf_disk_join(const struct pcf_disk_request *request,
                              const struct pcf_disk_request *part, int64_t parts, int threads,
                              const atomic_int *stop, struct pcf_error *error) {
  struct pcf_disk_request growing = *request;
  enum pcf_status status = check_order(request, part, parts, error);
  if (status) return status;
  growing.grows = 1;
  struct pcf_disk_sink *disk = pcf_disk_open(&growing, threads, stop, error);
  if (!disk) return error->status;
  status = join_parts(disk, &request->layout, part, parts, threads, stop, error);
  pcf_disk_close(disk);
  return status;
}

static enum pcf_status check_order(const struct pcf_disk_request *request,
                                   const struct pcf_disk_request *part, int64_t parts,
                                   struct pcf_error *error) {
  int64_t next = request->layout.first;
  for (int64_t k = 0; k < parts; k++) {
    const struct pcf_layout *layout = &part[k].layout;
    int fits = layout->first == next && layout->mode == request->layout.mode &&
               layout->rows == request->layout.rows && layout->first % COLUMNS == 0 &&
               layout->storage == request->layout.storage;
    if (!fits) next = -1;
    else next = layout->end;
  }
  if (next == request->layout.end) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_FILE, "the parts of \"%s\" are not its columns in order",
                  request->path);
}

static enum pcf_status join_parts(struct pcf_disk_sink *disk, const struct pcf_layout *layout,
                                  const struct pcf_disk_request *part, int64_t parts,
                                  int threads, const atomic_int *stop,
                                  struct pcf_error *error) {
  struct pcf_sink *sink = pcf_disk_as_sink(disk);
  struct pcf_scale as_it_is = {.precision = layout->storage, .factor = 1};
  enum pcf_status status = pcf_sink_begin(sink, PCF_FULL, &as_it_is, threads, error);
  for (int64_t k = 0; k < parts && !status; k++) {
    status = join_part(disk, &part[k], threads, stop, error);
  }
  return status ? status : pcf_sink_finish(sink, error);
}

/* Does the file have all columns of a part? */
static int is_joined(struct pcf_sink *sink, const struct pcf_layout *layout) {
  struct pcf_block block = {.column = layout->first,
                            .rows = layout->rows,
                            .columns = layout->end - layout->first,
                            .parts = 1};
  return pcf_disk_has(sink, &block);
}

/* Removes the part when the file has all of it, even if this call fails then. */
static enum pcf_status join_part(struct pcf_disk_sink *disk,
                                 const struct pcf_disk_request *part, int threads,
                                 const atomic_int *stop, struct pcf_error *error) {
  struct pcf_stored stored = {.file = PCF_NO_FILE};
  struct joining joining = {.layout = &part->layout,
                            .sink = pcf_disk_as_sink(disk),
                            .bands = pcf_band_count(part->layout.rows, ROWS)};
  int64_t columns = part->layout.end - part->layout.first;
  int64_t blocks = joining.bands * pcf_band_count(columns, COLUMNS);
  int joined = is_joined(joining.sink, &part->layout);
  enum pcf_status status = PCF_OK;
  if (joined && !pcf_file_exists(part->path)) return PCF_OK;
  if (!joined) {
    enum pcf_file_use use = part->own ? PCF_FILE_READ | PCF_FILE_OWN : PCF_FILE_READ;
    status = pcf_stored_open(&stored, part->path, use, &part->layout, error);
    if (!status) status = pcf_stored_check(&stored, part->header, threads, stop, error);
    joining.numbers = stored.numbers;
    if (!status) status = pcf_parallel_for(threads, blocks, stop, join_block, &joining, error);
    pcf_stored_close(&stored);
  }
  if (!status) status = pcf_disk_keep(disk, error);
  if (!status && pcf_disk_grain(disk) <= COLUMNS) pcf_disk_remove(part->path);
  return status;
}

/* Copies the numbers that a part has of a block into its columns. */
static void copy_block(const struct joining *joining, const struct pcf_block *block, char *to) {
  const struct pcf_layout *layout = joining->layout;
  size_t scalar = pcf_scalar_size(layout->storage);
  for (int64_t k = 0; k < block->columns; k++) {
    struct pcf_extent extent = pcf_layout_extent(layout, &block->rectangle, k);
    int64_t above = block->rows - extent.count;
    memcpy(to + (size_t)(above + block->rows * k) * scalar,
           pcf_scalar_at(joining->numbers, extent.index, layout->storage),
           (size_t)extent.count * scalar);
  }
}

static enum pcf_status join_block(void *joining_, int thread, int64_t index,
                                  struct pcf_error *error) {
  const struct joining *joining = joining_;
  const struct pcf_layout *layout = joining->layout;
  struct pcf_block block = {.row = index % joining->bands * ROWS,
                            .column = layout->first + index / joining->bands * COLUMNS,
                            .parts = 1};
  block.rows = pcf_smaller(ROWS, layout->rows - block.row);
  block.columns = pcf_smaller(COLUMNS, layout->end - block.column);
  if (pcf_disk_has(joining->sink, &block)) return PCF_OK;
  size_t scalar = pcf_scalar_size(layout->storage);
  char *numbers = pcf_allocate((size_t)(block.rows * block.columns), scalar, error);
  if (!numbers) return PCF_ERROR_MEMORY;
  copy_block(joining, &block, numbers);
  struct pcf_finished finished = {.block = &block, .data = numbers, .stride = block.rows};
  enum pcf_status status = pcf_sink_consume(joining->sink, thread, &finished, NULL, error);
  pcf_free(numbers);
  return status;
}
