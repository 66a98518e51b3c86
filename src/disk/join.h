/* One file of results from files of some of their columns each. */
#ifndef PCF_JOIN_H
#define PCF_JOIN_H

#include "disk/disk-sink.h"

/* A whole file of some of the columns. */
struct pcf_disk_part {
  const char *path, *header; /* the header that its text file has to have */
  struct pcf_layout layout;
};

/* Writes what is in the parts into the file, as a call that computed it would have done. They
 * are checked before: their blocks have to have their checksums, and their columns to be all
 * those of the file, in order, each part but the last as whole as PCF_JOIN_COLUMNS. They stay.
 */
enum { PCF_JOIN_COLUMNS = 256 };
enum pcf_status pcf_disk_join(const struct pcf_disk_request *request,
                              const struct pcf_disk_part *part, int64_t parts, int threads,
                              const atomic_int *stop, struct pcf_error *error);

#endif
