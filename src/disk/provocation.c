#include "disk/provocation.h"

#include "disk/file.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <signal.h>
#endif

static atomic_long steps_until;
static enum pcf_file_provocation provocation;

void pcf_file_provoke_at(long k, enum pcf_file_provocation what) {
  provocation = what;
  atomic_store(&steps_until, k);
}

int pcf_file_is_provoked(void) {
  if (atomic_load_explicit(&steps_until, memory_order_relaxed) <= 0) return 0;
  return atomic_fetch_sub(&steps_until, 1) == 1;
}

void pcf_file_end_provoked(void) {
  if (provocation != PCF_FILE_KILL) return;
#ifdef _WIN32
  TerminateProcess(GetCurrentProcess(), 1);
#else
  raise(SIGKILL);
#endif
}
