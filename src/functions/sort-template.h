/* Sorting doubles, alone (PCF_PAIRS 0) or with a payload (1), on the vector operations of the
 * simd-*.h header that was included before in double precision. Defines pcf_sort_keys_<ISA> or
 * pcf_sort_pairs_<ISA>; leaves the vector operations as they are.
 *
 * The keys are a matrix with a row for each vector. First every lane is sorted by itself, as a
 * column: a network of comparisons between whole rows, without a branch and without moving
 * anything between lanes. Then the columns are merged, two and two, until there is one: of all
 * merging only the first steps go between lanes. The network is a bitonic one: a merge compares
 * one sorted run with the next one read backwards ("flip"), after which all of the lower half
 * is below the upper one, and goes on with comparisons over half the distance each ("halve").
 * The matrix has 6 or 8 rows, times a power of two; groups of that many rows are sorted in
 * registers. */

#if PCF_PAIRS
#define SORT(x) SORT_2(x##_pairs, ISA)
#else
#define SORT(x) SORT_2(x##_keys, ISA)
#endif

#ifndef SORT_2
#define SORT_2(x, isa) SORT_3(x, isa)
#define SORT_3(x, isa) pcf_##x##_##isa
#include <math.h>
#ifndef INLINE
#define INLINE static inline __attribute__((always_inline))
#endif
#endif

#define row SORT(row)
#define load_row SORT(load_row)
#define store_row SORT(store_row)
#define order SORT(order)
#define halve_3 SORT(halve_3)
#define halve_4 SORT(halve_4)
#define merge_group SORT(merge_group)
#define sort_group SORT(sort_group)
#define halve SORT(halve)
#define halve_twice SORT(halve_twice)
#define halve_all SORT(halve_all)
#define flip SORT(flip)
#define flip_and_halve SORT(flip_and_halve)
#define merge_rows SORT(merge_rows)
#define choose SORT(choose)
#define exchange SORT(exchange)
#define flip_lanes SORT(flip_lanes)
#define halve_lanes SORT(halve_lanes)
#define merge_lanes SORT(merge_lanes)
#define store_sorted SORT(store_sorted)
#define sort_matrix SORT(sort_matrix)

/* ---- Rows ---- */

struct row {
  V key;
#if PCF_PAIRS
  V payload;
#endif
};

INLINE TARGET struct row load_row(const struct pcf_sorting *x, int64_t r) {
  struct row a;
  a.key = v_load(x->keys + r * LANES);
#if PCF_PAIRS
  a.payload = v_load(x->payload + r * LANES);
#endif
  return a;
}

INLINE TARGET void store_row(const struct pcf_sorting *x, int64_t r, struct row a) {
  v_store(x->keys + r * LANES, a.key);
#if PCF_PAIRS
  v_store(x->payload + r * LANES, a.payload);
#endif
}

/* Puts the smaller of each lane into `a`, the larger one into `b`. */
INLINE TARGET void order(struct row *a, struct row *b) {
  struct row low, high;
#if PCF_PAIRS
  MASK swap = v_greater(a->key, b->key);
  low.payload = v_select(swap, b->payload, a->payload);
  high.payload = v_select(swap, a->payload, b->payload);
#endif
  low.key = v_min(a->key, b->key);
  high.key = v_max(a->key, b->key);
  *a = low;
  *b = high;
}

/* ---- Groups of rows, in registers ---- */

INLINE TARGET void halve_3(struct row *a, struct row *b, struct row *c) {
  order(a, c);
  order(a, b);
  order(b, c);
}

INLINE TARGET void halve_4(struct row *a, struct row *b, struct row *c, struct row *d) {
  order(a, c);
  order(b, d);
  order(a, b);
  order(c, d);
}

/* Sorts each lane of 6 or 8 rows, when it is bitonic. */
INLINE TARGET void merge_group(const struct pcf_sorting *x, int64_t at, int group) {
  struct row a = load_row(x, at), b = load_row(x, at + 1), c = load_row(x, at + 2);
  struct row d = load_row(x, at + 3), e = load_row(x, at + 4), f = load_row(x, at + 5);
  if (group == 6) {
    order(&a, &d);
    order(&b, &e);
    order(&c, &f);
    halve_3(&a, &b, &c);
    halve_3(&d, &e, &f);
  } else {
    struct row g = load_row(x, at + 6), h = load_row(x, at + 7);
    order(&a, &e);
    order(&b, &f);
    order(&c, &g);
    order(&d, &h);
    halve_4(&a, &b, &c, &d);
    halve_4(&e, &f, &g, &h);
    store_row(x, at + 6, g);
    store_row(x, at + 7, h);
  }
  store_row(x, at, a);
  store_row(x, at + 1, b);
  store_row(x, at + 2, c);
  store_row(x, at + 3, d);
  store_row(x, at + 4, e);
  store_row(x, at + 5, f);
}

/* Sorts each lane of 6 or 8 rows, by the shortest networks that there are: 12 and 19
 * comparisons. */
INLINE TARGET void sort_group(const struct pcf_sorting *x, int64_t at, int group) {
  struct row a = load_row(x, at), b = load_row(x, at + 1), c = load_row(x, at + 2);
  struct row d = load_row(x, at + 3), e = load_row(x, at + 4), f = load_row(x, at + 5);
  if (group == 6) {
    order(&a, &f), order(&b, &d), order(&c, &e);
    order(&b, &c), order(&d, &e);
    order(&a, &d), order(&c, &f);
    order(&a, &b), order(&c, &d), order(&e, &f);
    order(&b, &c), order(&d, &e);
  } else {
    struct row g = load_row(x, at + 6), h = load_row(x, at + 7);
    order(&a, &c), order(&b, &d), order(&e, &g), order(&f, &h);
    order(&a, &e), order(&b, &f), order(&c, &g), order(&d, &h);
    order(&a, &b), order(&c, &d), order(&e, &f), order(&g, &h);
    order(&c, &e), order(&d, &f);
    order(&b, &e), order(&d, &g);
    order(&b, &c), order(&d, &e), order(&f, &g);
    store_row(x, at + 6, g);
    store_row(x, at + 7, h);
  }
  store_row(x, at, a);
  store_row(x, at + 1, b);
  store_row(x, at + 2, c);
  store_row(x, at + 3, d);
  store_row(x, at + 4, e);
  store_row(x, at + 5, f);
}

/* ---- Merging rows ---- */

/* Compares rows at one distance. */
INLINE TARGET void halve(const struct pcf_sorting *x, int64_t rows, int64_t distance) {
  for (int64_t block = 0; block < rows; block += 2 * distance) {
    for (int64_t r = block; r < block + distance; r++) {
      struct row a = load_row(x, r), b = load_row(x, r + distance);
      order(&a, &b);
      store_row(x, r, a);
      store_row(x, r + distance, b);
    }
  }
}

/* Compares rows at twice the distance and then at the distance: half the loads and stores. */
INLINE TARGET void halve_twice(const struct pcf_sorting *x, int64_t rows, int64_t distance) {
  for (int64_t block = 0; block < rows; block += 4 * distance) {
    for (int64_t r = block; r < block + distance; r++) {
      struct row a = load_row(x, r), b = load_row(x, r + distance);
      struct row c = load_row(x, r + 2 * distance), d = load_row(x, r + 3 * distance);
      halve_4(&a, &b, &c, &d);
      store_row(x, r, a);
      store_row(x, r + distance, b);
      store_row(x, r + 2 * distance, c);
      store_row(x, r + 3 * distance, d);
    }
  }
}

/* Sorts each lane of each block of rows, when it is bitonic. */
INLINE TARGET void halve_all(const struct pcf_sorting *x, int64_t rows, int64_t block,
                             int group) {
  int64_t distance = block / 2;
  for (; distance >= 2 * group; distance /= 4) halve_twice(x, rows, distance / 2);
  if (distance >= group) halve(x, rows, distance);
  for (int64_t r = 0; r < rows; r += group) merge_group(x, r, group);
}

/* Compares sorted runs of `run` rows with the next ones, backwards. */
INLINE TARGET void flip(const struct pcf_sorting *x, int64_t rows, int64_t run) {
  for (int64_t block = 0; block < rows; block += 2 * run) {
    int64_t last = block + 2 * run - 1;
    for (int64_t r = 0; r < run; r++) {
      struct row a = load_row(x, block + r), b = load_row(x, last - r);
      order(&a, &b);
      store_row(x, block + r, a);
      store_row(x, last - r, b);
    }
  }
}

INLINE TARGET void flip_and_halve(const struct pcf_sorting *x, int64_t rows, int64_t run) {
  int64_t half = run / 2;
  for (int64_t block = 0; block < rows; block += 2 * run) {
    int64_t last = block + 2 * run - 1;
    for (int64_t r = block; r < block + half; r++) {
      int64_t mirrored = last - (r - block);
      struct row a = load_row(x, r), b = load_row(x, r + half);
      struct row c = load_row(x, mirrored - half), d = load_row(x, mirrored);
      order(&a, &d);
      order(&b, &c);
      order(&a, &b);
      order(&c, &d);
      store_row(x, r, a);
      store_row(x, r + half, b);
      store_row(x, mirrored - half, c);
      store_row(x, mirrored, d);
    }
  }
}

/* Merges runs of `run` rows, two and two. */
INLINE TARGET void merge_rows(const struct pcf_sorting *x, int64_t rows, int64_t run,
                              int group) {
  if (run == group) {
    flip(x, rows, run);
    halve_all(x, rows, run, group);
  } else {
    flip_and_halve(x, rows, run);
    halve_all(x, rows, run / 2, group);
  }
}

/* ---- Merging lanes ---- */

#if LANES > 1
/* The lanes whose number has that bit set from `b`, the others from `a`. */
INLINE TARGET struct row choose(struct row a, struct row b, int bit) {
  struct row c;
  c.key = v_select(v_has_bit(bit), b.key, a.key);
#if PCF_PAIRS
  c.payload = v_select(v_has_bit(bit), b.payload, a.payload);
#endif
  return c;
}

/* Lane l gets what is in lane l ^ bits. */
INLINE TARGET struct row exchange(struct row a, int bits) {
  a.key = v_exchange(a.key, bits);
#if PCF_PAIRS
  a.payload = v_exchange(a.payload, bits);
#endif
  return a;
}

/* Compares the columns of `bit` lanes, one after the other, with the next ones backwards. */
INLINE TARGET void flip_lanes(const struct pcf_sorting *x, int64_t rows, int bit) {
  for (int64_t r = 0; r < rows / 2; r++) {
    struct row a = load_row(x, r), b = exchange(load_row(x, rows - 1 - r), 2 * bit - 1);
    struct row low = a, high = b;
    order(&low, &high);
    store_row(x, r, choose(low, high, bit));
    store_row(x, rows - 1 - r, exchange(choose(high, low, bit), 2 * bit - 1));
  }
}

/* Compares lanes whose numbers differ in one bit. Two rows go together: one vector gets all of
 * the lower lanes, another all of the upper ones. */
INLINE TARGET void halve_lanes(const struct pcf_sorting *x, int64_t rows, int bit) {
  for (int64_t r = 0; r < rows; r += 2) {
    struct row a = load_row(x, r), b = load_row(x, r + 1);
    struct row low = choose(a, exchange(b, bit), bit), high = choose(exchange(a, bit), b, bit);
    order(&low, &high);
    store_row(x, r, choose(low, exchange(high, bit), bit));
    store_row(x, r + 1, choose(exchange(low, bit), high, bit));
  }
}

INLINE TARGET void merge_lanes(const struct pcf_sorting *x, int64_t rows, int bit, int group) {
  flip_lanes(x, rows, bit);
  while ((bit /= 2) > 0) halve_lanes(x, rows, bit);
  halve_all(x, rows, rows, group);
}
#endif

/* ---- The matrix ---- */

INLINE TARGET void sort_matrix(const struct pcf_sorting *x, int64_t rows, int group) {
  for (int64_t r = 0; r < rows; r += group) sort_group(x, r, group);
  for (int64_t run = group; run < rows; run *= 2) merge_rows(x, rows, run, group);
#if LANES > 1
  for (int bit = 1; bit < LANES; bit *= 2) merge_lanes(x, rows, bit, group);
#endif
}

/* Column after column. */
INLINE TARGET void store_sorted(const struct pcf_sorting *x, int64_t rows) {
  for (int64_t r = 0; r < rows; r++) {
    for (int lane = 0; lane < LANES; lane++) {
      x->sorted_keys[lane * rows + r] = x->keys[r * LANES + lane];
#if PCF_PAIRS
      x->sorted_payload[lane * rows + r] = x->payload[r * LANES + lane];
#endif
    }
  }
}

static TARGET void SORT(sort)(const struct pcf_sorting *x) {
  int64_t room = pcf_sort_room(x->count), rows = room / LANES;
  for (int64_t k = x->count; k < room; k++) {
    x->keys[k] = INFINITY;
#if PCF_PAIRS
    x->payload[k] = 0;
#endif
  }
  if (room % 3 == 0) sort_matrix(x, rows, 6);
  else sort_matrix(x, rows, 8);
  store_sorted(x, rows);
}

#undef row
#undef load_row
#undef store_row
#undef order
#undef halve_3
#undef halve_4
#undef merge_group
#undef sort_group
#undef halve
#undef halve_twice
#undef halve_all
#undef flip
#undef flip_and_halve
#undef merge_rows
#undef choose
#undef exchange
#undef flip_lanes
#undef halve_lanes
#undef merge_lanes
#undef store_sorted
#undef sort_matrix
#undef SORT
#undef PCF_PAIRS
