#include "sinks/disk.h"

#include "base/hash.h"
#include "base/memory.h"
#include "disk/coverage.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* Memory in which a strip is converted to what is written. It is used again for other
 * strips. */
struct scratch {
  struct scratch *next;
  int64_t room;    /* for numbers, of both */
  char *bytes;     /* as in the file; after the column */
  double column[]; /* of results */
};

/* Blocks come by columns, which are contiguous in the file. When the first block of a column
 * comes, the columns before it are written, but for blocks that are being written; those that
 * were before it the last time are written completely. Bytes up to `begun` are on their way to
 * the disk, bytes up to `done` are there. */
struct front {
  int64_t column, begun, done;
};

struct pcf_disk_sink {
  struct pcf_sink sink;
  struct pcf_disk_request request;
  char *part, *text;
  struct pcf_file numbers, record;
  struct pcf_records before;
  struct pcf_coverage covered;
  pthread_mutex_t lock, writing, draining;
  struct pcf_error
    recording;          /* the error of the first line that was not written; under `lock` */
  struct scratch *free; /* under `lock` */
  struct front front;   /* under `draining` */
};

static enum pcf_status open_files(struct pcf_disk_sink *disk, const atomic_int *stop,
                                  int threads, struct pcf_error *error);
static pcf_loop_body write_strip;

/* ---- As a sink ---- */

int pcf_disk_has(const struct pcf_sink *disk, const struct pcf_block *block) {
  return pcf_coverage_has(&((const struct pcf_disk_sink *)disk)->covered, &block->rectangle);
}

/* A block in strips of columns, each of which is written, and recorded, as one. */
struct strips {
  struct pcf_disk_sink *disk;
  const struct pcf_finished *finished;
  int64_t columns; /* of a strip */
};

/* Strips are small enough to be made in a cache, and as wide as the squares in which it is
 * noted what is there. */
static int64_t strip_columns(const struct pcf_disk_sink *disk, const struct pcf_block *block) {
  enum { BYTES = 1 << 22 };
  int64_t side = disk->covered.side;
  int64_t fit = BYTES / (block->rows * (int64_t)sizeof(double)) / side * side;
  return pcf_larger(fit, side);
}

/* What is written waits in the system's memory. The first thread with a block of a new column
 * makes the system begin to write the columns before to the disk, and waits until it has
 * written what it began with the last time. */
static void advance_front(struct pcf_disk_sink *disk, int64_t column) {
  const int64_t enough = (int64_t)32 << 20;
  const struct pcf_layout *layout = &disk->request.layout;
  struct front *front = &disk->front;
  pthread_mutex_lock(&disk->draining);
  if (column > front->column) {
    int64_t numbers =
      pcf_layout_before(layout, front->column) - pcf_layout_before(layout, layout->first);
    int64_t bytes = numbers * (int64_t)pcf_scalar_size(layout->storage);
    front->column = column;
    if (bytes - front->begun >= enough) {
      pcf_file_sync_range(&disk->numbers, front->begun, bytes, 0);
      pcf_file_sync_range(&disk->numbers, front->done, front->begun, 1);
      front->done = front->begun;
      front->begun = bytes;
    }
  }
  pthread_mutex_unlock(&disk->draining);
}

static enum pcf_status consume(struct pcf_sink *sink, int worker,
                               const struct pcf_finished *finished, struct pcf_team *team,
                               struct pcf_error *error) {
  struct pcf_disk_sink *disk = (struct pcf_disk_sink *)sink;
  struct strips strips = {disk, finished, strip_columns(disk, finished->block)};
  int64_t count = pcf_band_count(finished->block->columns, strips.columns);
  advance_front(disk, finished->block->column);
  return pcf_team_for(team, count, NULL, write_strip, &strips, error);
}

int64_t pcf_disk_grain(const struct pcf_disk_sink *disk) {
  return disk->covered.side;
}

enum pcf_status pcf_disk_keep(struct pcf_disk_sink *disk, struct pcf_error *error) {
  enum pcf_status status = pcf_file_sync(&disk->numbers, error);
  return status ? status : pcf_file_sync(&disk->record, error);
}

/* Its name is the last thing that the file gets. */
static enum pcf_status finish(struct pcf_sink *sink, struct pcf_error *error) {
  struct pcf_disk_sink *disk = (struct pcf_disk_sink *)sink;
  enum pcf_status status = pcf_disk_keep(disk, error);
  return status ? status : pcf_file_rename(disk->part, disk->request.path, error);
}

/* What is written at once are the numbers of a block in one column, and, of a symmetric matrix,
 * in one row. Where that is short, most of the time goes into its ends: the system takes as
 * long for them as for five pages or more within, and only one thread at a time writes. */
static void prefer(const struct pcf_sink *sink, struct pcf_preferences *preferences) {
  const struct pcf_disk_sink *disk = (const struct pcf_disk_sink *)sink;
  int symmetric = disk->request.layout.mode == PCF_LOWER_WITH_DIAGONAL;
  *preferences = (struct pcf_preferences){.order = PCF_FIRST_COLUMNS_FIRST,
                                          .side = symmetric ? 1024 : 2048,
                                          .tall = symmetric ? 1 : 8,
                                          .has = pcf_disk_has};
}

static const struct pcf_sink_type type = {
  .prefer = prefer, .consume = consume, .finish = finish};

struct pcf_sink *pcf_disk_as_sink(struct pcf_disk_sink *disk) {
  return &disk->sink;
}

/* ---- Opening and closing ---- */

void pcf_disk_remove(const char *path) {
  char *text = pcf_record_name(path, NULL);
  pcf_file_remove(path);
  if (text) pcf_file_remove(text);
  pcf_free(text);
}

struct pcf_disk_sink *pcf_disk_open(const struct pcf_disk_request *request, int threads,
                                    const atomic_int *stop, struct pcf_error *error) {
  struct pcf_disk_sink *disk = pcf_allocate(1, sizeof *disk, error);
  if (!disk) return NULL;
  *disk = (struct pcf_disk_sink){.sink = {.type = &type},
                                 .request = *request,
                                 .part = pcf_file_name(request->path, ".part", error),
                                 .text = pcf_record_name(request->path, error),
                                 .numbers = PCF_NO_FILE,
                                 .record = PCF_NO_FILE,
                                 .front = {.column = request->layout.first}};
  pthread_mutex_init(&disk->lock, NULL);
  pthread_mutex_init(&disk->writing, NULL);
  pthread_mutex_init(&disk->draining, NULL);
  enum pcf_status status = disk->part && disk->text ? PCF_OK : PCF_ERROR_MEMORY;
  if (!status) status = pcf_coverage_start(&disk->covered, &request->layout, error);
  if (!status) status = open_files(disk, stop, threads, error);
  if (!status) return disk;
  pcf_disk_close(disk);
  return NULL;
}

void pcf_disk_close(struct pcf_disk_sink *disk) {
  if (!disk) return;
  for (struct scratch *next; disk->free; disk->free = next) {
    next = disk->free->next;
    pcf_free(disk->free);
  }
  pcf_file_close(&disk->record);
  pcf_file_close(&disk->numbers);
  pcf_coverage_free(&disk->covered);
  pcf_records_free(&disk->before);
  pthread_mutex_destroy(&disk->draining);
  pthread_mutex_destroy(&disk->writing);
  pthread_mutex_destroy(&disk->lock);
  pcf_free(disk->part);
  pcf_free(disk->text);
  pcf_free(disk);
}

static enum pcf_file_use use_of(const struct pcf_disk_sink *disk, enum pcf_file_use use) {
  return disk->request.own ? use | PCF_FILE_OWN : use;
}

/* Opens and locks the file of numbers, which another call may rename before it is locked. */
static enum pcf_status take_numbers(struct pcf_disk_sink *disk, struct pcf_error *error) {
  enum pcf_status status = PCF_OK;
  for (;;) {
    int locked = 0;
    if (pcf_file_exists(disk->request.path)) {
      return pcf_fail(error, PCF_ERROR_FILE, "\"%s\" already exists", disk->request.path);
    }
    status = pcf_file_open(&disk->numbers, disk->part, use_of(disk, PCF_FILE_WRITE), error);
    if (!status) status = pcf_file_lock(&disk->numbers, &locked, error);
    if (status) return status;
    if (!locked) {
      return pcf_fail(error, PCF_ERROR_FILE, "\"%s\" is in use by another call", disk->part);
    }
    if (pcf_file_is_in_place(&disk->numbers)) return PCF_OK;
    pcf_file_close(&disk->numbers);
  }
}

/* What a call that was killed has left: the beginning of a text of the same results. */
static enum pcf_status check_beginning(const struct pcf_file *file, const char *text,
                                       struct pcf_error *error) {
  int64_t bytes;
  size_t compared = pcf_record_identity(text);
  enum pcf_status status = pcf_file_size(file, &bytes, error);
  if (status) return status;
  if (bytes < (int64_t)compared) compared = (size_t)bytes;
  char *found = pcf_allocate(compared + 1, 1, error);
  if (!found) return PCF_ERROR_MEMORY;
  status = pcf_file_read(file, found, compared, 0, error);
  int known = !status && memcmp(found, text, compared) == 0;
  pcf_free(found);
  if (status || known) return status;
  return pcf_fail(
    error, PCF_ERROR_FILE,
    "\"%s\" exists, but does not belong to this call: choose another name for the "
    "results",
    file->path);
}

/* Removes such a beginning, if there is one. */
static enum pcf_status remove_beginning(const struct pcf_disk_sink *disk, const char *name,
                                        const char *text, struct pcf_error *error) {
  struct pcf_file file;
  if (!pcf_file_exists(name)) return PCF_OK;
  enum pcf_status status = pcf_file_open(&file, name, use_of(disk, PCF_FILE_APPEND), error);
  if (!status) status = check_beginning(&file, text, error);
  pcf_file_close(&file);
  if (!status) pcf_file_remove(name);
  return status;
}

/* Writes the text under one name, and gives it the other when it is on the disk. */
static enum pcf_status write_text(struct pcf_disk_sink *disk, const char *name,
                                  const char *text, struct pcf_error *error) {
  struct pcf_file file;
  enum pcf_status status = remove_beginning(disk, name, text, error);
  if (!status) status = pcf_file_open(&file, name, use_of(disk, PCF_FILE_NEW), error);
  if (status) return status;
  status = pcf_file_write(&file, text, strlen(text), 0, error);
  if (!status) status = pcf_file_sync(&file, error);
  pcf_file_close(&file);
  if (!status) status = pcf_file_rename(name, disk->text, error);
  if (status) pcf_file_remove(name);
  return status;
}

/* The text gets its name when it is complete: then the file of numbers may get bytes. */
static enum pcf_status write_header(struct pcf_disk_sink *disk, struct pcf_error *error) {
  char *name = pcf_file_name(disk->text, ".new", error);
  char *text = pcf_record_begin(disk->request.header, error);
  enum pcf_status status = PCF_ERROR_MEMORY;
  if (name && text) status = write_text(disk, name, text, error);
  pcf_free(text);
  pcf_free(name);
  return status;
}

/* What nothing was written to reads as 0 in both cases. */
static enum pcf_status make_room(struct pcf_disk_sink *disk, const atomic_int *stop,
                                 struct pcf_error *error) {
  int64_t bytes = pcf_layout_bytes(&disk->request.layout);
  if (disk->request.grows) return pcf_file_set_size(&disk->numbers, bytes, error);
  return pcf_file_reserve(&disk->numbers, bytes, stop, error);
}

static enum pcf_status begin_anew(struct pcf_disk_sink *disk, const atomic_int *stop,
                                  struct pcf_error *error) {
  enum pcf_status status = write_header(disk, error);
  if (status) return status;
  status = make_room(disk, stop, error);
  if (!status)
    status = pcf_file_open(&disk->record, disk->text, use_of(disk, PCF_FILE_APPEND), error);
  if (!status) return PCF_OK;
  pcf_file_set_size(&disk->numbers, 0, NULL);
  pcf_file_remove(disk->text);
  return status;
}

/* `size` is that of the file of numbers; `begun`: was there one before this call? */
static enum pcf_status check_size(const struct pcf_disk_sink *disk, int64_t size, int begun,
                                  struct pcf_error *error) {
  int64_t bytes = pcf_layout_bytes(&disk->request.layout);
  if (size == bytes || (size < bytes && !disk->before.count)) return PCF_OK;
  if (!begun && size == 0) {
    return pcf_fail(error, PCF_ERROR_FILE,
                    "\"%s\" is gone: delete \"%s\", which describes it, to compute it again",
                    disk->request.path, disk->text);
  }
  return pcf_fail(error, PCF_ERROR_FILE, "\"%s\" has %.0f bytes, but should have %.0f",
                  disk->part, (double)size, (double)bytes);
}

/* Nothing is changed before everything is checked. */
static enum pcf_status go_on(struct pcf_disk_sink *disk, int64_t size, int begun,
                             const atomic_int *stop, int threads, struct pcf_error *error) {
  const struct pcf_layout *layout = &disk->request.layout;
  enum pcf_status status =
    pcf_file_open(&disk->record, disk->text, use_of(disk, PCF_FILE_APPEND), error);
  if (!status) {
    status =
      pcf_records_read(&disk->before, &disk->record, disk->request.header, layout, error);
  }
  if (!status) status = check_size(disk, size, begun, error);
  if (status) return status;
  status = pcf_records_check(&disk->before, &disk->numbers, layout, threads, stop, error);
  if (!status) status = make_room(disk, stop, error);
  if (!status) status = pcf_file_set_size(&disk->record, disk->before.bytes, error);
  for (int64_t k = 0; k < disk->before.count && !status; k++) {
    pcf_coverage_add(&disk->covered, &disk->before.record[k].rectangle);
  }
  return status;
}

/* Begins a file of numbers that this call has locked, or goes on with it. */
static enum pcf_status begin_or_go_on(struct pcf_disk_sink *disk, int begun,
                                      const atomic_int *stop, int threads,
                                      struct pcf_error *error) {
  int64_t size = 0;
  int described = pcf_file_exists(disk->text);
  enum pcf_status status = pcf_file_size(&disk->numbers, &size, error);
  if (status) return status;
  if (described) return go_on(disk, size, begun, stop, threads, error);
  if (size == 0) return begin_anew(disk, stop, error);
  return pcf_fail(error, PCF_ERROR_FILE, "\"%s\" has numbers, but there is no \"%s\"",
                  disk->part, disk->text);
}

/* Opens the files. On failure they are left as they were. */
static enum pcf_status open_files(struct pcf_disk_sink *disk, const atomic_int *stop,
                                  int threads, struct pcf_error *error) {
  int begun = pcf_file_exists(disk->part);
  enum pcf_status status = take_numbers(disk, error);
  if (status) return status;
  status = begin_or_go_on(disk, begun, stop, threads, error);
  if (status && !begun) pcf_file_remove(disk->part);
  return status;
}

/* ---- Scratch memory ---- */

/* For a strip of so many numbers, and columns of `rows`: one that was used before, if it has
 * the room. */
static struct scratch *take_scratch(struct pcf_disk_sink *disk, int64_t numbers, int64_t rows,
                                    struct pcf_error *error) {
  int64_t room = rows + numbers;
  pthread_mutex_lock(&disk->lock);
  struct scratch *scratch = disk->free;
  if (scratch) disk->free = scratch->next;
  pthread_mutex_unlock(&disk->lock);
  if (!scratch || scratch->room < room) {
    pcf_free(scratch);
    scratch = pcf_allocate(1, sizeof *scratch + (size_t)room * sizeof(double), error);
    if (!scratch) return NULL;
    scratch->room = room;
  }
  scratch->bytes = (char *)(scratch->column + rows);
  return scratch;
}

static void give_scratch(struct pcf_disk_sink *disk, struct scratch *scratch) {
  pthread_mutex_lock(&disk->lock);
  scratch->next = disk->free;
  disk->free = scratch;
  pthread_mutex_unlock(&disk->lock);
}

/* ---- Writing ---- */

static int is_lost(double number, float single) {
  return (isinf(single) && !isinf(number)) || (single == 0 && number != 0);
}

/* Converts numbers to what is stored. Returns the first one that is too large or too small for
 * that, or -1. */
static int64_t store(const struct pcf_layout *layout, const double *from, int64_t count,
                     char *to) {
  float *single = (float *)to;
  int lost = 0;
  if (layout->storage == PCF_DOUBLE) {
    memcpy(to, from, (size_t)count * sizeof *from);
    return -1;
  }
  for (int64_t i = 0; i < count; i++) {
    single[i] = (float)from[i];
    lost |= is_lost(from[i], single[i]);
  }
  for (int64_t i = 0; i < count && lost; i++) {
    if (is_lost(from[i], single[i])) return i;
  }
  return -1;
}

static enum pcf_status not_single(int64_t row, int64_t column, double number,
                                  struct pcf_error *error) {
  return pcf_fail(error, PCF_ERROR_FILE,
                  "the result in row %.0f and column %.0f is %s number in single precision: "
                  "store doubles",
                  (double)row + 1, (double)column + 1,
                  fabs(number) > 1 ? "larger than 3.4e38, the largest"
                                   : "closer to 0 than 1.4e-45, the smallest");
}

/* Makes the columns of a strip; they come one after the other. */
static enum pcf_status make_columns(struct pcf_disk_sink *disk, struct scratch *scratch,
                                    const struct pcf_rectangle *strip, const void *data,
                                    int64_t stride, struct pcf_error *error) {
  const struct pcf_layout *layout = &disk->request.layout;
  char *to = scratch->bytes;
  for (int64_t k = 0; k < strip->columns; k++) {
    struct pcf_extent extent = pcf_layout_extent(layout, strip, k);
    if (extent.count == 0) continue;
    int64_t skipped = strip->rows - extent.count;
    const void *from = pcf_scalar_at(data, skipped + stride * k, disk->sink.scale.precision);
    pcf_scale_back(&disk->sink.scale, strip->row + skipped, strip->column + k, from,
                   extent.count, scratch->column);
    int64_t lost = store(layout, scratch->column, extent.count, to);
    if (lost >= 0) {
      return not_single(strip->row + skipped + lost, strip->column + k, scratch->column[lost],
                        error);
    }
    to += (size_t)extent.count * pcf_scalar_size(layout->storage);
  }
  return PCF_OK;
}

/* Copies the strip's numbers below the diagonal to behind its columns, row by row. */
static void mirror_columns(const struct pcf_disk_sink *disk, const struct scratch *scratch,
                           const struct pcf_rectangle *strip) {
  const struct pcf_layout *layout = &disk->request.layout;
  size_t scalar = pcf_scalar_size(layout->storage);
  const char *from = scratch->bytes;
  char *rows = scratch->bytes;
  for (int64_t k = 0; k < strip->columns; k++) {
    rows += (size_t)pcf_layout_extent(layout, strip, k).count * scalar;
  }
  for (int64_t k = 0; k < strip->columns; k++) {
    int64_t held = pcf_layout_extent(layout, strip, k).count;
    char *to = rows;
    for (int64_t i = 0; i < strip->rows; i++) {
      int64_t count = pcf_layout_extent(layout, strip, strip->columns + i).count;
      const char *number = from + (size_t)(i - (strip->rows - held)) * scalar;
      if (k < count) memcpy(to + (size_t)k * scalar, number, scalar);
      to += (size_t)count * scalar;
    }
    from += (size_t)held * scalar;
  }
}

/* Extents that are contiguous in the file are written as one. The system lets one thread at a
 * time write into a file, and waking the next one for every extent takes longer than writing
 * it: so threads wait here, for a whole strip. */
static enum pcf_status write_extents(struct pcf_disk_sink *disk, const struct scratch *scratch,
                                     const struct pcf_rectangle *strip,
                                     struct pcf_error *error) {
  const struct pcf_layout *layout = &disk->request.layout;
  int64_t scalar = (int64_t)pcf_scalar_size(layout->storage);
  int64_t extents = pcf_layout_extents(layout, strip);
  const char *from = scratch->bytes;
  enum pcf_status status = PCF_OK;
  pthread_mutex_lock(&disk->writing);
  for (int64_t k = 0; k < extents && !status;) {
    struct pcf_extent all = pcf_layout_extent(layout, strip, k++);
    for (; k < extents; k++) {
      struct pcf_extent next = pcf_layout_extent(layout, strip, k);
      if (next.count && next.index != all.index + all.count) break;
      all.count += next.count;
    }
    size_t bytes = (size_t)(all.count * scalar);
    status = pcf_file_write(&disk->numbers, from, bytes, all.index * scalar, error);
    from += bytes;
  }
  pthread_mutex_unlock(&disk->writing);
  return status;
}

/* Nothing may come after a line that was written in part. */
static enum pcf_status append_record(struct pcf_disk_sink *disk,
                                     const struct pcf_record *record, struct pcf_error *error) {
  struct pcf_error *first = &disk->recording;
  pthread_mutex_lock(&disk->lock);
  if (!first->status) pcf_record_append(&disk->record, record, first);
  enum pcf_status status = first->status;
  if (status && error) *error = *first;
  pthread_mutex_unlock(&disk->lock);
  return status;
}

static enum pcf_status write_strip(void *strips_, int thread, int64_t index,
                                   struct pcf_error *error) {
  const struct strips *strips = strips_;
  struct pcf_disk_sink *disk = strips->disk;
  const struct pcf_layout *layout = &disk->request.layout;
  const struct pcf_finished *finished = strips->finished;
  struct pcf_rectangle strip = finished->block->rectangle;
  int64_t first = index * strips->columns;
  const void *data =
    pcf_scalar_at(finished->data, first * finished->stride, disk->sink.scale.precision);
  strip.column += first;
  strip.columns = pcf_smaller(strip.columns - first, strips->columns);
  int64_t numbers = pcf_layout_numbers(layout, &strip);
  if (numbers == 0) return PCF_OK;
  struct scratch *scratch = take_scratch(disk, numbers, strip.rows, error);
  if (!scratch) return PCF_ERROR_MEMORY;
  enum pcf_status status = make_columns(disk, scratch, &strip, data, finished->stride, error);
  if (!status && layout->mode == PCF_LOWER_WITH_DIAGONAL) mirror_columns(disk, scratch, &strip);
  if (!status) status = write_extents(disk, scratch, &strip, error);
  if (!status) {
    size_t bytes = (size_t)numbers * pcf_scalar_size(layout->storage);
    struct pcf_record record = {strip, pcf_hash(scratch->bytes, bytes)};
    status = append_record(disk, &record, error);
  }
  give_scratch(disk, scratch);
  return status;
}
