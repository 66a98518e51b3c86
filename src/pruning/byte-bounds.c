#include "pruning/byte-bounds.h"

#include "base/quantiles.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

enum { STEPS = 255, SAMPLE = 4096, BYTES = 4 };

/* What the bytes count: steps of the same length, from `first` on, of the sum of the
 * coordinates from … end - 1. The gaps of sums are no larger than the sums of gaps; so, of L1,
 * little coordinates share a byte, and large ones have several, each of which begins where the
 * one before it ends. */
struct steps {
  double step;
  int bytes;
  struct place {
    int64_t from, end;
    double first;
  } place[PCF_MOST_COORDINATES];
};

struct filling {
  struct pcf_byte_bounds *bytes;
  const struct pcf_bounded *from;
  struct steps steps;
};

static pcf_range_body fill_bands;
static pcf_loop_body find_range;
static enum pcf_status find_steps(const struct pcf_bounds *bounds, int threads,
                                  const atomic_int *stop, struct steps *steps,
                                  struct pcf_error *error);

static enum pcf_status allocate(struct pcf_byte_bounds *bytes, struct pcf_error *error) {
  size_t each = (size_t)bytes->words * sizeof *bytes->word, bands = (size_t)bytes->bands;
  struct pcf_arrays *arrays = &bytes->arrays;
  bytes->word = pcf_array(arrays, bands * PCF_BAND_POINTS, each, error);
  bytes->least = pcf_array(arrays, bands, each, error);
  bytes->most = pcf_array(arrays, bands, each, error);
  bytes->slack = pcf_array(arrays, bands, 2 * sizeof *bytes->slack, error);
  if (!arrays->status) bytes->coordinate_slack = bytes->slack + bands;
  return arrays->status;
}

/* Fills the bytes of one collection, by steps that are known. */
static enum pcf_status fill(struct pcf_byte_bounds *bytes, const struct pcf_bounds *bounds,
                            const struct pcf_bounded *of, const struct steps *steps,
                            int together, int threads, const atomic_int *stop,
                            struct pcf_error *error) {
  static const double least_unit = 0x1p-900;
  const struct pcf_coordinates *coordinates = &bounds->coordinates;
  struct filling filling = {.bytes = bytes, .from = of, .steps = *steps};
  double step = steps->step;
  double unit = ldexp(1 + coordinates->error + 0x1p-40, -coordinates->exponent) / step;
  if (!(step > 0 && unit > least_unit && 1 / unit > least_unit)) return PCF_OK;
  *bytes =
    (struct pcf_byte_bounds){.words = coordinates->metric.coordinates / BYTES,
                             .squares = coordinates->metric.operation == PCF_L2,
                             .together = together ? together : coordinates->metric.coordinates,
                             .count = of->count,
                             .bands = of->bands,
                             .step = step,
                             .unit = unit,
                             .smallest = coordinates->least / step};
  enum pcf_status status = allocate(bytes, error);
  if (status) return status;
  return pcf_for_ranges(threads, bytes->bands, 1, stop, fill_bands, &filling, error);
}

enum pcf_status pcf_byte_bounds_make(struct pcf_byte_bounds *of_x, struct pcf_byte_bounds *of_y,
                                     const struct pcf_bounds *bounds, int together, int threads,
                                     const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_coordinates *coordinates = &bounds->coordinates;
  struct steps steps;
  *of_x = *of_y = (struct pcf_byte_bounds){0};
  if (!coordinates->stretches || !pcf_has_byte_bounds(&coordinates->metric)) return PCF_OK;
  enum pcf_status status = find_steps(bounds, threads, stop, &steps, error);
  if (!status) status = fill(of_x, bounds, &bounds->x, &steps, together, threads, stop, error);
  if (status || !bounds->y.count) return status;
  return fill(of_y, bounds, &bounds->y, &steps, together, threads, stop, error);
}

void pcf_byte_bounds_free(struct pcf_byte_bounds *bytes) {
  pcf_arrays_free(&bytes->arrays);
  *bytes = (struct pcf_byte_bounds){0};
}

enum pcf_status pcf_bounds_add_bytes(struct pcf_bounds *bounds, int threads,
                                     const atomic_int *stop, struct pcf_error *error) {
  if (bounds->coordinates.metric.operation != PCF_L1) return PCF_OK;
  return pcf_byte_bounds_make(&bounds->x.bytes, &bounds->y.bytes, bounds, (int)sizeof(uint64_t),
                              threads, stop, error);
}

/* ---- Steps ---- */

/* Most of the sampled coordinates are in this range. What is beyond their steps is cut off,
 * which brings no two points further apart. */
struct range {
  double middle, width;
};

struct sampling {
  const struct pcf_bounded *x;
  int64_t coordinates;
  struct range range[PCF_MOST_COORDINATES];
};

/* Coordinate c of `count` points. */
static void sample(const struct sampling *sampling, int64_t c, int64_t count, double *number) {
  const struct pcf_bounded *x = sampling->x;
  for (int64_t k = 0; k < count; k++) {
    int64_t at = k * x->count / count, band = at / PCF_BAND_POINTS;
    number[k] =
      (double)
        x->point[(band * sampling->coordinates + c) * PCF_BAND_POINTS + at % PCF_BAND_POINTS];
  }
}

static enum pcf_status find_range(void *sampling_, int thread, int64_t c,
                                  struct pcf_error *error) {
  struct sampling *sampling = sampling_;
  double number[SAMPLE];
  int64_t count = pcf_smaller(sampling->x->count, SAMPLE), beyond = count / 16;
  sample(sampling, c, count, number);
  double least = pcf_kth(number, count, beyond);
  sample(sampling, c, count, number);
  double most = pcf_kth(number, count, count - 1 - beyond);
  sampling->range[c] = (struct range){(least + most) / 2, most - least};
  return PCF_OK;
}

/* Places for steps of that length, in the order of the coordinates. Returns the bytes that they
 * take, of which no more than there is room for are filled in. */
static int place_steps(struct steps *steps, const struct range *range, int64_t coordinates,
                       int several) {
  static const double little = 0.25;
  double byte = steps->step * STEPS;
  steps->bytes = 0;
  for (int64_t c = 0, end; c < coordinates; c = end) {
    double width = range[c].width, middle = range[c].middle;
    for (end = c + 1; several && end < coordinates && width + range[end].width < little * byte;
         end++) {
      width += range[end].width;
      middle += range[end].middle;
    }
    double bytes = several ? ceil(width / byte) : width > 0;
    for (double b = 0; b < bytes; b++) {
      if (steps->bytes == coordinates) return steps->bytes + 1;
      steps->place[steps->bytes++] = (struct place){c, end, middle + (b - bytes / 2) * byte};
    }
  }
  return steps->bytes;
}

/* The shortest steps, to a few percent, for which there is room. */
static enum pcf_status find_steps(const struct pcf_bounds *bounds, int threads,
                                  const atomic_int *stop, struct steps *steps,
                                  struct pcf_error *error) {
  static const double longer = 1.05;
  int64_t coordinates = bounds->coordinates.metric.coordinates;
  int several = bounds->coordinates.metric.operation == PCF_L1;
  struct sampling sampling = {.x = &bounds->x, .coordinates = coordinates};
  const struct range *range = sampling.range;
  double widest = 0, all = 0;
  enum pcf_status status =
    pcf_parallel_for(threads, coordinates, stop, find_range, &sampling, error);
  if (status) return status;
  for (int64_t c = 0; c < coordinates; c++) {
    widest = fmax(widest, range[c].width);
    all += range[c].width;
  }
  steps->step = (several ? all / (double)coordinates : widest) / STEPS;
  while (steps->step > 0 && place_steps(steps, range, coordinates, several) > coordinates) {
    steps->step *= longer;
  }
  return PCF_OK;
}

/* ---- Bytes ---- */

/* The bytes of a point of a band; returns how many steps rounding takes it away, as the metric
 * has it. */
static double fill_point(const struct filling *filling, int64_t band, int64_t lane,
                         unsigned char *byte) {
  int64_t coordinates = filling->bytes->words * BYTES;
  const float *point = filling->from->point + band * coordinates * PCF_BAND_POINTS + lane;
  const struct steps *steps = &filling->steps;
  double sum = 0;
  for (int64_t c = steps->bytes; c < coordinates; c++) byte[c] = 0;
  for (int b = 0; b < steps->bytes; b++) {
    const struct place *place = &steps->place[b];
    double at = -place->first;
    for (int64_t c = place->from; c < place->end; c++) at += (double)point[c * PCF_BAND_POINTS];
    double inside = at / steps->step;
    inside = inside > 0 ? inside : 0;
    inside = inside < STEPS ? inside : STEPS;
    byte[b] = (unsigned char)(inside + 0.5);
    double step = (double)byte[b];
    sum += filling->bytes->squares ? (inside - step) * (inside - step) : fabs(inside - step);
  }
  return filling->bytes->squares ? sqrt(sum) : sum;
}

static void extend_box(unsigned char *least, unsigned char *most, const unsigned char *byte,
                       int64_t coordinates) {
  for (int64_t c = 0; c < coordinates; c++) {
    least[c] = byte[c] < least[c] ? byte[c] : least[c];
    most[c] = byte[c] > most[c] ? byte[c] : most[c];
  }
}

/* The slack of the band is for its coordinates in single precision, and for their steps, whose
 * own roundings are far smaller than what is added. */
static void fill_bands(void *filling_, int64_t first, int64_t end) {
  static const double more = 1 + 0x1p-20, roundings = 0x1p-20;
  const struct filling *filling = filling_;
  struct pcf_byte_bounds *bytes = filling->bytes;
  int64_t coordinates = bytes->words * BYTES, together = bytes->together;
  for (int64_t band = first; band < end; band++) {
    unsigned char *least = (unsigned char *)(bytes->least + band * bytes->words);
    unsigned char *most = (unsigned char *)(bytes->most + band * bytes->words);
    unsigned char *to = (unsigned char *)(bytes->word + band * PCF_BAND_POINTS * bytes->words);
    unsigned char byte[PCF_MOST_COORDINATES];
    double farthest = 0;
    for (int64_t c = 0; c < coordinates; c++) least[c] = STEPS, most[c] = 0;
    for (int64_t lane = 0; lane < PCF_BAND_POINTS; lane++, to += together) {
      farthest = fmax(farthest, fill_point(filling, band, lane, byte));
      extend_box(least, most, byte, coordinates);
      for (int64_t c = 0; c < coordinates; c += together) {
        memcpy(to + c * PCF_BAND_POINTS, byte + c, (size_t)together);
      }
    }
    double slack = filling->from->slack[band] / filling->steps.step + roundings;
    bytes->coordinate_slack[band] = (float)(slack * more);
    bytes->slack[band] = (float)((farthest + slack) * more);
  }
}
