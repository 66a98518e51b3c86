#include "disk/record.h"

#include "base/hash.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading ---- */

static const char *const blocks_field = "\nBlocks:\n";

/* The text with a 0 after it, to be freed whatever the status. */
static enum pcf_status read_text(const char *path, char **text, int64_t *bytes,
                                 struct pcf_error *error) {
  struct pcf_file file;
  *text = NULL;
  enum pcf_status status = pcf_file_open(&file, path, PCF_FILE_READ, error);
  if (!status) status = pcf_file_size(&file, bytes, error);
  if (!status) {
    *text = pcf_allocate((size_t)*bytes + 1, 1, error);
    status = *text ? PCF_OK : PCF_ERROR_MEMORY;
  }
  if (!status) status = pcf_file_read(&file, *text, (size_t)*bytes, 0, error);
  if (!status) (*text)[*bytes] = 0;
  pcf_file_close(&file);
  return status;
}

/* Where the lines of rectangles begin; -1 for a file that is another one. */
static int64_t end_of_header(const char *text, int64_t bytes, const char *header) {
  if (!header) {
    const char *found = strstr(text, blocks_field);
    return found ? found - text + (int64_t)strlen(blocks_field) : -1;
  }
  int64_t length = (int64_t)strlen(header);
  return length <= bytes && memcmp(text, header, (size_t)length) == 0 ? length : -1;
}

static int is_inside(const struct pcf_rectangle *rectangle, const struct pcf_layout *layout) {
  return rectangle->row >= 0 && rectangle->column >= 0 && rectangle->rows > 0 &&
         rectangle->columns > 0 && rectangle->rows <= layout->rows &&
         rectangle->columns <= layout->columns &&
         rectangle->row <= layout->rows - rectangle->rows &&
         rectangle->column <= layout->columns - rectangle->columns;
}

static int read_line(const char *line, const struct pcf_layout *layout,
                     struct pcf_record *record) {
  enum { NUMBERS = 4, DIGITS = 16 };
  int64_t number[NUMBERS];
  char *at = (char *)line, *end;
  for (int k = 0; k < NUMBERS; k++, at = end) {
    if (*at != ' ') return 0;
    number[k] = strtoll(at, &end, 10);
    if (end == at) return 0;
  }
  record->rectangle = (struct pcf_rectangle){
    .row = number[0] - 1, .column = number[1] - 1, .rows = number[2], .columns = number[3]};
  record->checksum = strtoull(at, &end, 16);
  return *at == ' ' && end - at == DIGITS + 1 && *end == '\n' &&
         is_inside(&record->rectangle, layout);
}

static int64_t count_lines(const char *text) {
  int64_t lines = 0;
  while ((text = strchr(text, '\n'))) lines++, text++;
  return lines;
}

static enum pcf_status read_lines(struct pcf_records *records, const char *text,
                                  const char *path, const struct pcf_layout *layout,
                                  struct pcf_error *error) {
  const char *line = text + records->bytes;
  size_t lines = (size_t)count_lines(line);
  records->record = pcf_allocate(lines, sizeof *records->record, error);
  if (!records->record) return PCF_ERROR_MEMORY;
  for (const char *end; (end = strchr(line, '\n')); line = end + 1, records->count++) {
    if (!read_line(line, layout, &records->record[records->count])) {
      return pcf_fail(error, PCF_ERROR_FILE,
                      "line %.0f of \"%s\" is damaged: it does not tell of a block",
                      (double)(count_lines(text) - (int64_t)lines + records->count + 1), path);
    }
  }
  records->bytes = line - text;
  return PCF_OK;
}

enum pcf_status pcf_records_read(struct pcf_records *records, const char *path,
                                 const char *header, const struct pcf_layout *layout,
                                 struct pcf_error *error) {
  int64_t bytes = 0;
  char *text;
  *records = (struct pcf_records){0};
  enum pcf_status status = read_text(path, &text, &bytes, error);
  if (!status) records->bytes = end_of_header(text, bytes, header);
  if (!status && records->bytes < 0) {
    status = pcf_fail(error, PCF_ERROR_FILE,
                      "\"%s\" does not describe the results of this call", path);
  }
  if (!status) status = read_lines(records, text, path, layout, error);
  pcf_free(text);
  return status;
}

void pcf_records_free(struct pcf_records *records) {
  pcf_free(records->record);
  *records = (struct pcf_records){0};
}

/* ---- Writing ---- */

enum pcf_status pcf_record_append(const struct pcf_file *file, const struct pcf_record *record,
                                  struct pcf_error *error) {
  const struct pcf_rectangle *of = &record->rectangle;
  char line[120];
  int bytes = snprintf(line, sizeof line,
                       " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %016" PRIx64 "\n",
                       of->row + 1, of->column + 1, of->rows, of->columns, record->checksum);
  return pcf_file_append(file, line, (size_t)bytes, error);
}

/* ---- Checking ---- */

struct checking {
  const struct pcf_records *records;
  const struct pcf_file *numbers;
  const struct pcf_layout *layout;
};

static enum pcf_status read_rectangle(const struct checking *checking,
                                      const struct pcf_rectangle *rectangle, char *to,
                                      struct pcf_error *error) {
  const struct pcf_layout *layout = checking->layout;
  size_t scalar = pcf_scalar_size(layout->storage);
  int64_t extents = pcf_layout_extents(layout, rectangle);
  enum pcf_status status = PCF_OK;
  for (int64_t k = 0; k < extents && !status; k++) {
    struct pcf_extent extent = pcf_layout_extent(layout, rectangle, k);
    size_t bytes = (size_t)extent.count * scalar;
    status = pcf_file_read(checking->numbers, to, bytes, extent.index * (int64_t)scalar, error);
    to += bytes;
  }
  return status;
}

static enum pcf_status check_one(void *checking_, int thread, int64_t index,
                                 struct pcf_error *error) {
  const struct checking *checking = checking_;
  const struct pcf_record *record = &checking->records->record[index];
  const struct pcf_rectangle *of = &record->rectangle;
  size_t bytes = (size_t)pcf_layout_numbers(checking->layout, of) *
                 pcf_scalar_size(checking->layout->storage);
  char *numbers = pcf_allocate(bytes, 1, error);
  (void)thread;
  if (!numbers) return PCF_ERROR_MEMORY;
  enum pcf_status status = read_rectangle(checking, of, numbers, error);
  if (!status && pcf_hash(numbers, bytes) != record->checksum) {
    status =
      pcf_fail(error, PCF_ERROR_FILE,
               "\"%s\" is damaged: the block of rows %.0f to %.0f and columns %.0f to "
               "%.0f does not have its checksum",
               checking->numbers->path, (double)of->row + 1, (double)(of->row + of->rows),
               (double)of->column + 1, (double)(of->column + of->columns));
  }
  pcf_free(numbers);
  return status;
}

enum pcf_status pcf_records_check(const struct pcf_records *records,
                                  const struct pcf_file *numbers,
                                  const struct pcf_layout *layout, int threads,
                                  const atomic_int *stop, struct pcf_error *error) {
  struct checking checking = {records, numbers, layout};
  return pcf_parallel_for(threads, records->count, stop, check_one, &checking, error);
}
