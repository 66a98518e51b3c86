/* A sink that writes all pairs to a file, and calls that continue such a file.
 *
 * Results "d" are two files. "d" itself contains the numbers (disk/layout.h); until it is
 * complete its name is "d.part", and a call that writes to it locks it. "d.dcf" describes the
 * numbers and lists the blocks that are in the file, with a checksum for each (disk/record.h).
 * Its header is complete before "d.part" has any bytes; until then its name is "d.dcf.new".
 * Therefore:
 *
 *    d, d.dcf         the results are complete
 *    d.part, d.dcf    some blocks are in the file: the same call continues with the others
 *
 * No other file with one of these names is changed: without "d.dcf", "d.part" must be empty,
 * and "d.dcf.new" the beginning of a text about the same results, as left by a call that was
 * killed.
 *
 * A header describes the matrix and which of its columns are in the file. Parts of one matrix
 * that are written by several calls have headers that differ only in these columns. */
#pragma once

#include "disk/layout.h"
#include "disk/record.h"
#include "disk/stored.h"
#include "sinks/matrix.h"

/* A file to write, or to continue. What this points to belongs to the caller, and must outlive
 * the sink. */
struct pcf_disk_request {
  const char *path;
  const char *header; /* of the text file */
  struct pcf_layout layout;
  int grows; /* takes disk space as it is written, and not all at the beginning */
  int own;   /* the files must be those of this user, see PCF_FILE_OWN */
};

struct pcf_disk_sink;

/* Creates the files, with space for all numbers, or opens those of a call that ended early and
 * checks their contents. Until pcf_disk_close() no other call can write to them. On failure it
 * changes nothing, and returns NULL and an error. */
struct pcf_disk_sink *pcf_disk_open(const struct pcf_disk_request *request, int threads,
                                    const atomic_int *stop, struct pcf_error *error);

/* The sink. When all blocks are written, it renames the file of numbers. */
struct pcf_sink *pcf_disk_as_sink(struct pcf_disk_sink *disk);

/* Does the file contain all pairs of a block from an earlier call? */
int pcf_disk_has(const struct pcf_sink *disk, const struct pcf_block *block);

/* The side of the squares of the matrix, a power of two, for which it is recorded whether they
 * are in the file. Blocks of an earlier call with other edges are computed again. */
int64_t pcf_disk_grain(const struct pcf_disk_sink *disk);

/* Waits until everything consumed is on the disk, safe from a power failure. */
enum pcf_status pcf_disk_keep(struct pcf_disk_sink *disk, struct pcf_error *error);

/* Frees the sink. The files stay. */
void pcf_disk_close(struct pcf_disk_sink *disk);

/* Removes complete results. */
void pcf_disk_remove(const char *path);
