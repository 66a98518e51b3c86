/* One file of results from files of some of their columns each. */
#pragma once

#include "sinks/disk.h"

/* A whole file of some of the columns. */
struct pcf_disk_part {
  const char *path, *header; /* the header that its text file has to have */
  struct pcf_layout layout;
};

/* Moves the parts into the file, which is then as if one call had computed it. A part is
 * checked first, by the checksums of its blocks, and removed when its numbers are on the disk
 * in the file: so parts and file never take more room than the results and one part (for a
 * symmetric matrix, which has two sides, than 1.25 times the results and one part). The columns
 * of all parts have to be those of the file, in order, and each part has to start at a multiple
 * of PCF_ITEMS_TOGETHER. A call that failed or was killed goes on when it is repeated; parts
 * that are in the file already need not be there. With more than about 2 million functions the
 * parts stay. `request->grows` is not used. */
enum pcf_status pcf_disk_join(const struct pcf_disk_request *request,
                              const struct pcf_disk_part *part, int64_t parts, int threads,
                              const atomic_int *stop, struct pcf_error *error);
