/* Limits of the control groups that a process is in. */
#pragma once

/* The processors that control groups leave to this process: the least quota of its group and of
 * all groups around that one, of version 2 and of version 1; infinity without one. `root` is
 * where the files of the system lie: "", but for tests. */
double pcf_control_group_cores(const char *root);

/* The bytes of memory that they leave to it, likewise. */
double pcf_control_group_memory(const char *root);
