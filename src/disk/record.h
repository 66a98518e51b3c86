/* The text file beside the numbers.
 *
 * It is a DCF: fields "Name: value", of which some go on in lines that begin with a space. The
 * last two are "Checksum:", that of all bytes before its line, and "Blocks:", with a line for
 * each rectangle of the matrix that is in the file:
 *
 * row column rows columns checksum checksum-of-line
 *
 * Rows and columns count from 1, over the whole matrix. The first checksum is that of the bytes
 * of the rectangle in the order of pcf_layout_extent(), the second that of the five before it
 * as they are in the line, with a space between each two. All checksums are XXH64, of seed 0
 * and in 16 hexadecimal digits. Lines are only ever added, each after its numbers were written,
 * so that the file tells at any time what is there. A last line without an end was being
 * written when the process ended, and does not count.
 *
 * The lines before "Checksum:" are the header, which R makes and reads; here it is text that
 * has to be the same when a file is continued. What comes before "Call:" identifies the
 * results. */
#pragma once

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

/* The name of the text file beside a file of results; to be freed. */
char *pcf_record_name(const char *path, struct pcf_error *error);

/* The header with the lines up to and with "Blocks:", to be freed. */
char *pcf_record_begin(const char *header, struct pcf_error *error);

/* How many bytes of the text identify the results: those before the call, which may be written
 * in different ways. */
size_t pcf_record_identity(const char *text);

/* Reads the header, with a 0 after it, to be freed whatever the status. It fails if the file
 * does not begin with these words, or the header does not have its checksum. */
enum pcf_status pcf_record_header(const char *path, const char *words, char **header,
                                  struct pcf_error *error);

/* Reads the file. It fails if its header is not this one (NULL: any that has its checksum), or
 * a line cannot be that of a rectangle of the matrix, or does not have its checksum. Free with
 * pcf_records_free(), whatever the status. */
enum pcf_status pcf_records_read(struct pcf_records *records, const struct pcf_file *file,
                                 const char *header, const struct pcf_layout *layout,
                                 struct pcf_error *error);
void pcf_records_free(struct pcf_records *records);

/* Sets `all` to whether the rectangles have all numbers of the file. Sorts them. */
enum pcf_status pcf_records_are_all(struct pcf_records *records,
                                    const struct pcf_layout *layout, int *all,
                                    struct pcf_error *error);

/* Adds a line. */
enum pcf_status pcf_record_append(const struct pcf_file *file, const struct pcf_record *record,
                                  struct pcf_error *error);

/* Do the numbers have these checksums? The error names a rectangle that does not. */
enum pcf_status pcf_records_check(const struct pcf_records *records,
                                  const struct pcf_file *numbers,
                                  const struct pcf_layout *layout, int threads,
                                  const atomic_int *stop, struct pcf_error *error);
