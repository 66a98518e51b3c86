#include "disk/whole.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

/* ---- Checksums ---- */

/* A piece is written, or read, at once, and has a hash. */
enum { PIECE = 1 << 22 };

/* That of a file without bytes. */
static uint64_t checksum_of_folder(const char *path, enum pcf_file_use own) {
  if (!own) return 0;
  const char *end = path + strlen(path);
  while (end > path && end[-1] != '/') end--;
  const char *begin = end > path ? --end : end;
  while (begin > path && begin[-1] != '/') begin--;
  return pcf_hash(begin, (size_t)(end - begin));
}

static uint64_t checksum_with(uint64_t before, const char *piece, size_t count) {
  uint64_t both[2] = {before, pcf_hash(piece, count)};
  return pcf_hash(both, sizeof both);
}

/* ---- Writing ---- */

enum pcf_status pcf_whole_begin(struct pcf_whole *whole, const char *path,
                                enum pcf_file_use own, struct pcf_error *error) {
  *whole = (struct pcf_whole){
    .file = PCF_NO_FILE, .own = own, .checksum = checksum_of_folder(path, own)};
  whole->piece = pcf_allocate(PIECE, 1, error);
  if (!whole->piece) return PCF_ERROR_MEMORY;
  return pcf_file_open(&whole->file, path, PCF_FILE_NEW | own, error);
}

static enum pcf_status write_piece(struct pcf_whole *whole, struct pcf_error *error) {
  size_t count = whole->filled;
  whole->checksum = checksum_with(whole->checksum, whole->piece, count);
  whole->filled = 0;
  return pcf_file_write(&whole->file, whole->piece, count, -1, error);
}

enum pcf_status pcf_whole_add(struct pcf_whole *whole, const void *bytes, size_t count,
                              struct pcf_error *error) {
  enum pcf_status status = PCF_OK;
  for (const char *from = bytes; count > 0 && !status;) {
    size_t part = PIECE - whole->filled < count ? PIECE - whole->filled : count;
    memcpy(whole->piece + whole->filled, from, part);
    whole->filled += part;
    from += part;
    count -= part;
    if (whole->filled == PIECE) status = write_piece(whole, error);
  }
  return status;
}

enum pcf_status pcf_whole_end(struct pcf_whole *whole, struct pcf_error *error) {
  enum pcf_status status = whole->filled ? write_piece(whole, error) : PCF_OK;
  if (!status) {
    status = pcf_file_write(&whole->file, &whole->checksum, sizeof whole->checksum, -1, error);
  }
  if (!status && !whole->own) status = pcf_file_sync(&whole->file, error);
  return status ? status : pcf_file_end(&whole->file, error);
}

void pcf_whole_close(struct pcf_whole *whole) {
  if (whole->piece) pcf_file_close(&whole->file);
  pcf_free(whole->piece);
  whole->piece = NULL;
}

/* ---- Reading ---- */

static enum pcf_status fail_damaged(const struct pcf_file *file, enum pcf_file_use own,
                                    struct pcf_error *error) {
  return pcf_fail(error, PCF_ERROR_FILE,
                  "\"%s\" is damaged: it does not match its checksum. Delete %s and repeat the "
                  "call",
                  file->path, own ? "its folder" : "it");
}

enum pcf_status pcf_whole_open(struct pcf_file *file, const char *path, int64_t *bytes,
                               struct pcf_error *error) {
  enum pcf_status status = pcf_file_open(file, path, PCF_FILE_READ | PCF_FILE_OWN, error);
  if (!status) status = pcf_file_size(file, bytes, error);
  if (status) return status;
  *bytes -= (int64_t)sizeof(uint64_t);
  return *bytes > 0 ? PCF_OK : fail_damaged(file, PCF_FILE_OWN, error);
}

enum pcf_status pcf_whole_read(const struct pcf_file *file, enum pcf_file_use own, char *to,
                               int64_t bytes, const atomic_int *stop, struct pcf_error *error) {
  uint64_t checksum = checksum_of_folder(file->path, own), expected;
  enum pcf_status status = PCF_OK;
  for (int64_t done = 0; done < bytes && !status; done += PIECE) {
    size_t count = bytes - done < PIECE ? (size_t)(bytes - done) : PIECE;
    if (stop && atomic_load(stop)) {
      return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    }
    status = pcf_file_read(file, to + done, count, done, error);
    if (!status) checksum = checksum_with(checksum, to + done, count);
  }
  if (!status) status = pcf_file_read(file, &expected, sizeof expected, bytes, error);
  if (!status && expected != checksum) status = fail_damaged(file, own, error);
  return status;
}
