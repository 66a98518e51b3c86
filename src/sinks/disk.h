/* A sink that writes every pair into a file, and a call that goes on with such a file.
 *
 * Results "d" are two files. "d" itself has the numbers (disk/layout.h); until it is complete
 * its name is "d.part", and a call that writes into it locks it. "d.dcf" says what the numbers
 * are and which blocks are there, with a checksum for each (disk/record.h). Its header is
 * complete before "d.part" has any bytes: until then its name is "d.dcf.new". So:
 *
 *    d, d.dcf         the results are whole
 *    d.part, d.dcf    some blocks are there: the same call goes on with the others
 *
 * No other file of these names is touched: without "d.dcf", "d.part" must be empty, and
 * "d.dcf.new" the beginning of a text of the same results, as after a call that was killed.
 *
 * A header describes the matrix and which of its columns the file has. Parts of one matrix,
 * written by several calls, have headers that differ in nothing else. */
#pragma once

#include "disk/layout.h"
#include "disk/record.h"
#include "disk/stored.h"
#include "sinks/matrix.h"

/* A file to write, or to go on with. What this points to is the caller's, and must outlive the
 * sink. */
struct pcf_disk_request {
  const char *path;
  const char *header; /* of the text file */
  struct pcf_layout layout;
  int grows; /* takes room on the disk as it is written, and not all at once */
};

struct pcf_disk_sink;

/* Creates the files, with room for all numbers, or opens those of a call that ended early and
 * checks what they have. Until pcf_disk_close() no other call can write into them. On failure
 * everything is left as it was: NULL, and an error. */
struct pcf_disk_sink *pcf_disk_open(const struct pcf_disk_request *request, int threads,
                                    const atomic_int *stop, struct pcf_error *error);

/* The sink of the files. It gives the file its final name when it is complete. */
struct pcf_sink *pcf_disk_as_sink(struct pcf_disk_sink *disk);

/* Does the file have all pairs of a block from an earlier call? */
int pcf_disk_has(const struct pcf_sink *disk, const struct pcf_block *block);

/* The side of the squares of the matrix for which the text says whether they are there: a power
 * of two. Blocks of an earlier call with other edges are computed again. */
int64_t pcf_disk_grain(const struct pcf_disk_sink *disk);

/* Waits until what was consumed is on the disk, where a power failure does not lose it. */
enum pcf_status pcf_disk_keep(struct pcf_disk_sink *disk, struct pcf_error *error);

/* Frees the sink. What it has written stays. */
void pcf_disk_close(struct pcf_disk_sink *disk);

/* Removes whole results. */
void pcf_disk_remove(const char *path);
