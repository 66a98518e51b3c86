#include "summaries/permutations.h"

#include "base/bits.h"
#include "base/hints.h"
#include "base/memory.h"
#include "base/threads.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static pcf_loop_body compare_block;

/* Sums of values are whole numbers of a small unit, so that nothing is lost in adding and
 * taking away. The permutations of a block are lanes: all make each step together.
 *
 * Only differences of values at a time matter, so what is added is the distance of each value
 * from a base that follows them, modulo 2^64 in between. The unit must fit the differences:
 * what is small beside the largest of all times is lost in its unit. Stretches of time have
 * levels, therefore, by their largest difference, with 2^LEVEL_BITS from one to the next. Each
 * level has its own unit, and is measured as if there were no other. */
enum { LANES = 8, LEAST_EXPONENT = -1074, LEVEL_BITS = 8, LEVELS = 2200 / LEVEL_BITS };

/* The change of a function between two stretches of a level. */
struct step {
  int function, observed;
  double width, to, least; /* of all values in the stretch */
  uint64_t jump, shift;    /* in units: the change, and then that of the base of all values */
};

/* What all functions are in the stretch after each move. */
struct stretches {
  int *exponent; /* the largest difference is less than 2^exponent; UNUSED: there is none */
  double *least; /* of the values */
  int top, bits[LEVELS]; /* the largest exponent, of all and of each level */
};

enum { UNUSED = INT_MIN };

struct comparing {
  const struct pcf_labels *labels;
  struct step *steps; /* of one level */
  int64_t count;
  double p;
  int pairs;
  int scale;     /* differences are measured in 2^scale */
  double units;  /* so many are a unit */
  int left_out;  /* these bits of sums are left out of products that are too large */
  double one[2]; /* the unit of products, left out or not */
  double *distances, *lengths;
};

/* Two groups in each lane: the sums of their values now, and masks that say of each function
 * whether it is in the first, and whether it is in the second one. */
struct lanes {
  uint64_t first[LANES], second[LANES];
  int64_t size[2][LANES];                          /* how many functions they have */
  int64_t known_first[LANES], known_second[LANES]; /* functions that are observed now */
  const int64_t (*mask)[2][LANES];
};

/* The least e with |value| < 2^e; -1022 if it is less. */
INLINE int exponent_of(double value) {
  return (int)(pcf_bits_of_double(value) >> 52 & 2047) - 1022;
}

static int level_of(const struct stretches *stretches, int64_t k) {
  return (stretches->top - stretches->exponent[k]) / LEVEL_BITS;
}

/* A tournament of the values of all functions: knots 2 i and 2 i + 1 are below knot i, and the
 * functions begin at knot `leaves`. */
struct range {
  double least, most;
};

static void set_range(struct range *knots, int64_t knot, struct range range) {
  for (knots[knot] = range; knot > 1;) {
    knot /= 2;
    struct range *a = &knots[2 * knot], *b = a + 1;
    knots[knot] = (struct range){fmin(a->least, b->least), fmax(a->most, b->most)};
  }
}

/* Finds the differences and the levels of all stretches. Those without differences matter only
 * for the length of time. `knots` has room for twice the functions, `known` for a number each.
 */
static void find_stretches(const struct pcf_moves *moves, int64_t functions,
                           struct range *knots, int64_t *known, struct stretches *stretches) {
  const struct range nothing = {INFINITY, -INFINITY}, zero = {0, 0};
  for (int64_t i = 1; i < 2 * functions; i++) knots[i] = moves->observed ? nothing : zero;
  for (int64_t i = 0; i < functions; i++) known[i] = !moves->observed;
  stretches->top = -1022;
  for (int64_t k = 0; k < moves->count; k++) {
    int function = moves->function[k];
    double to = moves->to[k];
    if (moves->observed) known[function] += moves->observed[k];
    set_range(knots, functions + function, known[function] ? (struct range){to, to} : nothing);
    double spread = knots[1].most - knots[1].least;
    stretches->least[k] = knots[1].least;
    stretches->exponent[k] = spread == INFINITY ? 1025
                             : spread > 0       ? exponent_of(spread)
                                                : -1022;
    if (moves->width[k] == 0 || !(spread > 0 || moves->observed))
      stretches->exponent[k] = UNUSED;
    if (stretches->exponent[k] > stretches->top) stretches->top = stretches->exponent[k];
  }
  for (int level = 0; level < LEVELS; level++) stretches->bits[level] = UNUSED;
  for (int64_t k = 0; k < moves->count; k++) {
    if (stretches->exponent[k] == UNUSED) continue;
    int *bits = &stretches->bits[level_of(stretches, k)];
    if (stretches->exponent[k] > *bits) *bits = stretches->exponent[k];
  }
}

/* Collects the steps of a level. Several moves of a function between two stretches are one
 * step, steps[place[function]]. */
static int64_t find_steps(const struct pcf_moves *moves, const struct stretches *stretches,
                          int wanted, int64_t *place, struct step *steps) {
  int64_t count = 0, begin = 0;
  for (int64_t k = 0; k < moves->count; k++) {
    int64_t *at = &place[moves->function[k]];
    if (*at < begin) {
      *at = count++;
      steps[*at] = (struct step){.function = moves->function[k]};
    }
    steps[*at].to = moves->to[k];
    if (moves->observed) steps[*at].observed += moves->observed[k];
    if (stretches->exponent[k] == UNUSED || level_of(stretches, k) != wanted) continue;
    steps[count - 1].width = moves->width[k];
    steps[count - 1].least = stretches->least[k];
    begin = count;
  }
  return begin;
}

/* A value in units of 2^exponent, modulo 2^64. */
static uint64_t in_units(double value, int exponent) {
  double units = ldexp(value, -exponent);
  if (fabs(units) < 0x1p62) return (uint64_t)llrint(units);
  int own;
  uint64_t digits = (uint64_t)(int64_t)ldexp(frexp(value, &own), 53);
  own -= 53 + exponent;
  return own < 64 ? digits << own : 0;
}

/* Makes a level the one to be compared, in units of which no difference of values is more than
 * 2^61, however many of them are added. */
static void take_level(struct comparing *comparing, const struct pcf_moves *moves,
                       const struct stretches *stretches, int wanted, uint64_t *now,
                       int64_t *place) {
  int64_t functions = comparing->labels->count;
  int size, bits = stretches->bits[wanted];
  frexp((double)functions, &size);
  int exponent = bits + size - 61 > LEAST_EXPONENT ? bits + size - 61 : LEAST_EXPONENT;
  for (int64_t i = 0; i < functions; i++) place[i] = -1;
  comparing->count = find_steps(moves, stretches, wanted, place, comparing->steps);
  int64_t *known = place;
  for (int64_t i = 0; i < functions; i++) {
    known[i] = !moves->observed;
    now[i] = 0;
  }
  double base = 0, most_off = ldexp(1, bits - 1);
  for (int64_t k = 0; k < comparing->count; k++) {
    struct step *step = &comparing->steps[k];
    uint64_t *value = &now[step->function], base_units = in_units(base, exponent);
    if (known[step->function]) step->jump = base_units - *value;
    known[step->function] += step->observed;
    *value = in_units(step->to, exponent);
    if (known[step->function]) step->jump += *value - base_units;
    if (step->width == 0 || fabs(step->least - base) < most_off || step->least == INFINITY)
      continue;
    base = step->least;
    step->shift = in_units(base, exponent) - base_units;
  }
  comparing->scale = bits - 1;
  comparing->units = ldexp(1, exponent - (bits - 1));
  comparing->left_out = size > 3 ? size - 3 : 0;
  comparing->one[0] = ldexp(1, comparing->left_out);
  comparing->one[1] = 1;
}

/* Distances are NaN where no means are known long enough, and divided by the length of time for
 * `mean`. */
static void use_lengths(const double *lengths, const struct pcf_moves *moves, double p,
                        int64_t count, double *distances) {
  for (int64_t k = 0; k < count; k++) {
    if (!(lengths[k] > 0 && lengths[k] >= moves->least)) distances[k] = NAN;
    else if (moves->mean) distances[k] /= pow(lengths[k], 1 / p);
  }
}

enum pcf_status pcf_permuted_means(const struct pcf_labels *labels,
                                   const struct pcf_moves *moves, double p, int threads,
                                   const atomic_int *stop, double *distances,
                                   struct pcf_error *error) {
  int64_t blocks = (labels->permutations + LANES - 1) / LANES;
  struct comparing comparing = {.labels = labels, .p = p, .distances = distances};
  comparing.pairs = labels->groups * (labels->groups - 1) / 2;
  size_t count = (size_t)moves->count;
  size_t results = (size_t)(labels->permutations * comparing.pairs);
  struct pcf_arrays arrays = {0};
  size_t functions = (size_t)labels->count;
  struct stretches stretches;
  stretches.exponent = pcf_array(&arrays, count, sizeof *stretches.exponent, error);
  stretches.least = pcf_array(&arrays, count, sizeof *stretches.least, error);
  struct range *knots = pcf_array(&arrays, 2 * functions, sizeof *knots, error);
  uint64_t *now = pcf_array(&arrays, functions, sizeof *now, error);
  int64_t *place = pcf_array(&arrays, functions, sizeof *place, error);
  comparing.steps = pcf_array(&arrays, count, sizeof *comparing.steps, error);
  if (moves->observed) {
    comparing.lengths = pcf_zeros(&arrays, results, sizeof *comparing.lengths, error);
  }
  memset(distances, 0, results * sizeof *distances);
  enum pcf_status status = arrays.status;
  if (!status) find_stretches(moves, labels->count, knots, place, &stretches);
  for (int k = 0; k < LEVELS && !status; k++) {
    if (stretches.bits[k] == UNUSED) continue;
    take_level(&comparing, moves, &stretches, k, now, place);
    status = pcf_parallel_for(threads, blocks * comparing.pairs, stop, compare_block,
                              &comparing, error);
  }
  if (moves->observed && !status) {
    use_lengths(comparing.lengths, moves, p, (int64_t)results, distances);
  }
  pcf_arrays_free(&arrays);
  return status;
}

INLINE void move(struct lanes *lanes, int function, uint64_t jump) {
  const int64_t *in_first = lanes->mask[function][0], *in_second = lanes->mask[function][1];
  for (int l = 0; l < LANES; l++) lanes->first[l] += jump & (uint64_t)in_first[l];
  for (int l = 0; l < LANES; l++) lanes->second[l] += jump & (uint64_t)in_second[l];
}

/* Moves the base of groups of `first` and `second` functions in each lane. */
static void rebase(struct lanes *lanes, const int64_t *first, const int64_t *second,
                   uint64_t shift) {
  for (int l = 0; l < LANES; l++) {
    lanes->first[l] -= shift * (uint64_t)first[l];
    lanes->second[l] -= shift * (uint64_t)second[l];
  }
}

/* The difference, in units, of the means of groups of m and n functions, times m n. A product
 * that does not fit into 64 bits leaves out the last bits of the sums, 2^-40 of it at most. */
INLINE double difference(const struct comparing *comparing, const struct lanes *lanes, int l,
                         int64_t m, int64_t n) {
  int left_out = comparing->left_out;
  uint64_t first = lanes->first[l], second = lanes->second[l];
  int64_t coarse = ((int64_t)first >> left_out) * n - ((int64_t)second >> left_out) * m;
  int64_t exact = (int64_t)(first * (uint64_t)n - second * (uint64_t)m);
  int fits =
    (coarse < (int64_t)1 << (62 - left_out)) & (coarse > -((int64_t)1 << (62 - left_out)));
  return fabs((double)(fits ? exact : coarse)) * comparing->one[fits];
}

enum form { ABSOLUTE, SQUARE, SUPREMUM, POWER };

/* Adds a stretch of a lane on which the means differ by d. */
INLINE void add(enum form form, double width, double d, double p, double scale, double *sum) {
  if (form == ABSOLUTE) *sum += width * d;
  else if (form == SQUARE) *sum += width * (d * d);
  else if (form == SUPREMUM) *sum = d > *sum ? d : *sum;
  else if (d > 0) *sum += width * pow(d / scale, p);
}

/* integrate() for functions that are not observed everywhere; length[l] becomes that of where
 * both means are known. */
static void integrate_known(const struct comparing *comparing, struct lanes *lanes,
                            enum form form, const double *scale, double *sum, double *length) {
  memset(lanes->known_first, 0, sizeof lanes->known_first);
  memset(lanes->known_second, 0, sizeof lanes->known_second);
  memset(length, 0, LANES * sizeof *length);
  for (const struct step *step = comparing->steps; step < comparing->steps + comparing->count;
       step++) {
    const int64_t(*in)[LANES] = lanes->mask[step->function];
    move(lanes, step->function, step->jump);
    for (int l = 0; l < LANES; l++) {
      lanes->known_first[l] += step->observed * (in[0][l] & 1);
      lanes->known_second[l] += step->observed * (in[1][l] & 1);
    }
    if (step->shift) rebase(lanes, lanes->known_first, lanes->known_second, step->shift);
    for (int l = 0; l < LANES && step->width != 0; l++) {
      int64_t first = lanes->known_first[l], second = lanes->known_second[l];
      if (!first || !second) continue;
      length[l] += step->width < 0 ? INFINITY : step->width;
      if (step->width < 0) continue;
      double d =
        difference(comparing, lanes, l, first, second) / ((double)first * (double)second);
      add(form, step->width, comparing->units * d, comparing->p, scale ? scale[l] : 1, &sum[l]);
    }
  }
}

/* Adds up what the difference of the means is, relative to `scale` of the lane. */
INLINE void integrate(const struct comparing *comparing, struct lanes *lanes, enum form form,
                      const double *scale, double *sum, double *length) {
  memset(lanes->first, 0, sizeof lanes->first);
  memset(lanes->second, 0, sizeof lanes->second);
  memset(sum, 0, LANES * sizeof *sum);
  if (comparing->lengths) {
    integrate_known(comparing, lanes, form, scale, sum, length);
    return;
  }
  double per[LANES];
  for (int l = 0; l < LANES; l++) {
    per[l] = comparing->units / ((double)lanes->size[0][l] * (double)lanes->size[1][l]);
  }
  for (const struct step *step = comparing->steps; step < comparing->steps + comparing->count;
       step++) {
    double width = step->width;
    move(lanes, step->function, step->jump);
    if (width == 0) continue;
    if (step->shift) rebase(lanes, lanes->size[0], lanes->size[1], step->shift);
    for (int l = 0; l < LANES; l++) {
      double d = difference(comparing, lanes, l, lanes->size[0][l], lanes->size[1][l]) * per[l];
      add(form, width, d, comparing->p, scale ? scale[l] : 1, &sum[l]);
    }
  }
}

/* For a general power, differences are divided by the supremum, since powers could underflow or
 * overflow. */
static void measure(const struct comparing *comparing, struct lanes *lanes, double *distance,
                    double *length) {
  double sum[LANES], supremum[LANES];
  if (comparing->p == 1) {
    integrate(comparing, lanes, ABSOLUTE, NULL, sum, length);
    for (int l = 0; l < LANES; l++) distance[l] = sum[l];
  } else if (comparing->p == 2) {
    integrate(comparing, lanes, SQUARE, NULL, sum, length);
    for (int l = 0; l < LANES; l++) distance[l] = sqrt(sum[l]);
  } else {
    integrate(comparing, lanes, SUPREMUM, NULL, supremum, length);
    memcpy(distance, supremum, sizeof supremum);
    if (comparing->p == INFINITY) return;
    integrate(comparing, lanes, POWER, supremum, sum, length);
    for (int l = 0; l < LANES; l++) {
      if (supremum[l] > 0) distance[l] = supremum[l] * pow(sum[l], 1 / comparing->p);
    }
  }
}

/* The distance over two parts of time, from those over each. */
static double joined(double a, double b, double p) {
  double larger = fmax(a, b), smaller = fmin(a, b);
  if (smaller == 0 || larger == INFINITY) return larger;
  return p == 1 ? a + b : larger * pow(1 + pow(smaller / larger, p), 1 / p);
}

/* Groups g and h of permutation k in lane l. */
static void fill_lane(const struct comparing *comparing, int64_t k, int g, int h, int l,
                      int64_t (*mask)[2][LANES], struct lanes *lanes) {
  const struct pcf_labels *labels = comparing->labels;
  const int *label = labels->label + k * labels->count;
  int64_t size[2] = {0, 0};
  for (int64_t i = 0; i < labels->count; i++) {
    size[0] += label[i] == g;
    size[1] += label[i] == h;
    mask[i][0][l] = -(int64_t)(label[i] == g);
    mask[i][1][l] = -(int64_t)(label[i] == h);
  }
  lanes->size[0][l] = size[0];
  lanes->size[1][l] = size[1];
}

/* Compares the means of a block of permutations over a level. Lanes beyond the last permutation
 * repeat it. */
static enum pcf_status compare_block(void *comparing_, int thread, int64_t index,
                                     struct pcf_error *error) {
  const struct comparing *comparing = comparing_;
  const struct pcf_labels *labels = comparing->labels;
  int64_t first = index / comparing->pairs * LANES;
  int pair = (int)(index % comparing->pairs), g = pair, h = 1;
  struct lanes lanes;
  double distance[LANES], length[LANES];
  int64_t(*mask)[2][LANES] = pcf_allocate((size_t)labels->count, sizeof *mask, error);
  if (!mask) return PCF_ERROR_MEMORY;
  for (; g >= h; h++) g -= h;
  for (int l = 0; l < LANES; l++) {
    int64_t k = first + l < labels->permutations ? first + l : labels->permutations - 1;
    fill_lane(comparing, k, g, h, l, mask, &lanes);
  }
  lanes.mask = (const int64_t(*)[2][LANES])mask;
  measure(comparing, &lanes, distance, length);
  for (int l = 0; l < LANES && first + l < labels->permutations; l++) {
    int64_t at = pair + (first + l) * comparing->pairs;
    double *total = &comparing->distances[at];
    *total = joined(*total, ldexp(distance[l], comparing->scale), comparing->p);
    if (comparing->lengths) comparing->lengths[at] += length[l];
  }
  pcf_free(mask);
  return PCF_OK;
}
