/* Files that are written at once and read as a whole: their bytes, and a checksum of these.
 * Those by which jobs exchange objects are opened as PCF_FILE_OWN says, which is `own` of these
 * functions, otherwise 0. Their checksum is also of the name of the folder, so that a file
 * counts only where it was written. */
#pragma once

#include "disk/file.h"

/* A file that is being written. */
struct pcf_whole {
  struct pcf_file file;
  enum pcf_file_use own;
  uint64_t checksum; /* of the pieces before this one */
  char *piece;
  size_t filled; /* bytes of it */
};

/* Makes a new file; adds bytes; adds the checksum, with which a file that is not `own` is on
 * the disk. Free with pcf_whole_close(), whatever the status. */
enum pcf_status pcf_whole_begin(struct pcf_whole *whole, const char *path,
                                enum pcf_file_use own, struct pcf_error *error);
enum pcf_status pcf_whole_add(struct pcf_whole *whole, const void *bytes, size_t count,
                              struct pcf_error *error);
enum pcf_status pcf_whole_end(struct pcf_whole *whole, struct pcf_error *error);
void pcf_whole_close(struct pcf_whole *whole);

/* Opens a file that is `own` and sets how many bytes it has without its checksum; reads those
 * of any file, and fails if they do not match it. To be closed whatever the status. */
enum pcf_status pcf_whole_open(struct pcf_file *file, const char *path, int64_t *bytes,
                               struct pcf_error *error);
enum pcf_status pcf_whole_read(const struct pcf_file *file, enum pcf_file_use own, char *to,
                               int64_t bytes, const atomic_int *stop, struct pcf_error *error);
