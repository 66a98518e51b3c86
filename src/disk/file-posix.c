#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* fallocate, sync_file_range, renameat2 */
#endif

/* Files of systems with POSIX's calls. */
#include "disk/file-system.h"
#include "disk/file.h"
#ifndef _WIN32

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum pcf_status pcf_file_fail(const char *what, const char *path, struct pcf_error *error) {
  return pcf_fail(error, PCF_ERROR_FILE, "%s \"%s\": %s", what, path, strerror(errno));
}

#ifdef PCF_TESTING
void pcf_file_disk_is_full(void) {
  errno = ENOSPC;
}

void pcf_file_kill(void) {
  raise(SIGKILL);
}
#endif

/* ---- Opening ---- */

static enum pcf_status check_ordinary(struct pcf_file *file, struct pcf_error *error) {
  struct stat found;
  enum pcf_status status = PCF_OK;
  if (fstat(file->descriptor, &found)) {
    status = pcf_file_fail("cannot get information about", file->path, error);
  } else if (!S_ISREG(found.st_mode)) {
    status = pcf_file_fail_ordinary(file->path, error);
  }
  if (status) pcf_file_close(file);
  return status;
}

/* The folder of a file, open; -1 and errno where that fails. */
static int open_folder_of(const char *path, int flags) {
  const char *slash = strrchr(path, '/');
  size_t bytes = slash ? (size_t)(slash - path) : 0;
  char folder[4096] = ".";
  if (bytes >= sizeof folder) {
    errno = ENAMETOOLONG;
    return -1;
  }
  /* Without the slash, at which the system would follow a link. */
  if (slash) snprintf(folder, sizeof folder, "%.*s", bytes ? (int)bytes : 1, path);
  return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
}

/* The user to whom new files in a folder belong: a file system may have another number for this
 * user than the system. */
static uid_t owner_of_new_files(int folder) {
  static atomic_uint count;
  struct stat found;
  char name[64];
  uid_t owner = geteuid();
  snprintf(name, sizeof name, "owner-%lx%08x.part", (unsigned long)getpid(),
           atomic_fetch_add(&count, 1));
  int probe = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (probe < 0) return owner;
  if (!fstat(probe, &found)) owner = found.st_uid;
  close(probe);
  unlinkat(folder, name, 0);
  return owner;
}

/* Checks an open file, or folder, in or of `folder`. */
static enum pcf_status check_own(int descriptor, int folder, const char *what, const char *path,
                                 struct pcf_error *error) {
  struct stat found;
  if (fstat(descriptor, &found)) {
    return pcf_file_fail("cannot get information about", path, error);
  }
  if (found.st_uid != geteuid() && found.st_uid != owner_of_new_files(folder)) {
    return pcf_fail(
      error, PCF_ERROR_FILE,
      "%s\"%s\" belongs to another user and is therefore not used: choose another "
      "folder, or let its owner delete it",
      what, path);
  }
  if (found.st_mode & (S_IWGRP | S_IWOTH)) {
    return pcf_fail(error, PCF_ERROR_FILE,
                    "%s\"%s\" can be written by other users and is therefore not used: choose "
                    "another folder, or delete it",
                    what, path);
  }
  return PCF_OK;
}

static int flags_of(enum pcf_file_use use) {
  static const int flags[] = {
    [PCF_FILE_READ] = O_RDONLY,
    [PCF_FILE_WRITE] = O_RDWR | O_CREAT | O_NOFOLLOW,
    [PCF_FILE_APPEND] = O_RDWR | O_APPEND | O_NOFOLLOW,
    [PCF_FILE_NEW] = O_RDWR | O_CREAT | O_EXCL,
  };
  int own = use & PCF_FILE_OWN ? O_NOFOLLOW : 0;
  /* So that the system does not wait where it is a pipe. */
  return flags[use & ~PCF_FILE_OWN] | own | O_CLOEXEC | O_NONBLOCK;
}

/* In a folder, which for a path is AT_FDCWD. */
static int open_in(int folder, const char *name, int flags, mode_t mode) {
  int descriptor;
  do {
    descriptor = openat(folder, name, flags, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

/* Systems differ in what they say of links. */
static enum pcf_status fail_to_open(const char *what, const char *path, int flags,
                                    struct pcf_error *error) {
  int is_link = flags & O_NOFOLLOW && (errno == ELOOP || errno == EMLINK);
  return pcf_fail(error, PCF_ERROR_FILE, "cannot open %s\"%s\": %s", what, path,
                  is_link ? "it is a symbolic link, which is not followed" : strerror(errno));
}

static enum pcf_status open_own_folder(const char *path, int *folder, struct pcf_error *error) {
  static const char what[] = "the folder of ";
  *folder = open_folder_of(path, O_NOFOLLOW);
  if (*folder >= 0) return check_own(*folder, *folder, what, path, error);
  if (errno == ENOTDIR) errno = ELOOP; /* as Linux says of a link here */
  return fail_to_open(what, path, O_NOFOLLOW, error);
}

static enum pcf_status open_own(struct pcf_file *file, int flags, struct pcf_error *error) {
  const char *slash = strrchr(file->path, '/');
  int folder;
  enum pcf_status status = open_own_folder(file->path, &folder, error);
  if (!status) {
    file->descriptor = open_in(folder, slash ? slash + 1 : file->path, flags, 0600);
    if (file->descriptor < 0) status = fail_to_open("", file->path, flags, error);
  }
  if (!status) status = check_own(file->descriptor, folder, "", file->path, error);
  if (status) pcf_file_close(file);
  if (folder >= 0) close(folder);
  return status;
}

enum pcf_status pcf_file_open(struct pcf_file *file, const char *path, enum pcf_file_use use,
                              struct pcf_error *error) {
  enum pcf_status status = PCF_OK;
  int flags = flags_of(use);
  uint16_t order = 1;
  *file = (struct pcf_file){path, -1};
  if (*(const unsigned char *)&order != 1) {
    return pcf_fail(error, PCF_ERROR_FILE,
                    "files of results are little-endian, but this "
                    "machine is not");
  }
  if (use & PCF_FILE_OWN) {
    status = open_own(file, flags, error);
  } else {
    file->descriptor = open_in(AT_FDCWD, path, flags, 0666);
    if (file->descriptor < 0) status = fail_to_open("", path, flags, error);
  }
  return status ? status : check_ordinary(file, error);
}

enum pcf_status pcf_file_check_folder(const char *path, struct pcf_error *error) {
  int folder;
  enum pcf_status status = open_own_folder(path, &folder, error);
  if (folder >= 0) close(folder);
  return status;
}

enum pcf_status pcf_file_again(struct pcf_file *again, const struct pcf_file *file,
                               struct pcf_error *error) {
  *again = (struct pcf_file){file->path, fcntl(file->descriptor, F_DUPFD_CLOEXEC, 0)};
  return again->descriptor < 0 ? pcf_file_fail("cannot reopen", file->path, error) : PCF_OK;
}

void pcf_file_close(struct pcf_file *file) {
  if (file->descriptor >= 0) close(file->descriptor);
  file->descriptor = -1;
}

enum pcf_status pcf_file_end(struct pcf_file *file, struct pcf_error *error) {
  int descriptor = file->descriptor;
  file->descriptor = -1;
  if (close(descriptor) == 0 || errno == EINTR) return PCF_OK;
  return pcf_file_fail("cannot write into", file->path, error);
}

enum pcf_status pcf_file_lock(const struct pcf_file *file, int *locked,
                              struct pcf_error *error) {
  *locked = flock(file->descriptor, LOCK_EX | LOCK_NB) == 0;
  if (*locked || errno == EWOULDBLOCK || errno == EINTR) return PCF_OK;
  return pcf_file_fail("cannot lock", file->path, error);
}

int pcf_file_is_in_place(const struct pcf_file *file) {
  struct stat open_one, named;
  if (fstat(file->descriptor, &open_one) || lstat(file->path, &named)) return 0;
  return open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

int pcf_file_exists(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0;
}

enum pcf_status pcf_file_size(const struct pcf_file *file, int64_t *bytes,
                              struct pcf_error *error) {
  struct stat found;
  if (fstat(file->descriptor, &found))
    return pcf_file_fail("cannot get information about", file->path, error);
  *bytes = (int64_t)found.st_size;
  return PCF_OK;
}

/* ---- Room ---- */

/* Room for bytes from `offset` on; an error number. What the system cannot do at all, it does
 * by writing. */
static int reserve_part(int descriptor, int64_t offset, int64_t bytes) {
#ifdef __APPLE__
  fstore_t store = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, bytes, 0};
  if (fcntl(descriptor, F_PREALLOCATE, &store) == -1 && errno != ENOTSUP) return errno;
  return ftruncate(descriptor, (off_t)(offset + bytes)) ? errno : 0;
#else
  return posix_fallocate(descriptor, (off_t)offset, (off_t)bytes);
#endif
}

/* In parts, so that it can be stopped. */
enum pcf_status pcf_file_reserve(const struct pcf_file *file, int64_t bytes,
                                 const atomic_int *stop, struct pcf_error *error) {
  const int64_t part = (int64_t)1 << 30;
  for (int64_t done = 0; done < bytes; done += part) {
    int64_t count = bytes - done < part ? bytes - done : part;
    int problem;
    if (stop && atomic_load(stop)) {
      return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
    }
    do {
      problem = pcf_file_step_fails() ? errno : reserve_part(file->descriptor, done, count);
    } while (problem == EINTR);
    if (!problem) continue;
    return pcf_fail(error, PCF_ERROR_FILE,
                    "there is not enough disk space for %.4g GB in \"%s\": %s",
                    (double)bytes / 1e9, file->path, strerror(problem));
  }
  return PCF_OK;
}

enum pcf_status pcf_file_set_size(const struct pcf_file *file, int64_t bytes,
                                  struct pcf_error *error) {
  if (ftruncate(file->descriptor, (off_t)bytes) == 0) return PCF_OK;
  return pcf_file_fail("cannot change the length of", file->path, error);
}

/* ---- Reading and writing ---- */

/* The system may write less than it was asked to. */
enum pcf_status pcf_file_put(const struct pcf_file *file, const char *bytes, size_t count,
                             int64_t offset, struct pcf_error *error) {
  for (size_t done = 0; done < count;) {
    ssize_t n = offset < 0 ? write(file->descriptor, bytes + done, count - done)
                           : pwrite(file->descriptor, bytes + done, count - done,
                                    (off_t)(offset + (int64_t)done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return pcf_file_fail("cannot write into", file->path, error);
    done += (size_t)n;
  }
  return PCF_OK;
}

enum pcf_status pcf_file_read(const struct pcf_file *file, void *bytes, size_t count,
                              int64_t offset, struct pcf_error *error) {
  for (size_t done = 0; done < count;) {
    ssize_t n = pread(file->descriptor, (char *)bytes + done, count - done,
                      (off_t)(offset + (int64_t)done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return pcf_file_fail("cannot read", file->path, error);
    if (n == 0) {
      return pcf_fail(error, PCF_ERROR_FILE, "\"%s\" is shorter than it should be", file->path);
    }
    done += (size_t)n;
  }
  return PCF_OK;
}

#ifdef __linux__
void pcf_file_sync_range(const struct pcf_file *file, int64_t from, int64_t to, int wait) {
  unsigned int flags = SYNC_FILE_RANGE_WRITE;
  if (wait) flags |= SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WAIT_AFTER;
  if (from < to) sync_file_range(file->descriptor, (off_t)from, (off_t)(to - from), flags);
}
#endif

enum pcf_status pcf_file_sync(const struct pcf_file *file, struct pcf_error *error) {
  if (pcf_file_step_fails() || fsync(file->descriptor)) {
    return pcf_file_fail("cannot flush to the disk", file->path, error);
  }
  return PCF_OK;
}

/* ---- Names ---- */

/* Writes the folder to the disk, and so the names in it. Some systems cannot do that. */
static void sync_folder_of(const char *path) {
  int descriptor = open_folder_of(path, 0);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

/* Renames a file unless the new name is taken. Not every system, and not every disk, can do
 * that in one step. */
static int rename_to_free(const char *from, const char *to) {
#ifdef RENAME_NOREPLACE
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno == EEXIST) return -1;
#endif
  if (!pcf_file_exists(to)) return rename(from, to);
  errno = EEXIST;
  return -1;
}

static enum pcf_status rename_by(int (*call)(const char *from, const char *to),
                                 const char *from, const char *to, struct pcf_error *error) {
  if (pcf_file_step_fails() || call(from, to)) {
    return pcf_fail(error, PCF_ERROR_FILE, "cannot rename \"%s\" to \"%s\": %s", from, to,
                    strerror(errno));
  }
  sync_folder_of(to);
  return PCF_OK;
}

enum pcf_status pcf_file_rename(const char *from, const char *to, struct pcf_error *error) {
  return rename_by(rename_to_free, from, to, error);
}

enum pcf_status pcf_file_replace(const char *from, const char *to, struct pcf_error *error) {
  return rename_by(rename, from, to, error);
}

void pcf_file_remove(const char *path) {
  unlink(path);
}

/* ---- Maps ---- */

void *pcf_file_map(const struct pcf_file *file, int64_t bytes, struct pcf_error *error) {
  void *memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                      file->descriptor, 0);
  if (memory != MAP_FAILED) return memory;
  pcf_file_fail("cannot map", file->path, error);
  return NULL;
}

void pcf_file_unmap(void *memory, int64_t bytes) {
  if (memory) munmap(memory, (size_t)bytes);
}

#endif
