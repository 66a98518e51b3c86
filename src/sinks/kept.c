#include "sinks/kept.h"

#include "base/memory.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

static const char magic[] = "pcfdist pairs 1\n"; /* and a 0 */

struct head {
  char magic[16];
  int64_t text, numbers, squares;
  uint64_t order;
};

/* ---- Reading ---- */

static int64_t in_words(int64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

static enum pcf_status fail_foreign(const char *path, struct pcf_error *error) {
  return pcf_fail(error, PCF_ERROR_FILE,
                  "`file` cannot be used: \"%s\" exists, but was not made by such a call. "
                  "Choose another name.",
                  path);
}

/* Of files of others not more than the first words is read. */
static enum pcf_status read_file(const struct pcf_file *file, struct pcf_kept *kept,
                                 const atomic_int *stop, struct pcf_error *error) {
  char found[sizeof(struct head)];
  enum pcf_status status = pcf_file_size(file, &kept->bytes, error);
  if (status) return status;
  kept->bytes -= (int64_t)sizeof(uint64_t); /* the checksum */
  if (kept->bytes < (int64_t)sizeof found) return fail_foreign(kept->path, error);
  status = pcf_file_read(file, found, sizeof found, 0, error);
  if (status) return status;
  if (memcmp(found, magic, sizeof magic - 1) != 0) return fail_foreign(kept->path, error);
  kept->before = pcf_allocate((size_t)kept->bytes, 1, error);
  if (!kept->before) return PCF_ERROR_MEMORY;
  return pcf_whole_read(file, 0, kept->before, kept->bytes, stop, error);
}

/* Finds the parts of the contents: NULL where the lengths do not fit. */
static const char *text_of(const struct pcf_kept *kept, const struct head *head) {
  int64_t most = kept->bytes - (int64_t)sizeof *head;
  int known = head->text >= 0 && head->text <= most && head->numbers >= 0 &&
              head->numbers <= most / 8 && head->squares >= 0 && head->squares <= most;
  int64_t rest =
    known ? most - in_words(head->text) - 8 * head->numbers - in_words(head->squares) : -1;
  return rest >= 0 && rest % (int64_t)sizeof *kept->pair == 0 ? kept->before + sizeof *head
                                                              : NULL;
}

static enum pcf_status read_before(struct pcf_kept *kept, const atomic_int *stop,
                                   struct pcf_error *error) {
  struct pcf_file file = PCF_NO_FILE;
  enum pcf_status status = pcf_file_open(&file, kept->path, PCF_FILE_READ, error);
  if (!status) status = read_file(&file, kept, stop, error);
  pcf_file_close(&file);
  const struct head *head = (const struct head *)kept->before;
  if (!status && !text_of(kept, head)) status = fail_foreign(kept->path, error);
  return status;
}

enum pcf_status pcf_kept_look(struct pcf_kept *kept, const atomic_int *stop,
                              struct pcf_error *error) {
  enum pcf_status status = read_before(kept, stop, error);
  if (status) return status;
  const struct head *head = (const struct head *)kept->before;
  char *text = kept->before + sizeof *head;
  kept->text = text;
  kept->numbers = head->numbers;
  kept->number = (const void *)(text + in_words(head->text));
  kept->bytes = head->text;
  return PCF_OK;
}

/* ---- Starting ---- */

/* How many bytes the bitmap of a coverage has. */
static int64_t bytes_of_squares(const struct pcf_coverage *coverage) {
  return coverage->rows * coverage->columns / 8 + 1;
}

static enum pcf_status go_on(struct pcf_kept *kept, const atomic_int *stop,
                             struct pcf_error *error) {
  enum pcf_status status = read_before(kept, stop, error);
  if (status) return status;
  const struct head *head = (const struct head *)kept->before;
  const char *text = text_of(kept, head);
  int same = head->text == (int64_t)strlen(kept->text) &&
             memcmp(text, kept->text, (size_t)head->text) == 0;
  if (!same || head->squares != bytes_of_squares(&kept->covered)) {
    return fail_foreign(kept->path, error);
  }
  const char *pair = text + in_words(head->text) + 8 * head->numbers + in_words(head->squares);
  kept->pair = (const struct pcf_kept_pair *)pair;
  kept->pairs = (kept->before + kept->bytes - pair) / (int64_t)sizeof *kept->pair;
  return PCF_OK;
}

enum pcf_status pcf_kept_start(struct pcf_kept *kept, enum pcf_mode mode, int64_t rows,
                               int64_t columns, const atomic_int *stop,
                               struct pcf_error *error) {
  struct pcf_layout layout = {.mode = mode, .rows = rows, .columns = columns, .end = columns};
  pthread_rwlock_init(&kept->changing, NULL);
  pthread_mutex_init(&kept->noting, NULL);
  kept->started = 1;
  kept->due = pcf_seconds() + kept->seconds;
  enum pcf_status status = pcf_coverage_start(&kept->covered, &layout, error);
  if (status || !kept->begun) return status;
  return go_on(kept, stop, error);
}

void pcf_kept_end(struct pcf_kept *kept) {
  pcf_free(kept->before);
  kept->before = NULL;
  if (!kept->started) return;
  pcf_coverage_free(&kept->covered);
  pthread_mutex_destroy(&kept->noting);
  pthread_rwlock_destroy(&kept->changing);
  kept->started = 0;
}

void pcf_kept_order(struct pcf_kept *kept, uint64_t order) {
  const struct head *head = (const struct head *)kept->before;
  kept->order = order;
  if (!kept->before || head->order != order) return;
  const char *squares = text_of(kept, head) + in_words(head->text) + 8 * head->numbers;
  memcpy(kept->covered.bits, squares, (size_t)head->squares);
}

/* ---- Adding ---- */

void pcf_kept_enter(struct pcf_kept *kept) {
  pthread_rwlock_rdlock(&kept->changing);
}

void pcf_kept_leave(struct pcf_kept *kept, const struct pcf_rectangle *rectangle) {
  if (rectangle) {
    pthread_mutex_lock(&kept->noting);
    pcf_coverage_add(&kept->covered, rectangle);
    kept->changed = 1;
    pcf_free(kept->before);
    kept->before = NULL;
    pthread_mutex_unlock(&kept->noting);
  }
  pthread_rwlock_unlock(&kept->changing);
}

/* ---- Writing ---- */

/* Bytes up to a whole word. */
static enum pcf_status add_words(struct pcf_whole *whole, const void *bytes, int64_t count,
                                 struct pcf_error *error) {
  static const char zeros[8];
  enum pcf_status status = pcf_whole_add(whole, bytes, (size_t)count, error);
  if (status) return status;
  return pcf_whole_add(whole, zeros, (size_t)(in_words(count) - count), error);
}

static enum pcf_status write_new(struct pcf_kept *kept, pcf_kept_writer *write,
                                 const void *context, struct pcf_error *error) {
  struct head head = {.text = (int64_t)strlen(kept->text),
                      .numbers = kept->numbers,
                      .squares = bytes_of_squares(&kept->covered),
                      .order = kept->order};
  struct pcf_whole whole;
  memcpy(head.magic, magic, sizeof head.magic);
  enum pcf_status status = pcf_whole_begin(&whole, kept->new_path, 0, error);
  int made = !status;
  if (!status) status = add_words(&whole, &head, sizeof head, error);
  if (!status) status = add_words(&whole, kept->text, head.text, error);
  if (!status) status = add_words(&whole, kept->number, 8 * kept->numbers, error);
  if (!status) status = add_words(&whole, kept->covered.bits, head.squares, error);
  if (!status) status = write(context, &whole, error);
  if (!status) status = pcf_whole_end(&whole, error);
  pcf_whole_close(&whole);
  if (!status) status = pcf_file_replace(kept->new_path, kept->path, error);
  if (status && made) pcf_file_remove(kept->new_path);
  return status;
}

/* One thread at a time; the others go on when it is written. Of the time that passes, a
 * twentieth at most is for this. */
static int is_to_be_written(struct pcf_kept *kept, int last) {
  pthread_mutex_lock(&kept->noting);
  int due = last ? kept->changed || !kept->before : pcf_seconds() >= kept->due;
  if (due) kept->due = INFINITY;
  pthread_mutex_unlock(&kept->noting);
  return due;
}

enum pcf_status pcf_kept_write(struct pcf_kept *kept, int last, pcf_kept_writer *write,
                               const void *context, struct pcf_error *error) {
  static const double rarely = 20;
  if (!is_to_be_written(kept, last)) return PCF_OK;
  pthread_rwlock_wrlock(&kept->changing);
  double start = pcf_seconds();
  enum pcf_status status = write_new(kept, write, context, error);
  double end = pcf_seconds();
  pthread_mutex_lock(&kept->noting);
  kept->changed = 0;
  kept->due = end + fmax(kept->seconds, kept->seconds > 0 ? rarely * (end - start) : 0);
  pthread_mutex_unlock(&kept->noting);
  pthread_rwlock_unlock(&kept->changing);
  return status;
}
