/* What file.c and the files of the systems, of which one is compiled, have of each other. */
#ifndef PCF_FILE_SYSTEM_H
#define PCF_FILE_SYSTEM_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct pcf_file;

/* Counts a step: does a provocation let it fail, as on a full disk? */
int pcf_file_step_fails(void);

/* Of each system: writes all bytes at an offset, or at the end (-1). */
enum pcf_status pcf_file_put(const struct pcf_file *file, const char *bytes, size_t count,
                             int64_t offset, struct pcf_error *error);

/* Of each system: fails with what it says of its last problem, which pcf_file_disk_is_full()
 * makes one of a full disk. */
enum pcf_status pcf_file_fail(const char *what, const char *path, struct pcf_error *error);
void pcf_file_disk_is_full(void);

/* Fails because of what is neither on a disk nor a file, such as a folder or a pipe. */
enum pcf_status pcf_file_fail_ordinary(const char *path, struct pcf_error *error);

/* Of each system: kills this process. */
void pcf_file_kill(void);

#endif
