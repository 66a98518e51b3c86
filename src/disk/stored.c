#include "disk/stored.h"

#include "base/bits.h"
#include "base/memory.h"

#include <string.h>

/* ---- Opening ---- */

static enum pcf_status map_numbers(struct pcf_stored *stored, struct pcf_error *error) {
  int64_t expected = pcf_layout_bytes(&stored->layout), bytes = 0;
  enum pcf_status status = pcf_file_size(&stored->file, &bytes, error);
  if (status) return status;
  if (bytes != expected) {
    return pcf_fail(error, PCF_ERROR_FILE, "\"%s\" has %.0f bytes, but should have %.0f",
                    stored->file.path, (double)bytes, (double)expected);
  }
  if (expected == 0) return PCF_OK;
  stored->numbers = pcf_file_map(&stored->file, expected, error);
  return stored->numbers ? PCF_OK : PCF_ERROR_FILE;
}

enum pcf_status pcf_stored_open(struct pcf_stored *stored, const char *path,
                                enum pcf_file_use use, const struct pcf_layout *layout,
                                struct pcf_error *error) {
  *stored = (struct pcf_stored){*layout, pcf_layout_length(layout), PCF_NO_FILE, NULL, use};
  enum pcf_status status = pcf_file_open(&stored->file, path, use, error);
  return status ? status : map_numbers(stored, error);
}

enum pcf_status pcf_stored_again(struct pcf_stored *again, const struct pcf_stored *stored,
                                 struct pcf_error *error) {
  *again = (struct pcf_stored){stored->layout, stored->length, PCF_NO_FILE, NULL, stored->use};
  enum pcf_status status = pcf_file_again(&again->file, &stored->file, error);
  return status ? status : map_numbers(again, error);
}

void pcf_stored_close(struct pcf_stored *stored) {
  pcf_file_unmap(stored->numbers, pcf_layout_bytes(&stored->layout));
  stored->numbers = NULL;
  pcf_file_close(&stored->file);
}

/* ---- Reading ---- */

double pcf_stored_number(const struct pcf_stored *stored, int64_t k) {
  enum pcf_precision storage = stored->layout.storage;
  double number = pcf_load_scalar(stored->numbers, k, storage);
  return storage == PCF_DOUBLE || number == number ? number : pcf_missing();
}

void pcf_stored_read(const struct pcf_stored *stored, int64_t first, int64_t count,
                     double *to) {
  if (count <= 0) return;
  if (stored->layout.storage == PCF_DOUBLE) {
    memcpy(to, (const double *)stored->numbers + first, (size_t)count * sizeof *to);
    return;
  }
  for (int64_t k = 0; k < count; k++) to[k] = pcf_stored_number(stored, first + k);
}

/* ---- Comparing and checking ---- */

enum pcf_status pcf_stored_is_unchanged(const struct pcf_stored *stored, int *unchanged,
                                        struct pcf_error *error) {
  struct pcf_stored again;
  *unchanged = 1;
  enum pcf_status status = pcf_stored_again(&again, stored, error);
  if (!status && stored->numbers) {
    size_t bytes = (size_t)pcf_layout_bytes(&stored->layout);
    *unchanged = memcmp(stored->numbers, again.numbers, bytes) == 0;
  }
  pcf_stored_close(&again);
  return status;
}

static enum pcf_status check_coverage(struct pcf_records *records,
                                      const struct pcf_layout *layout, const char *path,
                                      struct pcf_error *error) {
  int all;
  enum pcf_status status = pcf_records_are_all(records, layout, &all, error);
  if (status || all) return status;
  return pcf_fail(error, PCF_ERROR_FILE, "\"%s\" does not list all blocks", path);
}

enum pcf_status pcf_stored_check(const struct pcf_stored *stored, const char *header,
                                 int threads, const atomic_int *stop, struct pcf_error *error) {
  struct pcf_records records = {0};
  struct pcf_file file;
  char *text = pcf_record_name(stored->file.path, error);
  if (!text) return PCF_ERROR_MEMORY;
  enum pcf_status status = pcf_file_open(&file, text, stored->use, error);
  if (!status) status = pcf_records_read(&records, &file, header, &stored->layout, error);
  pcf_file_close(&file);
  if (!status) status = check_coverage(&records, &stored->layout, text, error);
  if (!status) {
    status = pcf_records_check(&records, &stored->file, &stored->layout, threads, stop, error);
  }
  pcf_records_free(&records);
  pcf_free(text);
  return status;
}
