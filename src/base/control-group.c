#include "base/control-group.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Each group is a folder in that of the group around it, under one folder for all. A container
 * may see its own group as the outermost, while its path is that of the host: then the inner
 * folders are not there, and the outermost one tells what there is to know. */

enum { PATH_BYTES = 4096 };

/* How a version of control groups keeps its quota: reads it from the files of a folder, in
 * cores or bytes, or infinity. */
typedef double read_quota(const char *folder);

static double cores_1(const char *folder);
static double cores_2(const char *folder);
static double bytes_1(const char *folder);
static double bytes_2(const char *folder);
static double least_quota(char *folder, size_t outermost, read_quota *read);
static void find_group(const char *root, const char *controller, char *path);

static double quota_of(const char *root, const char *mount, const char *controller,
                       read_quota *read) {
  char group[PATH_BYTES], folder[PATH_BYTES];
  find_group(root, controller, group);
  int outermost = snprintf(folder, sizeof folder, "%s%s", root, mount);
  if (outermost < 0 || (size_t)outermost >= sizeof folder) return INFINITY;
  snprintf(folder + outermost, sizeof folder - (size_t)outermost, "%s", group);
  return least_quota(folder, (size_t)outermost, read);
}

double pcf_control_group_cores(const char *root) {
  double second = quota_of(root, "/sys/fs/cgroup", "", cores_2);
  double first = quota_of(root, "/sys/fs/cgroup/cpu", "cpu", cores_1);
  return fmin(first, second);
}

double pcf_control_group_memory(const char *root) {
  double second = quota_of(root, "/sys/fs/cgroup", "", bytes_2);
  double first = quota_of(root, "/sys/fs/cgroup/memory", "memory", bytes_1);
  return fmin(first, second);
}

/* ---- Groups ---- */

/* Is the controller in a list with commas? */
static int is_listed(const char *list, const char *controller) {
  size_t length = strlen(controller);
  for (const char *name = list;; name++) {
    size_t count = strcspn(name, ",");
    if (count == length && strncmp(name, controller, length) == 0) return 1;
    name += count;
    if (*name == 0) return 0;
  }
}

/* The path of the group, as "/a/b"; "" if it is not known. Lines are "number:controllers:path",
 * in version 2 without controllers. */
static void find_group(const char *root, const char *controller, char *path) {
  char line[PATH_BYTES], name[PATH_BYTES];
  *path = 0;
  snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
  FILE *file = fopen(name, "r");
  if (!file) return;
  while (!*path && fgets(line, sizeof line, file)) {
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) continue;
    *group++ = 0;
    group[strcspn(group, "\n")] = 0;
    if (is_listed(controllers + 1, controller)) memcpy(path, group, strlen(group) + 1);
  }
  fclose(file);
}

/* Goes up from a folder to the one whose name has so many bytes. */
static double least_quota(char *folder, size_t outermost, read_quota *read) {
  double least = INFINITY;
  for (;;) {
    least = fmin(least, read(folder));
    if (strlen(folder) <= outermost) return least;
    char *slash = strrchr(folder + outermost, '/');
    if (!slash) return least;
    *slash = 0;
  }
}

/* ---- Quotas ---- */

/* Reads up to two numbers; returns how many there were. */
static int read_numbers(const char *folder, const char *name, double *first, double *second) {
  char path[PATH_BYTES + 64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  int count = fscanf(file, "%lf %lf", first, second);
  fclose(file);
  return count;
}

static double cores_in(double quota, double period) {
  return quota > 0 && period > 0 ? quota / period : INFINITY;
}

/* "quota period", of which the first is "max" where there is none. */
static double cores_2(const char *folder) {
  double quota = -1, period = 0;
  return read_numbers(folder, "cpu.max", &quota, &period) == 2 ? cores_in(quota, period)
                                                               : INFINITY;
}

/* A file for each; the quota is -1 where there is none. */
static double cores_1(const char *folder) {
  double quota = -1, period = 0, unused;
  read_numbers(folder, "cpu.cfs_quota_us", &quota, &unused);
  read_numbers(folder, "cpu.cfs_period_us", &period, &unused);
  return cores_in(quota, period);
}

/* "max" where there is no limit. */
static double bytes_2(const char *folder) {
  double bytes, unused;
  return read_numbers(folder, "memory.max", &bytes, &unused) == 1 ? bytes : INFINITY;
}

/* A number near 2^63 where there is no limit. */
static double bytes_1(const char *folder) {
  double bytes, unused;
  int found = read_numbers(folder, "memory.limit_in_bytes", &bytes, &unused) == 1;
  return found && bytes < 9e18 ? bytes : INFINITY;
}
