/* Results in a file, to be read. */
#pragma once

#include "disk/layout.h"
#include "disk/record.h"

/* The numbers lie in the mapped file, whose pages the system reads as they are needed, and
 * forgets again when memory is short. What is written into the map stays in this process. The
 * file stays open, so that it can be mapped again whatever becomes of its name. */
struct pcf_stored {
  struct pcf_layout layout;
  int64_t length; /* numbers */
  struct pcf_file file;
  void *numbers;         /* NULL where there are none */
  enum pcf_file_use use; /* also of the text file: PCF_FILE_READ, perhaps with PCF_FILE_OWN */
};

/* Maps a whole file; maps one that is open again, as the file is. Close with
 * pcf_stored_close(), whatever the status. The path must outlive it. */
enum pcf_status pcf_stored_open(struct pcf_stored *stored, const char *path,
                                enum pcf_file_use use, const struct pcf_layout *layout,
                                struct pcf_error *error);
enum pcf_status pcf_stored_again(struct pcf_stored *again, const struct pcf_stored *stored,
                                 struct pcf_error *error);
void pcf_stored_close(struct pcf_stored *stored);

/* Number k; numbers first … first + count - 1. A float that is NaN becomes pcf_missing(), since
 * floats do not keep which NaN it was. */
double pcf_stored_number(const struct pcf_stored *stored, int64_t k);
void pcf_stored_read(const struct pcf_stored *stored, int64_t first, int64_t count, double *to);

/* Sets `unchanged` to whether the map has the numbers of the file. */
enum pcf_status pcf_stored_is_unchanged(const struct pcf_stored *stored, int *unchanged,
                                        struct pcf_error *error);

/* Fails unless the text file has this header (NULL: any), and all blocks are there with the
 * checksums that it has for them. */
enum pcf_status pcf_stored_check(const struct pcf_stored *stored, const char *header,
                                 int threads, const atomic_int *stop, struct pcf_error *error);
