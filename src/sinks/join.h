/* One file of results from files of some of their columns each. */
#ifndef PCF_JOIN_H
#define PCF_JOIN_H

#include "sinks/disk.h"

/* A whole file of some of the columns. */
struct pcf_disk_part {
  const char *path, *header; /* the header that its text file has to have */
  struct pcf_layout layout;
};

/* Moves what is in the parts into the file, as a call that computed it would have written it:
 * each is removed when what it had is on the disk in the file, so that both together never take
 * more room than the results and a part (of a symmetric matrix, which has two sides, than 1.25
 * times the results and a part). A part is checked before: its blocks have to have their
 * checksums. The columns of all have to be those of the file, in order, each part from a
 * multiple of PCF_ITEMS_TOGETHER on. A call that failed or was killed goes on when it is
 * repeated; parts of which the file has all need not be there. Of more than about 2 million
 * functions the parts stay. `request->grows` is not looked at. */
enum pcf_status pcf_disk_join(const struct pcf_disk_request *request,
                              const struct pcf_disk_part *part, int64_t parts, int threads,
                              const atomic_int *stop, struct pcf_error *error);

#endif
