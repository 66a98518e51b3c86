/* Sorting doubles, on the vector operations of the simd-*.h header that was included before in
 * double precision. Defines sort_keys().
 *
 * The keys are a matrix with a row for each vector. First every lane is sorted by itself, as a
 * column: a network of comparisons between whole rows, without a branch and without moving
 * anything between lanes. Then the columns are merged, two and two, until there is one: of all
 * merging only the first steps go between lanes. The network is a bitonic one: a merge compares
 * one sorted run with the next one read backwards ("flip"), after which all of the lower half
 * is below the upper one, and goes on with comparisons over half the distance each ("halve").
 * The matrix has 6 or 8 rows, times a power of two; groups of that many rows are sorted in
 * registers. */
#include "base/hints.h"

#include <math.h>

/* ---- Rows ---- */

INLINE TARGET V load_row(const double *keys, int64_t r) {
  return v_load(keys + r * LANES);
}

INLINE TARGET void store_row(double *keys, int64_t r, V a) {
  v_store(keys + r * LANES, a);
}

/* Puts the smaller of each lane into `a`, the larger one into `b`. */
INLINE TARGET void order(V *a, V *b) {
  V low = v_min(*a, *b), high = v_max(*a, *b);
  *a = low;
  *b = high;
}

/* ---- Groups of rows, in registers ---- */

INLINE TARGET void halve_3(V *a, V *b, V *c) {
  order(a, c);
  order(a, b);
  order(b, c);
}

INLINE TARGET void halve_4(V *a, V *b, V *c, V *d) {
  order(a, c);
  order(b, d);
  order(a, b);
  order(c, d);
}

/* Sorts each lane of 6 or 8 rows, when it is bitonic. */
INLINE TARGET void merge_group(double *keys, int64_t at, int group) {
  V a = load_row(keys, at), b = load_row(keys, at + 1), c = load_row(keys, at + 2);
  V d = load_row(keys, at + 3), e = load_row(keys, at + 4), f = load_row(keys, at + 5);
  if (group == 6) {
    order(&a, &d);
    order(&b, &e);
    order(&c, &f);
    halve_3(&a, &b, &c);
    halve_3(&d, &e, &f);
  } else {
    V g = load_row(keys, at + 6), h = load_row(keys, at + 7);
    order(&a, &e);
    order(&b, &f);
    order(&c, &g);
    order(&d, &h);
    halve_4(&a, &b, &c, &d);
    halve_4(&e, &f, &g, &h);
    store_row(keys, at + 6, g);
    store_row(keys, at + 7, h);
  }
  store_row(keys, at, a);
  store_row(keys, at + 1, b);
  store_row(keys, at + 2, c);
  store_row(keys, at + 3, d);
  store_row(keys, at + 4, e);
  store_row(keys, at + 5, f);
}

/* Sorts each lane of 6 or 8 rows, by the shortest networks that there are: 12 and 19
 * comparisons. */
INLINE TARGET void sort_group(double *keys, int64_t at, int group) {
  V a = load_row(keys, at), b = load_row(keys, at + 1), c = load_row(keys, at + 2);
  V d = load_row(keys, at + 3), e = load_row(keys, at + 4), f = load_row(keys, at + 5);
  if (group == 6) {
    order(&a, &f), order(&b, &d), order(&c, &e);
    order(&b, &c), order(&d, &e);
    order(&a, &d), order(&c, &f);
    order(&a, &b), order(&c, &d), order(&e, &f);
    order(&b, &c), order(&d, &e);
  } else {
    V g = load_row(keys, at + 6), h = load_row(keys, at + 7);
    order(&a, &c), order(&b, &d), order(&e, &g), order(&f, &h);
    order(&a, &e), order(&b, &f), order(&c, &g), order(&d, &h);
    order(&a, &b), order(&c, &d), order(&e, &f), order(&g, &h);
    order(&c, &e), order(&d, &f);
    order(&b, &e), order(&d, &g);
    order(&b, &c), order(&d, &e), order(&f, &g);
    store_row(keys, at + 6, g);
    store_row(keys, at + 7, h);
  }
  store_row(keys, at, a);
  store_row(keys, at + 1, b);
  store_row(keys, at + 2, c);
  store_row(keys, at + 3, d);
  store_row(keys, at + 4, e);
  store_row(keys, at + 5, f);
}

/* ---- Merging rows ---- */

/* Compares rows at one distance. */
INLINE TARGET void halve(double *keys, int64_t rows, int64_t distance) {
  for (int64_t block = 0; block < rows; block += 2 * distance) {
    for (int64_t r = block; r < block + distance; r++) {
      V a = load_row(keys, r), b = load_row(keys, r + distance);
      order(&a, &b);
      store_row(keys, r, a);
      store_row(keys, r + distance, b);
    }
  }
}

/* Compares rows at twice the distance and then at the distance: half the loads and stores. */
INLINE TARGET void halve_twice(double *keys, int64_t rows, int64_t distance) {
  for (int64_t block = 0; block < rows; block += 4 * distance) {
    for (int64_t r = block; r < block + distance; r++) {
      V a = load_row(keys, r), b = load_row(keys, r + distance);
      V c = load_row(keys, r + 2 * distance), d = load_row(keys, r + 3 * distance);
      halve_4(&a, &b, &c, &d);
      store_row(keys, r, a);
      store_row(keys, r + distance, b);
      store_row(keys, r + 2 * distance, c);
      store_row(keys, r + 3 * distance, d);
    }
  }
}

/* Sorts each lane of each block of rows, when it is bitonic. */
INLINE TARGET void halve_all(double *keys, int64_t rows, int64_t block, int group) {
  int64_t distance = block / 2;
  for (; distance >= 2 * group; distance /= 4) halve_twice(keys, rows, distance / 2);
  if (distance >= group) halve(keys, rows, distance);
  for (int64_t r = 0; r < rows; r += group) merge_group(keys, r, group);
}

/* Compares sorted runs of `run` rows with the next ones, backwards. */
INLINE TARGET void flip(double *keys, int64_t rows, int64_t run) {
  for (int64_t block = 0; block < rows; block += 2 * run) {
    int64_t last = block + 2 * run - 1;
    for (int64_t r = 0; r < run; r++) {
      V a = load_row(keys, block + r), b = load_row(keys, last - r);
      order(&a, &b);
      store_row(keys, block + r, a);
      store_row(keys, last - r, b);
    }
  }
}

INLINE TARGET void flip_and_halve(double *keys, int64_t rows, int64_t run) {
  int64_t half = run / 2;
  for (int64_t block = 0; block < rows; block += 2 * run) {
    int64_t last = block + 2 * run - 1;
    for (int64_t r = block; r < block + half; r++) {
      int64_t mirrored = last - (r - block);
      V a = load_row(keys, r), b = load_row(keys, r + half);
      V c = load_row(keys, mirrored - half), d = load_row(keys, mirrored);
      order(&a, &d);
      order(&b, &c);
      order(&a, &b);
      order(&c, &d);
      store_row(keys, r, a);
      store_row(keys, r + half, b);
      store_row(keys, mirrored - half, c);
      store_row(keys, mirrored, d);
    }
  }
}

/* Merges runs of `run` rows, two and two. */
INLINE TARGET void merge_rows(double *keys, int64_t rows, int64_t run, int group) {
  if (run == group) {
    flip(keys, rows, run);
    halve_all(keys, rows, run, group);
  } else {
    flip_and_halve(keys, rows, run);
    halve_all(keys, rows, run / 2, group);
  }
}

/* ---- Merging lanes ---- */

#if LANES > 1
/* The lanes whose number has that bit set from `b`, the others from `a`. */
INLINE TARGET V choose(V a, V b, int bit) {
  return v_select(v_has_bit(bit), b, a);
}

/* Compares the columns of `bit` lanes, one after the other, with the next ones backwards. */
INLINE TARGET void flip_lanes(double *keys, int64_t rows, int bit) {
  for (int64_t r = 0; r < rows / 2; r++) {
    V a = load_row(keys, r), b = v_exchange(load_row(keys, rows - 1 - r), 2 * bit - 1);
    V low = a, high = b;
    order(&low, &high);
    store_row(keys, r, choose(low, high, bit));
    store_row(keys, rows - 1 - r, v_exchange(choose(high, low, bit), 2 * bit - 1));
  }
}

/* Compares lanes whose numbers differ in one bit. Two rows go together: one vector gets all of
 * the lower lanes, another all of the upper ones. */
INLINE TARGET void halve_lanes(double *keys, int64_t rows, int bit) {
  for (int64_t r = 0; r < rows; r += 2) {
    V a = load_row(keys, r), b = load_row(keys, r + 1);
    V low = choose(a, v_exchange(b, bit), bit), high = choose(v_exchange(a, bit), b, bit);
    order(&low, &high);
    store_row(keys, r, choose(low, v_exchange(high, bit), bit));
    store_row(keys, r + 1, choose(v_exchange(low, bit), high, bit));
  }
}

INLINE TARGET void merge_lanes(double *keys, int64_t rows, int bit, int group) {
  flip_lanes(keys, rows, bit);
  while ((bit /= 2) > 0) halve_lanes(keys, rows, bit);
  halve_all(keys, rows, rows, group);
}
#endif

/* ---- The matrix ---- */

INLINE TARGET void sort_matrix(double *keys, int64_t rows, int group) {
  for (int64_t r = 0; r < rows; r += group) sort_group(keys, r, group);
  for (int64_t run = group; run < rows; run *= 2) merge_rows(keys, rows, run, group);
#if LANES > 1
  for (int bit = 1; bit < LANES; bit *= 2) merge_lanes(keys, rows, bit, group);
#endif
}

/* Column after column. */
INLINE TARGET void store_sorted(const struct pcf_sorting *x, int64_t rows) {
  for (int64_t r = 0; r < rows; r++) {
    for (int lane = 0; lane < LANES; lane++) {
      x->sorted[lane * rows + r] = x->keys[r * LANES + lane];
    }
  }
}

static TARGET void sort_keys(const struct pcf_sorting *x) {
  int64_t room = pcf_sort_room(x->count), rows = room / LANES;
  for (int64_t k = x->count; k < room; k++) x->keys[k] = INFINITY;
  if (room % 3 == 0) sort_matrix(x->keys, rows, 6);
  else sort_matrix(x->keys, rows, 8);
  store_sorted(x, rows);
}

#undef PCF_SINGLE
#include "arithmetic/simd-end.h"
