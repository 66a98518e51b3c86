#include "arrays/sorting.h"

int64_t pcf_sort_room(int64_t count) {
  int64_t room = 64;
  while (room < count) room *= 2;
  return room > 64 && room / 4 * 3 >= count ? room / 4 * 3 : room;
}
