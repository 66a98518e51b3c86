/* A sink that writes every pair into a file, and a call that goes on with such a file.
 *
 * Of the results "d" there are two files. "d" itself has the numbers (disk/layout.h); while it
 * is not whole its name is "d.part", and whoever writes into it has it locked. "d.dcf" tells
 * what they are, and which blocks of them are there, with a checksum each (disk/record.h). It
 * is complete, header first, before "d.part" has any bytes: it is called "d.dcf.new" until
 * then. So:
 *
 *    d, d.dcf         the results are whole
 *    d.part, d.dcf    some blocks are there: the same call goes on with the others
 *
 * No other file of these names is taken: without "d.dcf", "d.part" must be empty, and
 * "d.dcf.new" the beginning of a text of the same results, as after a call that was killed.
 *
 * A header describes the matrix and the columns of it that the file has, which may be some
 * only: parts of one matrix, written by several calls, differ in nothing else. */
#ifndef PCF_DISK_SINK_H
#define PCF_DISK_SINK_H

#include "disk/layout.h"
#include "disk/record.h"
#include "disk/stored.h"
#include "sinks/matrix.h"

/* A file to write, or to go on with. All is the caller's, and must outlive the sink. */
struct pcf_disk_request {
  const char *path;
  const char *header; /* of the text file */
  struct pcf_layout layout;
  int grows; /* takes room on the disk as it is written, and not all at once */
};

struct pcf_disk_sink;

/* Makes the files, with room for all numbers, or opens those of a call that ended early, and
 * checks what they have. Until it is closed the caller alone has them. NULL and an error, which
 * leaves everything as it was, where that fails. */
struct pcf_disk_sink *pcf_disk_open(const struct pcf_disk_request *request, int threads,
                                    const atomic_int *stop, struct pcf_error *error);

/* As a sink, which gives the file its name when it is whole. */
struct pcf_sink *pcf_disk_as_sink(struct pcf_disk_sink *disk);

/* Has the file all pairs of a block, from before? */
int pcf_disk_has(const struct pcf_sink *disk, const struct pcf_block *block);

/* The side of the squares of the matrix in which it is noted what an earlier call has left: a
 * power of two. Blocks with edges elsewhere are not found again. */
int64_t pcf_disk_grain(const struct pcf_disk_sink *disk);

/* Waits until what was consumed is on the disk, where a loss of power does not take it. */
enum pcf_status pcf_disk_keep(struct pcf_disk_sink *disk, struct pcf_error *error);

/* Frees the sink. What it has written stays. */
void pcf_disk_close(struct pcf_disk_sink *disk);

/* Removes whole results. */
void pcf_disk_remove(const char *path);

#endif
