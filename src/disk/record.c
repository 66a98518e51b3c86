#include "disk/record.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"
#include "disk/coverage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The header ---- */

/* Its last lines, and their length. */
#define END_OF_HEADER "Checksum: %016" PRIx64 "\nBlocks:\n"
enum { END_BYTES = 10 + 16 + 9 };

char *pcf_record_name(const char *path, struct pcf_error *error) {
  return pcf_file_name(path, ".dcf", error);
}

char *pcf_record_begin(const char *header, struct pcf_error *error) {
  size_t bytes = strlen(header);
  char *text = pcf_allocate(bytes + END_BYTES + 1, 1, error);
  if (!text) return NULL;
  memcpy(text, header, bytes);
  snprintf(text + bytes, END_BYTES + 1, END_OF_HEADER, pcf_hash(header, bytes));
  return text;
}

size_t pcf_record_identity(const char *text) {
  const char *call = strstr(text, "\nCall:");
  return call ? (size_t)(call - text) : strlen(text);
}

/* How many bytes of the text are the header; -1 where it does not match its checksum. */
static int64_t header_bytes(const char *text) {
  static const char blocks[] = "\nBlocks:\n";
  char expected[END_BYTES + 1];
  const char *found = strstr(text, blocks);
  int64_t bytes = found ? found - text + (int64_t)strlen(blocks) - END_BYTES : -1;
  if (bytes < 0) return -1;
  snprintf(expected, sizeof expected, END_OF_HEADER, pcf_hash(text, (size_t)bytes));
  return memcmp(text + bytes, expected, END_BYTES) == 0 ? bytes : -1;
}

static enum pcf_status fail_damaged(const char *path, struct pcf_error *error) {
  return pcf_fail(
    error, PCF_ERROR_FILE,
    "\"%s\" is damaged: its description of the results does not match its checksum", path);
}

/* ---- Reading ---- */

/* The text with a 0 after it, to be freed whatever the status. */
static enum pcf_status read_all(const struct pcf_file *file, char **text,
                                struct pcf_error *error) {
  int64_t bytes;
  enum pcf_status status = pcf_file_size(file, &bytes, error);
  if (status) return status;
  *text = pcf_allocate((size_t)bytes + 1, 1, error);
  if (!*text) return PCF_ERROR_MEMORY;
  status = pcf_file_read(file, *text, (size_t)bytes, 0, error);
  if (!status) (*text)[bytes] = 0;
  return status;
}

/* Checks the first words before the whole file is read, since files of other programs may be
 * large. */
static enum pcf_status check_words(const struct pcf_file *file, const char *words,
                                   struct pcf_error *error) {
  char begin[64];
  size_t bytes = strlen(words);
  if (bytes <= sizeof begin && !pcf_file_read(file, begin, bytes, 0, NULL) &&
      memcmp(begin, words, bytes) == 0) {
    return PCF_OK;
  }
  return pcf_fail(error, PCF_ERROR_FILE,
                  "\"%s\" was not made by this version of pcfdist: to compute results, choose "
                  "another name or delete it",
                  file->path);
}

static enum pcf_status read_text(const struct pcf_file *file, const char *words, char **text,
                                 struct pcf_error *error) {
  *text = NULL;
  enum pcf_status status = check_words(file, words, error);
  return status ? status : read_all(file, text, error);
}

enum pcf_status pcf_record_header(const char *path, const char *words, char **header,
                                  struct pcf_error *error) {
  struct pcf_file file;
  *header = NULL;
  enum pcf_status status = pcf_file_open(&file, path, PCF_FILE_READ, error);
  if (!status) status = read_text(&file, words, header, error);
  pcf_file_close(&file);
  if (status) return status;
  int64_t bytes = header_bytes(*header);
  if (bytes < 0) return fail_damaged(path, error);
  (*header)[bytes] = 0;
  return PCF_OK;
}

/* Where the lines of rectangles begin. */
static enum pcf_status find_lines(struct pcf_records *records, const char *text,
                                  const char *path, const char *header,
                                  struct pcf_error *error) {
  int64_t bytes = header_bytes(text);
  if (bytes < 0) return fail_damaged(path, error);
  records->bytes = bytes + END_BYTES;
  int64_t expected = header ? (int64_t)strlen(header) : bytes;
  if (bytes == expected && (!header || memcmp(text, header, (size_t)expected) == 0))
    return PCF_OK;
  return pcf_fail(error, PCF_ERROR_FILE, "\"%s\" does not describe the results of this call",
                  path);
}

static int is_inside(const struct pcf_rectangle *rectangle, const struct pcf_layout *layout) {
  return rectangle->row >= 0 && rectangle->column >= 0 && rectangle->rows > 0 &&
         rectangle->columns > 0 && rectangle->rows <= layout->rows &&
         rectangle->columns <= layout->columns &&
         rectangle->row <= layout->rows - rectangle->rows &&
         rectangle->column <= layout->columns - rectangle->columns;
}

/* Longer than any line, with a 0 after it. */
enum { LINE_BYTES = 140 };

/* Returns how many bytes the line has. */
static int make_line(const struct pcf_record *record, char line[LINE_BYTES]) {
  const struct pcf_rectangle *of = &record->rectangle;
  int bytes =
    snprintf(line, LINE_BYTES, " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %016" PRIx64,
             of->row + 1, of->column + 1, of->rows, of->columns, record->checksum);
  uint64_t of_line = pcf_hash(line + 1, (size_t)bytes - 1);
  return bytes +
         snprintf(line + bytes, LINE_BYTES - (size_t)bytes, " %016" PRIx64 "\n", of_line);
}

/* What is read has to make the same line again, to the last byte. */
static int read_line(const char *line, const struct pcf_layout *layout,
                     struct pcf_record *record) {
  char expected[LINE_BYTES], *at;
  record->rectangle.row = strtoll(line, &at, 10) - 1;
  record->rectangle.column = strtoll(at, &at, 10) - 1;
  record->rectangle.rows = strtoll(at, &at, 10);
  record->rectangle.columns = strtoll(at, &at, 10);
  record->checksum = strtoull(at, NULL, 16);
  return is_inside(&record->rectangle, layout) &&
         strncmp(line, expected, (size_t)make_line(record, expected)) == 0;
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
                      "line %.0f of \"%s\" is damaged: it does not describe a block",
                      (double)(count_lines(text) - (int64_t)lines + records->count + 1), path);
    }
  }
  records->bytes = line - text;
  return PCF_OK;
}

enum pcf_status pcf_records_read(struct pcf_records *records, const struct pcf_file *file,
                                 const char *header, const struct pcf_layout *layout,
                                 struct pcf_error *error) {
  char *text;
  *records = (struct pcf_records){0};
  enum pcf_status status = read_text(file, "", &text, error);
  if (!status) status = find_lines(records, text, file->path, header, error);
  if (!status) status = read_lines(records, text, file->path, layout, error);
  pcf_free(text);
  return status;
}

void pcf_records_free(struct pcf_records *records) {
  pcf_free(records->record);
  *records = (struct pcf_records){0};
}

/* ---- Completeness ---- */

static int compare_corners(const void *a_, const void *b_) {
  const struct pcf_rectangle *a = &((const struct pcf_record *)a_)->rectangle;
  const struct pcf_rectangle *b = &((const struct pcf_record *)b_)->rectangle;
  if (a->column != b->column) return a->column < b->column ? -1 : 1;
  return (a->row > b->row) - (a->row < b->row);
}

/* The numbers of rectangles that begin in different places. */
static int64_t count_numbers(struct pcf_records *records, const struct pcf_layout *layout) {
  struct pcf_record *record = records->record;
  int64_t numbers = 0;
  qsort(record, (size_t)records->count, sizeof *record, compare_corners);
  for (int64_t k = 0; k < records->count; k++) {
    if (k > 0 && compare_corners(&record[k - 1], &record[k]) == 0) continue;
    numbers += pcf_layout_numbers(layout, &record[k].rectangle);
  }
  return numbers;
}

/* Squares of single numbers are exact. Larger squares may miss numbers that are covered; mostly
 * the blocks do not overlap, and counting their numbers is enough. */
enum pcf_status pcf_records_are_all(struct pcf_records *records,
                                    const struct pcf_layout *layout, int *all,
                                    struct pcf_error *error) {
  struct pcf_coverage coverage = {0};
  struct pcf_rectangle expected = {0, layout->rows, layout->first, layout->end - layout->first};
  enum pcf_status status = pcf_coverage_start(&coverage, layout, error);
  for (int64_t k = 0; k < records->count && !status; k++) {
    pcf_coverage_add(&coverage, &records->record[k].rectangle);
  }
  *all = !status &&
         (pcf_coverage_has(&coverage, &expected) ||
          (coverage.side > 1 && count_numbers(records, layout) == pcf_layout_length(layout)));
  pcf_coverage_free(&coverage);
  return status;
}

/* ---- Writing ---- */

enum pcf_status pcf_record_append(const struct pcf_file *file, const struct pcf_record *record,
                                  struct pcf_error *error) {
  char line[LINE_BYTES];
  size_t bytes = (size_t)make_line(record, line);
  return pcf_file_write(file, line, bytes, -1, error);
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
  if (!numbers) return PCF_ERROR_MEMORY;
  enum pcf_status status = read_rectangle(checking, of, numbers, error);
  if (!status && pcf_hash(numbers, bytes) != record->checksum) {
    status =
      pcf_fail(error, PCF_ERROR_FILE,
               "\"%s\" is damaged: the block of rows %.0f to %.0f and columns %.0f to "
               "%.0f does not match its checksum",
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
