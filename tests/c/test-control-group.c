/* Quotas of control groups, in folders that stand for those of a system: Linux alone has them.
 */
#define _XOPEN_SOURCE 700 /* nftw */

#include "check.h"
#ifdef __linux__

#include "base/control-group.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[256];

/* Writes a file, and makes the folders that it is in. */
static void put(const char *name, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s%s", root, name);
  for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
  FILE *file = fopen(path, "w");
  REQUIRE(file);
  fputs(text, file);
  fclose(file);
}

static void begin(void) {
  REQUIRE(check_folder(root, sizeof root));
}

static int remove_one(const char *path, const struct stat *found, int type, struct FTW *at) {
  (void)found;
  (void)type;
  (void)at;
  return remove(path);
}

static void end(void) {
  nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TEST(control_group_without_any_has_no_limit) {
  begin();
  CHECK(pcf_control_group_cores(root) == INFINITY);
  put("/proc/self/cgroup", "0::/\n");
  CHECK(pcf_control_group_cores(root) == INFINITY);
  put("/sys/fs/cgroup/cpu.max", "max 100000\n");
  CHECK(pcf_control_group_cores(root) == INFINITY);
  end();
}

TEST(control_group_2_counts_groups_around) {
  begin();
  put("/proc/self/cgroup", "0::/slurm/job 7/step\n");
  put("/sys/fs/cgroup/slurm/job 7/step/cpu.max", "max 100000\n");
  CHECK(pcf_control_group_cores(root) == INFINITY);
  put("/sys/fs/cgroup/slurm/cpu.max", "800000 100000\n");
  CHECK(pcf_control_group_cores(root) == 8);
  put("/sys/fs/cgroup/slurm/job 7/cpu.max", "150000 100000\n");
  CHECK(pcf_control_group_cores(root) == 1.5);
  put("/sys/fs/cgroup/slurm/job 7/step/cpu.max", "600000 100000\n");
  CHECK(pcf_control_group_cores(root) == 1.5);
  put("/sys/fs/cgroup/slurm/other/cpu.max", "10000 100000\n"); /* of another group */
  CHECK(pcf_control_group_cores(root) == 1.5);
  end();
}

TEST(control_group_of_a_container_is_the_outermost) {
  begin();
  put("/proc/self/cgroup", "0::/docker/0123/inner\n");
  put("/sys/fs/cgroup/cpu.max", "250000 100000\n");
  CHECK(pcf_control_group_cores(root) == 2.5);
  end();
}

TEST(control_group_1_counts_groups_around) {
  begin();
  put("/proc/self/cgroup", "12:cpuset:/wrong\n4:cpuacct,cpu:/a/b\n0::/\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n");
  put("/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/cpu/wrong/cpu.cfs_quota_us", "100\n");
  put("/sys/fs/cgroup/cpu/wrong/cpu.cfs_period_us", "100000\n");
  CHECK(pcf_control_group_cores(root) == INFINITY);
  put("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "300000\n");
  put("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  CHECK(pcf_control_group_cores(root) == 3);
  put("/sys/fs/cgroup/cpu.max", "200000 100000\n"); /* both versions */
  CHECK(pcf_control_group_cores(root) == 2);
  end();
}

TEST(control_group_limits_of_memory_are_those_of_all_groups_around) {
  begin();
  CHECK(pcf_control_group_memory(root) == INFINITY);
  put("/proc/self/cgroup", "4:cpu,memory:/a/b\n0::/c\n");
  put("/sys/fs/cgroup/c/memory.max", "max\n");
  put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(pcf_control_group_memory(root) == INFINITY);
  put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3000000000\n");
  CHECK(pcf_control_group_memory(root) == 3e9);
  put("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "4000000000\n");
  CHECK(pcf_control_group_memory(root) == 3e9);
  put("/sys/fs/cgroup/memory.max", "2000000000\n"); /* both versions */
  CHECK(pcf_control_group_memory(root) == 2e9);
  end();
}

TEST(control_group_files_may_be_anything) {
  begin();
  put("/proc/self/cgroup", "\n::\nno colons\n0:\n0::\n");
  put("/sys/fs/cgroup/cpu.max", "100000\n");
  CHECK(pcf_control_group_cores(root) == INFINITY);
  put("/sys/fs/cgroup/cpu.max", "");
  CHECK(pcf_control_group_cores(root) == INFINITY);
  put("/sys/fs/cgroup/cpu.max", "100000 0\n");
  CHECK(pcf_control_group_cores(root) == INFINITY);
  put("/proc/self/cgroup", "0::/../..\n");
  put("/sys/fs/cgroup/cpu.max", "100000 100000\n");
  CHECK(pcf_control_group_cores(root) == 1);
  end();
}

#endif
