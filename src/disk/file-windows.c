/* Files of Windows. Names are in the code page of the process, which is R's own encoding. */
#include "disk/file-system.h"
#include "disk/file.h"
#ifdef _WIN32

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <windows.h>
#include <winioctl.h>

/* Others may read, write, rename and remove a file that is open, as on other systems. */
static const DWORD sharing = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

static HANDLE handle_of(const struct pcf_file *file) {
  return (HANDLE)_get_osfhandle(file->descriptor);
}

/* What the system says of its last error, without the end of the sentence. */
static const char *last_problem(char text[256]) {
  const DWORD flags =
    FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK;
  DWORD code = GetLastError();
  DWORD length = FormatMessageA(flags, NULL, code, 0, text, 256, NULL);
  while (length && (text[length - 1] == ' ' || text[length - 1] == '.')) text[--length] = 0;
  if (!length) snprintf(text, 256, "error %lu", (unsigned long)code);
  return text;
}

enum pcf_status pcf_file_fail(const char *what, const char *path, struct pcf_error *error) {
  char text[256];
  return pcf_fail(error, PCF_ERROR_FILE, "%s \"%s\": %s", what, path, last_problem(text));
}

#ifdef PCF_TESTING
void pcf_file_disk_is_full(void) {
  SetLastError(ERROR_DISK_FULL);
}

void pcf_file_kill(void) {
  TerminateProcess(GetCurrentProcess(), 1);
}
#endif

/* ---- Opening ---- */

/* A descriptor that owns the handle; -1 where there is none left, or no handle. */
static int descriptor_of(HANDLE handle) {
  if (handle == INVALID_HANDLE_VALUE) return -1;
  int descriptor = _open_osfhandle((intptr_t)handle, _O_BINARY);
  if (descriptor < 0) CloseHandle(handle);
  if (descriptor < 0) SetLastError(ERROR_TOO_MANY_OPEN_FILES);
  return descriptor;
}

enum pcf_status pcf_file_open(struct pcf_file *file, const char *path, enum pcf_file_use use,
                              struct pcf_error *error) {
  static const DWORD making[] = {[PCF_FILE_READ] = OPEN_EXISTING,
                                 [PCF_FILE_WRITE] = OPEN_ALWAYS,
                                 [PCF_FILE_APPEND] = OPEN_EXISTING,
                                 [PCF_FILE_NEW] = CREATE_NEW};
  int plain = use & ~PCF_FILE_OWN;
  DWORD access = plain == PCF_FILE_READ ? GENERIC_READ : GENERIC_READ | GENERIC_WRITE;
  HANDLE handle =
    CreateFileA(path, access, sharing, NULL, making[plain], FILE_ATTRIBUTE_NORMAL, NULL);
  *file = (struct pcf_file){path, descriptor_of(handle)};
  if (file->descriptor < 0) return pcf_file_fail("cannot open", path, error);
  if (GetFileType(handle) == FILE_TYPE_DISK) return PCF_OK;
  pcf_file_close(file);
  return pcf_file_fail_ordinary(path, error);
}

enum pcf_status pcf_file_check_folder(const char *path, struct pcf_error *error) {
  return PCF_OK;
}

enum pcf_status pcf_file_again(struct pcf_file *again, const struct pcf_file *file,
                               struct pcf_error *error) {
  HANDLE self = GetCurrentProcess(), copy = INVALID_HANDLE_VALUE;
  if (!DuplicateHandle(self, handle_of(file), self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS)) {
    copy = INVALID_HANDLE_VALUE;
  }
  *again = (struct pcf_file){file->path, descriptor_of(copy)};
  return again->descriptor < 0 ? pcf_file_fail("cannot reopen", file->path, error) : PCF_OK;
}

void pcf_file_close(struct pcf_file *file) {
  if (file->descriptor >= 0) _close(file->descriptor);
  file->descriptor = -1;
}

enum pcf_status pcf_file_end(struct pcf_file *file, struct pcf_error *error) {
  int descriptor = file->descriptor;
  file->descriptor = -1;
  return _close(descriptor) == 0 ? PCF_OK
                                 : pcf_file_fail("cannot write into", file->path, error);
}

/* Locks keep others from reading what is locked: this is a byte where no file has one. */
enum pcf_status pcf_file_lock(const struct pcf_file *file, int *locked,
                              struct pcf_error *error) {
  OVERLAPPED at = {.OffsetHigh = 0x40000000};
  const DWORD flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
  *locked = LockFileEx(handle_of(file), flags, 0, 1, 0, &at) != 0;
  if (*locked || GetLastError() == ERROR_LOCK_VIOLATION || GetLastError() == ERROR_IO_PENDING) {
    return PCF_OK;
  }
  return pcf_file_fail("cannot lock", file->path, error);
}

int pcf_file_is_in_place(const struct pcf_file *file) {
  BY_HANDLE_FILE_INFORMATION open_one, named;
  HANDLE other = CreateFileA(file->path, 0, sharing, NULL, OPEN_EXISTING, 0, NULL);
  if (other == INVALID_HANDLE_VALUE) return 0;
  int known = GetFileInformationByHandle(other, &named) &&
              GetFileInformationByHandle(handle_of(file), &open_one);
  CloseHandle(other);
  return known && open_one.dwVolumeSerialNumber == named.dwVolumeSerialNumber &&
         open_one.nFileIndexHigh == named.nFileIndexHigh &&
         open_one.nFileIndexLow == named.nFileIndexLow;
}

int pcf_file_exists(const char *path) {
  return GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES;
}

enum pcf_status pcf_file_size(const struct pcf_file *file, int64_t *bytes,
                              struct pcf_error *error) {
  LARGE_INTEGER size;
  *bytes = 0;
  if (!GetFileSizeEx(handle_of(file), &size))
    return pcf_file_fail("cannot get information about", file->path, error);
  *bytes = size.QuadPart;
  return PCF_OK;
}

/* ---- Room ---- */

static int set_end(const struct pcf_file *file, int64_t bytes) {
  FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = bytes};
  return SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof end) != 0;
}

/* A longer file has room on the disk at once, unless it is sparse. */
enum pcf_status pcf_file_reserve(const struct pcf_file *file, int64_t bytes,
                                 const atomic_int *stop, struct pcf_error *error) {
  int64_t size;
  char text[256];
  enum pcf_status status = pcf_file_size(file, &size, error);
  if (status) return status;
  if (stop && atomic_load(stop)) return pcf_fail(error, PCF_ERROR_INTERRUPTED, "interrupted");
  if (!pcf_file_step_fails() && (bytes <= size || set_end(file, bytes))) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_FILE,
                  "there is not enough disk space for %.4g GB in \"%s\": %s",
                  (double)bytes / 1e9, file->path, last_problem(text));
}

/* Makes a longer file sparse, where the disk supports that, so that it takes no room yet. */
enum pcf_status pcf_file_set_size(const struct pcf_file *file, int64_t bytes,
                                  struct pcf_error *error) {
  int64_t size;
  DWORD none;
  enum pcf_status status = pcf_file_size(file, &size, error);
  if (status) return status;
  if (bytes > size) {
    DeviceIoControl(handle_of(file), FSCTL_SET_SPARSE, NULL, 0, NULL, 0, &none, NULL);
  }
  return set_end(file, bytes) ? PCF_OK
                              : pcf_file_fail("cannot change the length of", file->path, error);
}

/* ---- Reading and writing ---- */

/* The system takes so many bytes at once, and more than these. */
static const size_t most_at_once = (size_t)1 << 30;

static OVERLAPPED place_of(int64_t offset) {
  return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

/* Offset -1 is the end of the file for the system, too. */
enum pcf_status pcf_file_put(const struct pcf_file *file, const char *bytes, size_t count,
                             int64_t offset, struct pcf_error *error) {
  for (size_t done = 0; done < count;) {
    size_t part = count - done < most_at_once ? count - done : most_at_once;
    OVERLAPPED at = place_of(offset < 0 ? -1 : offset + (int64_t)done);
    DWORD written;
    if (!WriteFile(handle_of(file), bytes + done, (DWORD)part, &written, &at)) {
      return pcf_file_fail("cannot write into", file->path, error);
    }
    done += written;
  }
  return PCF_OK;
}

enum pcf_status pcf_file_read(const struct pcf_file *file, void *bytes, size_t count,
                              int64_t offset, struct pcf_error *error) {
  for (size_t done = 0; done < count;) {
    size_t part = count - done < most_at_once ? count - done : most_at_once;
    OVERLAPPED at = place_of(offset + (int64_t)done);
    DWORD read = 0;
    int works = ReadFile(handle_of(file), (char *)bytes + done, (DWORD)part, &read, &at);
    if (!works && GetLastError() != ERROR_HANDLE_EOF) {
      return pcf_file_fail("cannot read", file->path, error);
    }
    if (!read) {
      return pcf_fail(error, PCF_ERROR_FILE, "\"%s\" is shorter than it should be", file->path);
    }
    done += read;
  }
  return PCF_OK;
}

enum pcf_status pcf_file_sync(const struct pcf_file *file, struct pcf_error *error) {
  if (!pcf_file_step_fails() && FlushFileBuffers(handle_of(file))) return PCF_OK;
  return pcf_file_fail("cannot flush to the disk", file->path, error);
}

/* ---- Names ---- */

static enum pcf_status rename_by(DWORD flags, const char *from, const char *to,
                                 struct pcf_error *error) {
  char text[256];
  flags |= MOVEFILE_WRITE_THROUGH;
  if (!pcf_file_step_fails() && MoveFileExA(from, to, flags)) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_FILE, "cannot rename \"%s\" to \"%s\": %s", from, to,
                  last_problem(text));
}

enum pcf_status pcf_file_rename(const char *from, const char *to, struct pcf_error *error) {
  return rename_by(0, from, to, error);
}

enum pcf_status pcf_file_replace(const char *from, const char *to, struct pcf_error *error) {
  return rename_by(MOVEFILE_REPLACE_EXISTING, from, to, error);
}

void pcf_file_remove(const char *path) {
  DeleteFileA(path);
}

/* ---- Maps ---- */

/* The view keeps the map. */
void *pcf_file_map(const struct pcf_file *file, int64_t bytes, struct pcf_error *error) {
  HANDLE map = CreateFileMappingA(handle_of(file), NULL, PAGE_WRITECOPY, (DWORD)(bytes >> 32),
                                  (DWORD)bytes, NULL);
  void *memory = map ? MapViewOfFile(map, FILE_MAP_COPY, 0, 0, (SIZE_T)bytes) : NULL;
  if (!memory) pcf_file_fail("cannot map", file->path, error);
  if (map) CloseHandle(map);
  return memory;
}

void pcf_file_unmap(void *memory, int64_t bytes) {
  if (memory) UnmapViewOfFile(memory);
}

#endif
