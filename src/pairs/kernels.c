#include "pairs/kernels.h"

#include <string.h>

int pcf_available_kernels(const struct pcf_kernels *available[PCF_MAX_ISAS]) {
  static const struct pcf_kernels *const all[] = {
#if defined(__x86_64__) && defined(__GNUC__)
    &pcf_kernels_avx512,
    &pcf_kernels_avx2,
    &pcf_kernels_sse2,
#elif defined(__aarch64__) && defined(__GNUC__)
    &pcf_kernels_neon,
#endif
    &pcf_kernels_scalar,
  };
  int count = 0;
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    if (all[k]->supported()) available[count++] = all[k];
  }
  return count;
}

const struct pcf_kernels *pcf_find_kernels(const char *name) {
  const struct pcf_kernels *available[PCF_MAX_ISAS];
  int count = pcf_available_kernels(available);
  if (!name || strcmp(name, "auto") == 0) return available[0];
  for (int k = 0; k < count; k++) {
    if (strcmp(available[k]->name, name) == 0) return available[k];
  }
  return NULL;
}

int64_t pcf_sort_room(int64_t count) {
  int64_t room = 64;
  while (room < count) room *= 2;
  return room > 64 && room / 4 * 3 >= count ? room / 4 * 3 : room;
}

/* Two accumulators of width² (and for general p the suprema, and their reciprocals for rows and
 * for columns), and two sides of three state arrays. */
size_t pcf_tile_workspace(int width, const struct pcf_integral *integral) {
  size_t squares = integral->operation == PCF_LP ? 5 : 2, w = (size_t)width;
  return (squares * w * w + 6 * w) * pcf_scalar_size(integral->precision);
}
