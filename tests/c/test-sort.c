/* The sort kernels of every instruction set that this processor has, and the reading of bars.
 */
#include "check.h"
#include "collections.h"

#include "arrays/sorting.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum order { EVEN, SORTED, REVERSED, TIES, ALL_EQUAL, EXTREMES, ORGAN_PIPE, ORDERS };

static double key_of(struct random *random, enum order order, int64_t k, int64_t count) {
  static const double extremes[] = {-INFINITY, INFINITY, 1.7e308, -1.7e308, 5e-324, -5e-324, 0};
  double u = random_uniform(random);
  switch (order) {
  case EVEN: return u - 0.5;
  case SORTED: return (double)k;
  case REVERSED: return (double)-k;
  case TIES: return floor(5 * u);
  case ALL_EQUAL: return -3;
  case EXTREMES: return extremes[(int)(7 * u)];
  case ORGAN_PIPE: return (double)(k < count / 2 ? k : count - k);
  case ORDERS: break;
  }
  return 0;
}

/* Numbers as they came, what they are when sorted, and memory for a kernel. */
struct numbers {
  double *from, *right;
  struct pcf_sorting sorting;
};

static struct numbers numbers_open(struct random *random, enum order order, int64_t count) {
  int64_t room = pcf_sort_room(count);
  double *memory = pcf_allocate(4 * (size_t)room, sizeof *memory, NULL);
  if (!memory) abort();
  struct numbers x = {.from = memory, .right = memory + room};
  x.sorting = (struct pcf_sorting){count, memory + 2 * room, memory + 3 * room};
  for (int64_t k = 0; k < count; k++) x.from[k] = key_of(random, order, k, count);
  memcpy(x.right, x.from, (size_t)count * sizeof(double));
  qsort(x.right, (size_t)count, sizeof(double), by_number);
  return x;
}

static void numbers_reset(const struct numbers *x) {
  int64_t count = x->sorting.count;
  memcpy(x->sorting.keys, x->from, (size_t)count * sizeof(double));
  for (int64_t k = 0; k < count; k++) x->sorting.sorted[k] = NAN;
}

static bool keys_are_right(const struct numbers *x) {
  return memcmp(x->sorting.sorted, x->right, (size_t)x->sorting.count * sizeof(double)) == 0;
}

static void check_sorting(struct random *random, enum order order, int64_t count) {
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int kinds = pcf_available_instructions(available);
  struct numbers x = numbers_open(random, order, count);
  for (int i = 0; i < kinds; i++) {
    numbers_reset(&x);
    pcf_sorters_of(available[i])->sort_keys(&x.sorting);
    CHECK(keys_are_right(&x));
  }
  pcf_free(x.from);
}

TEST(sort_kernels_sort_any_size_and_order) {
  static const int64_t larger[] = {255,  256,  257,  383,  384,  385,   500,   511,   512,
                                   513,  700,  767,  768,  769,  1000,  1025,  1536,  1537,
                                   3000, 3073, 4096, 5000, 9000, 20000, 40000, 65536, 65537};
  for (int order = 0; order < ORDERS; order++) {
    for (int64_t count = 0; count <= 200; count++) {
      check_sorting(&random, (enum order)order, count);
    }
    for (int c = 0; c < (check_quick() ? 18 : 27); c++) {
      check_sorting(&random, (enum order)order, larger[c]);
    }
  }
}

TEST(sort_room_is_whole_vectors) {
  CHECK(pcf_sort_room(0) == 64 && pcf_sort_room(64) == 64);
  CHECK(pcf_sort_room(65) == 96 && pcf_sort_room(96) == 96);
  CHECK(pcf_sort_room(97) == 128 && pcf_sort_room(129) == 192);
  CHECK(pcf_sort_room(500) == 512 && pcf_sort_room(513) == 768);
}

/* ---- Bars ---- */

enum { BARS = 300 };

static bool is_plain(double birth, double death) {
  return death - birth > 0 && death - birth < INFINITY;
}

/* Reads bars of which `broken` (when it is one) is not plain. */
static void check_bars(const struct pcf_sorters *sorters, int64_t count, int64_t broken,
                       double birth_of_it, double death_of_it) {
  double birth[BARS], death[BARS], to[4][BARS];
  for (int64_t k = 0; k < count; k++) {
    birth[k] = k % 5 == 0 ? -0.0 : (double)(k % 11) - 5;
    death[k] = birth[k] + (double)(k % 3 + 1);
  }
  if (broken < count) {
    birth[broken] = birth_of_it;
    death[broken] = death_of_it;
    CHECK(!is_plain(birth_of_it, death_of_it));
  }
  struct pcf_bars bars = {birth, death, count, to[0], to[1], to[2], to[3]};
  int64_t read = sorters->plain_bars(&bars), plain = broken < count ? broken : count;
  CHECK(read <= plain && read + PCF_BARS_PER_BLOCK > plain);
  bool right = true;
  for (int64_t k = 0; k < read; k++) {
    right &= to[0][k] == birth[k] && !signbit(to[0][k]) == !(birth[k] < 0);
    right &= to[1][k] == death[k] && to[2][k] == death[k] - birth[k];
    right &= to[3][k] == birth[k] / 2 + death[k] / 2;
  }
  CHECK(right);
}

TEST(plain_bars_are_read_up_to_the_first_other) {
  static const double broken[][2] = {
    {NAN, 1}, {1, NAN},   {-INFINITY, 1}, {2, 1},          {1, INFINITY},
    {1, 1},   {NAN, NAN}, {0, -0.0},      {-1e308, 1e308}, {INFINITY, INFINITY}};
  static const int64_t counts[] = {0, 1, 7, 8, 9, 63, 64, 65, 128, 130, BARS};
  enum pcf_instructions available[PCF_INSTRUCTION_SETS];
  int kinds = pcf_available_instructions(available);
  for (int i = 0; i < kinds; i++) {
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
      check_bars(pcf_sorters_of(available[i]), counts[c], counts[c], 0, 0);
      for (size_t b = 0; b < sizeof broken / sizeof broken[0]; b++) {
        for (int64_t at = 0; at < counts[c]; at += 3) {
          check_bars(pcf_sorters_of(available[i]), counts[c], at, broken[b][0], broken[b][1]);
        }
      }
    }
  }
}
