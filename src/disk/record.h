/* The text file beside the numbers.
 *
 * It is a DCF: fields "Name: value", of which some go on in lines that begin with a space. Its
 * last field is "Blocks:", with a line for each rectangle of the matrix that is in the file:
 *
 *    row column rows columns checksum
 *
 * Rows and columns count from 1, over the whole matrix. The checksum is XXH64, of seed 0 and in
 * 16 hexadecimal digits, of the bytes of the rectangle in the order of pcf_layout_extent().
 * Lines are only ever added, each after its numbers were written, so that the file tells at any
 * time what is there. A last line without an end was being written when the process ended, and
 * does not count.
 *
 * The lines before "Blocks:" are the header, which glue and R make and read; here it is text
 * that has to be the same when a file is gone on with. */
#ifndef PCF_RECORD_H
#define PCF_RECORD_H

#include "disk/file.h"
#include "disk/layout.h"

struct pcf_record {
  struct pcf_rectangle rectangle;
  uint64_t checksum;
};

struct pcf_records {
  int64_t count;
  struct pcf_record *record;
  int64_t bytes; /* of the text without an unfinished last line */
};

/* Reads the file. It fails if its header is not this one (NULL: any), or a line cannot be that
 * of a rectangle of the matrix. Free with pcf_records_free(), whatever the status. */
enum pcf_status pcf_records_read(struct pcf_records *records, const char *path,
                                 const char *header, const struct pcf_layout *layout,
                                 struct pcf_error *error);
void pcf_records_free(struct pcf_records *records);

/* Adds a line. */
enum pcf_status pcf_record_append(const struct pcf_file *file, const struct pcf_record *record,
                                  struct pcf_error *error);

/* Do the numbers have these checksums? The error names a rectangle that does not. */
enum pcf_status pcf_records_check(const struct pcf_records *records,
                                  const struct pcf_file *numbers,
                                  const struct pcf_layout *layout, int threads,
                                  const atomic_int *stop, struct pcf_error *error);

#endif
