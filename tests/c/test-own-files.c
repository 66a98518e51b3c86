/* Files that are opened once: what is new, what a link leads to, what others could have
 * written; and files that are written and read as a whole. */
#include "check.h"

#include "base/memory.h"
#include "disk/whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The names of a file and of another one in folders of their own. */
struct names {
  char folder[512], path[528], other_folder[512], other[528];
};

static struct names new_names(void) {
  struct names names;
  CHECK(check_folder(names.folder, sizeof names.folder));
  CHECK(check_folder(names.other_folder, sizeof names.other_folder));
  snprintf(names.path, sizeof names.path, "%s/a", names.folder);
  snprintf(names.other, sizeof names.other, "%s/a", names.other_folder);
  return names;
}

static void clear_names(const struct names *names) {
  pcf_file_remove(names->path);
  pcf_file_remove(names->other);
  CHECK(rmdir(names->folder) == 0); /* nothing else was left */
  CHECK(rmdir(names->other_folder) == 0);
}

static bool opens(const char *path, int use) {
  struct pcf_file file;
  enum pcf_status status = pcf_file_open(&file, path, (enum pcf_file_use)use, NULL);
  CHECK(status == PCF_OK || status == PCF_ERROR_FILE);
  pcf_file_close(&file);
  return status == PCF_OK;
}

TEST(own_new_files_are_new) {
  struct names names = new_names();
  CHECK(!opens(names.path, PCF_FILE_READ) && !opens(names.path, PCF_FILE_APPEND));
  CHECK(opens(names.path, PCF_FILE_NEW));
  CHECK(!opens(names.path, PCF_FILE_NEW) && !opens(names.path, PCF_FILE_NEW | PCF_FILE_OWN));
  CHECK(opens(names.path, PCF_FILE_WRITE) && opens(names.path, PCF_FILE_APPEND));
  CHECK(opens(names.other, PCF_FILE_WRITE));
  clear_names(&names);
}

/* Bytes of any number, as they are and as they are not. */
static char *some_bytes(size_t count, struct random *random) {
  char *bytes = zeroed((int64_t)count, 1);
  for (size_t k = 0; k < count; k++) bytes[k] = (char)(random->state++ * 2654435761u >> 11);
  return bytes;
}

static enum pcf_status write_whole(const char *path, const char *bytes, size_t count,
                                   size_t step) {
  struct pcf_whole whole;
  enum pcf_status status = pcf_whole_begin(&whole, path, PCF_FILE_OWN, NULL);
  for (size_t k = 0; k < count && !status; k += step) {
    status = pcf_whole_add(&whole, bytes + k, count - k < step ? count - k : step, NULL);
  }
  if (!status) status = pcf_whole_end(&whole, NULL);
  pcf_whole_close(&whole);
  return status;
}

/* Are these the bytes of the file? Fails with an error, and else in no way, if they are not. */
static bool has_bytes(const char *path, const char *bytes, size_t count) {
  struct pcf_file file;
  int64_t found = 0;
  enum pcf_status status = pcf_whole_open(&file, path, &found, NULL);
  char *to = status ? NULL : zeroed(found, 1);
  if (!status) status = pcf_whole_read(&file, PCF_FILE_OWN, to, found, NULL, NULL);
  pcf_file_close(&file);
  bool same = !status && (size_t)found == count && memcmp(to, bytes, count) == 0;
  CHECK(same || status == PCF_ERROR_FILE);
  if (to) let_go(to);
  return same;
}

TEST(own_files_are_read_as_they_were_written) {
  const size_t piece = (size_t)1 << 22;
  const size_t counts[] = {1, 7, piece - 1, piece, piece + 1, 3 * piece, 3 * piece + 5};
  const size_t steps[] = {1000, 1, piece, 7 * piece, 333333, piece, 4096};
  for (int k = 0; k < (check_quick() ? 3 : 7); k++) {
    struct names names = new_names();
    char *bytes = some_bytes(counts[k], &random);
    CHECK(write_whole(names.path, bytes, counts[k], steps[k]) == PCF_OK);
    CHECK(has_bytes(names.path, bytes, counts[k]));
    CHECK(write_whole(names.path, bytes, counts[k], steps[k]) == PCF_ERROR_FILE);
    let_go(bytes);
    clear_names(&names);
  }
}

static void put(const char *path, const char *bytes, size_t count) {
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

TEST(own_files_that_are_damaged_are_not_read) {
  struct names names = new_names();
  char *bytes = some_bytes(40, &random), file[48];
  CHECK(write_whole(names.path, bytes, 40, 40) == PCF_OK);
  FILE *written = fopen(names.path, "rb");
  REQUIRE(written && fread(file, 1, 48, written) == 48);
  fclose(written);
  for (int k = 0; k < 48 * 8; k++) {
    file[k / 8] ^= (char)(1 << k % 8);
    put(names.path, file, 48);
    CHECK(!has_bytes(names.path, bytes, 40));
    file[k / 8] ^= (char)(1 << k % 8);
  }
  for (size_t count = 0; count < 48; count++) {
    put(names.path, file, count);
    CHECK(!has_bytes(names.path, bytes, 40));
  }
  put(names.path, file, 48);
  CHECK(has_bytes(names.path, bytes, 40));
  /* It counts only in its folder. */
  CHECK(rename(names.path, names.other) == 0);
  CHECK(!has_bytes(names.other, bytes, 40));
  clear_names(&names);
}

TEST(own_files_that_cannot_be_written_are_errors) {
  char bytes[100] = "";
  for (long step = 1; step <= 2; step++) {
    struct names names = new_names();
    pcf_file_provoke_at(step, PCF_FILE_DISK_FULL);
    CHECK(write_whole(names.path, bytes, 100, 100) == PCF_ERROR_FILE);
    pcf_file_provoke_at(0, PCF_FILE_DISK_FULL);
    CHECK(!has_bytes(names.path, bytes, 100));
    clear_names(&names);
  }
  struct names names = new_names();
  pcf_memory_fail_at(1);
  CHECK(write_whole(names.path, bytes, 100, 100) == PCF_ERROR_MEMORY);
  pcf_memory_fail_at(0);
  clear_names(&names);
}

#ifndef _WIN32
static const int all_uses[] = {PCF_FILE_READ, PCF_FILE_WRITE, PCF_FILE_APPEND};

TEST(own_links_are_followed_to_read_only) {
  struct names names = new_names();
  CHECK(symlink(names.other, names.path) == 0);
  for (int use = PCF_FILE_READ; use <= PCF_FILE_NEW; use++) {
    CHECK(!opens(names.path, use) && !opens(names.path, use | PCF_FILE_OWN));
    CHECK(!pcf_file_exists(names.other)); /* it leads nowhere, and still does */
  }
  put(names.other, "b", 1);
  for (int use = PCF_FILE_READ; use <= PCF_FILE_NEW; use++) {
    CHECK(opens(names.path, use) == (use == PCF_FILE_READ));
    CHECK(!opens(names.path, use | PCF_FILE_OWN));
  }
  clear_names(&names);
}

TEST(own_files_are_written_by_nobody_else) {
  struct names names = new_names();
  CHECK(opens(names.path, PCF_FILE_NEW | PCF_FILE_OWN));
  struct stat found;
  CHECK(stat(names.path, &found) == 0 && (found.st_mode & 0777) == 0600);
  for (int k = 0; k < 3; k++) {
    int use = all_uses[k] | PCF_FILE_OWN;
    CHECK(opens(names.path, use));
    for (int mode = 020; mode >= 2; mode /= 8) {
      CHECK(chmod(names.path, 0600 | (mode_t)mode) == 0 && !opens(names.path, use));
      CHECK(chmod(names.path, 0644) == 0 && opens(names.path, use));
      CHECK(chmod(names.folder, 01700 | (mode_t)mode) == 0 && !opens(names.path, use));
      CHECK(pcf_file_check_folder(names.path, NULL) == PCF_ERROR_FILE);
      CHECK(opens(names.path, all_uses[k]));
      CHECK(chmod(names.folder, 0755) == 0 && opens(names.path, use));
    }
    CHECK(pcf_file_check_folder(names.path, NULL) == PCF_OK);
  }
  CHECK(rmdir(names.other_folder) == 0 && symlink(names.folder, names.other_folder) == 0);
  CHECK(opens(names.other, PCF_FILE_READ) && !opens(names.other, PCF_FILE_READ | PCF_FILE_OWN));
  CHECK(!opens(names.other, PCF_FILE_NEW | PCF_FILE_OWN));
  CHECK(unlink(names.other_folder) == 0 && mkdir(names.other_folder, 0700) == 0);
  clear_names(&names);
}

/* Only root can give files away. */
TEST(own_files_belong_to_this_user) {
  enum { OTHER = 54321 };
  struct names names = new_names();
  put(names.path, "b", 1);
  for (int k = 0; geteuid() == 0 && k < 3; k++) {
    int use = all_uses[k] | PCF_FILE_OWN;
    CHECK(chown(names.path, OTHER, OTHER) == 0);
    CHECK(!opens(names.path, use) && opens(names.path, all_uses[k]));
    CHECK(chown(names.path, 0, OTHER) == 0 && opens(names.path, use));
    CHECK(chown(names.folder, OTHER, 0) == 0 && !opens(names.path, use));
    CHECK(pcf_file_check_folder(names.path, NULL) == PCF_ERROR_FILE);
    CHECK(chown(names.folder, 0, 0) == 0 && opens(names.path, use));
  }
  clear_names(&names);
}
#endif
