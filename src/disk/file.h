/* Files: all calls of the system that write, lock and map them are here. */
#pragma once

#include "base/error.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Failures are PCF_ERROR_FILE, with the path and what the system says. */

/* Only a file that is read may be named by a symbolic link. */
enum pcf_file_use {
  PCF_FILE_READ,
  PCF_FILE_WRITE,  /* and read; made if it is not there */
  PCF_FILE_APPEND, /* and read; what is written comes last */
  PCF_FILE_NEW,    /* written and read; fails if there is anything of that name */
  /* Added to one of these for a file that nobody else can have written: it and its folder are
   * opened without following links, and belong to the user of this process, who alone may write
   * to them. Windows, where files have no such owner and modes, checks nothing of this. */
  PCF_FILE_OWN = 8
};

/* An open file; `path` is the caller's. */
struct pcf_file {
  const char *path;
  int descriptor;
};

/* No file, which may be closed. */
#define PCF_NO_FILE ((struct pcf_file){.descriptor = -1})

/* Fails, and does not wait, where the path is that of a pipe, a folder or a device. What is
 * checked is what was opened, whatever becomes of the path. */
enum pcf_status pcf_file_open(struct pcf_file *file, const char *path, enum pcf_file_use use,
                              struct pcf_error *error);
/* Opens the same file a second time, whatever has become of its path; to be closed
 * separately. */
enum pcf_status pcf_file_again(struct pcf_file *again, const struct pcf_file *file,
                               struct pcf_error *error);
void pcf_file_close(struct pcf_file *file);

/* The same for a file that was written: some disks say only then that they are full. */
enum pcf_status pcf_file_end(struct pcf_file *file, struct pcf_error *error);

/* Checks the folder of this path as PCF_FILE_OWN says. */
enum pcf_status pcf_file_check_folder(const char *path, struct pcf_error *error);

/* Locks the file until it is closed or the process ends. *locked is 0 where another process has
 * locked it. */
enum pcf_status pcf_file_lock(const struct pcf_file *file, int *locked,
                              struct pcf_error *error);

/* Is it the file that its path names now? */
int pcf_file_is_in_place(const struct pcf_file *file);

/* The path followed by a suffix; to be freed. */
char *pcf_file_name(const char *path, const char *suffix, struct pcf_error *error);

/* Is there a file, a folder or anything else of that name? */
int pcf_file_exists(const char *path);
enum pcf_status pcf_file_size(const struct pcf_file *file, int64_t *bytes,
                              struct pcf_error *error);

/* Makes the file `bytes` long, with room on the disk for all of them. What is in it stays. */
enum pcf_status pcf_file_reserve(const struct pcf_file *file, int64_t bytes,
                                 const atomic_int *stop, struct pcf_error *error);
enum pcf_status pcf_file_set_size(const struct pcf_file *file, int64_t bytes,
                                  struct pcf_error *error);

/* All `count` bytes, from any thread; written at the offset -1, the end, of a file opened for
 * that. */
enum pcf_status pcf_file_write(const struct pcf_file *file, const void *bytes, size_t count,
                               int64_t offset, struct pcf_error *error);
enum pcf_status pcf_file_read(const struct pcf_file *file, void *bytes, size_t count,
                              int64_t offset, struct pcf_error *error);

/* Starts writing these bytes from the cache of the system to the disk or, if `wait` is set,
 * waits until bytes are written whose writing was started. This limits how much waits in
 * memory. */
void pcf_file_sync_range(const struct pcf_file *file, int64_t from, int64_t to, int wait);

/* Waits until all is on the disk. */
enum pcf_status pcf_file_sync(const struct pcf_file *file, struct pcf_error *error);

/* Gives the file another name, which must be free, and keeps that on the disk. */
enum pcf_status pcf_file_rename(const char *from, const char *to, struct pcf_error *error);
/* The same, in place of the file that has this name. */
enum pcf_status pcf_file_replace(const char *from, const char *to, struct pcf_error *error);
void pcf_file_remove(const char *path);

/* Maps the first `bytes` bytes privately: what is written to the memory does not reach the
 * file. NULL and an error where that fails. */
void *pcf_file_map(const struct pcf_file *file, int64_t bytes, struct pcf_error *error);
void pcf_file_unmap(void *memory, int64_t bytes);

#ifdef PCF_TESTING
/* What becomes of step number k from now on (k = 1 is the next; 0 turns this off).
 * Steps are calls that reserve, write, append, sync or rename, counted over all threads. A
 * write that does not succeed has written its first half. */
enum pcf_file_provocation {
  PCF_FILE_DISK_FULL, /* it fails as on a full disk */
  PCF_FILE_KILL       /* the process is killed in it, without a chance to tidy up */
};
void pcf_file_provoke_at(long k, enum pcf_file_provocation provocation);
#endif
