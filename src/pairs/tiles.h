/* Tiles: shared by the methods that divide the functions into bands of a width, and compute a
 * block tile by tile. */
#pragma once

#include "kernels/kernels.h"
#include "pairs/method.h"

/* The possible widths of tiles, in increasing order. */
enum { PCF_WIDTHS = 4 };
extern const int pcf_widths[PCF_WIDTHS];

/* The seconds of a method with tiles of a width. Returns the best of the widths whose sums, so
 * many a pair, fit in the cache, or the forced one if that is not 0. */
typedef double pcf_width_seconds(const struct pcf_pairs *pairs, int width, int threads);
struct pcf_estimate pcf_best_width(const struct pcf_pairs *pairs, int forced, int threads,
                                   size_t sums, pcf_width_seconds *seconds_of);

/* What a method prepares for the bands of x, and for those of y if there is one: `size` bytes
 * for each. If all members are zero, there is nothing. */
struct pcf_sides {
  size_t size;
  int64_t bands, first_column; /* of all; before those of the columns, which may be x again */
  char *band;
  struct pcf_arrays arrays;
};

/* Prepares the band of functions first … first + count - 1 of x, in memory that is zero;
 * `scratch` belongs to the thread. The other frees it, also if it could not be prepared. */
typedef enum pcf_status pcf_band_maker(const struct pcf_cpu_run *run,
                                       const struct pcf_collection *x, int64_t first, int count,
                                       struct pcf_band_scratch *scratch, void *band,
                                       struct pcf_error *error);
typedef void pcf_band_freer(void *band);

/* Prepares all bands, each on one thread. Free them with pcf_sides_free(), also after a
 * failure. */
enum pcf_status pcf_sides_make(struct pcf_sides *sides, const struct pcf_cpu_run *run,
                               size_t size, pcf_band_maker *make, struct pcf_error *error);
void pcf_sides_free(struct pcf_sides *sides, pcf_band_freer *free_band);

static inline const void *pcf_row_band(const struct pcf_sides *sides, int64_t i) {
  return sides->band + (size_t)i * sides->size;
}

static inline const void *pcf_column_band(const struct pcf_sides *sides, int64_t j) {
  return pcf_row_band(sides, sides->first_column + j);
}

/* Divides the matrix into blocks of whole tiles. */
enum pcf_status pcf_schedule_tiles(struct pcf_cpu_run *run, struct pcf_schedule *schedule,
                                   struct pcf_error *error);

/* A tile of the whole window, with its output but without its sides. */
static inline struct pcf_tile pcf_tile_of(const struct pcf_cpu_run *run,
                                          const struct pcf_cpu_worker *worker, void *output,
                                          int64_t stride) {
  const struct pcf_integral *integral = &run->pairs->integral;
  return (struct pcf_tile){.integral = integral,
                           .from = integral->from,
                           .to = integral->to,
                           .width = run->width,
                           .workspace = worker->workspace,
                           .output = output,
                           .stride = stride,
                           .stop = run->task->stop};
}

/* Describes the rows and columns of tile (i, j) to the kernel. */
typedef void pcf_tile_sides(const struct pcf_cpu_run *run, int64_t i, int64_t j,
                            struct pcf_tile *tile);

/* Computes listed pairs of the tile that begins at (i, j); returns 1 if it was stopped. */
typedef int pcf_tile_pairs(const struct pcf_cpu_run *run, int64_t i, int64_t j,
                           const struct pcf_tile *tile,
                           const struct pcf_pair_position *position, int64_t positions);

/* Computes the tiles of a block; returns 1 if it was stopped. `pairs` is NULL for a method
 * without single pairs. */
int pcf_compute_tiles(const struct pcf_cpu_run *run, const struct pcf_block *block,
                      struct pcf_cpu_worker *worker, pcf_tile_kernel *kernel,
                      pcf_tile_sides *sides, pcf_tile_pairs *pairs);
