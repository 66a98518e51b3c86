/* Joins files of results, each with some of the columns, into one. */
#pragma once

#include "sinks/disk.h"

/* Moves the parts, which are complete files, into the file, which is then the same as if one
 * call had computed it. The blocks of a part are compared with their checksums first, and the
 * part is removed when its numbers are on the disk in the file. So parts and file never take
 * more disk space than the results and one part (for a symmetric matrix, which has two sides,
 * 1.25 times the results and one part). The parts together must have the columns of the file,
 * in order, and each must start at a multiple of PCF_ITEMS_TOGETHER. A call that failed or was
 * killed can be repeated; parts that are in the file already need not exist. With more than
 * about 2 million functions the parts are not removed. `grows` is ignored. */
enum pcf_status pcf_disk_join(const struct pcf_disk_request *request,
                              const struct pcf_disk_request *part, int64_t parts, int threads,
                              const atomic_int *stop, struct pcf_error *error);
