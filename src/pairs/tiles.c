#include "pairs/tiles.h"

#include "base/memory.h"

#include <string.h>
#include <unistd.h>

const int pcf_widths[PCF_WIDTHS] = {32, 64, 128, 256};

/* ---- Widths ---- */

/* Do so many accumulators a pair fit in the second-level cache? */
static int fits_cache(int width, size_t sums, const struct pcf_integral *integral) {
  long cache = 1 << 20;
#ifdef _SC_LEVEL2_CACHE_SIZE
  long size = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (size > 0) cache = size;
#endif
  size_t bytes = sums * (size_t)width * (size_t)width * pcf_scalar_size(integral->precision);
  return bytes <= (size_t)cache;
}

struct pcf_estimate pcf_best_width(const struct pcf_pairs *pairs, int forced, int threads,
                                   size_t sums, pcf_width_seconds *seconds_of) {
  struct pcf_estimate best = {INFINITY, pcf_widths[0]};
  if (pairs->request.mode == PCF_PAIRED) return best;
  for (int k = 0; k < PCF_WIDTHS; k++) {
    int width = pcf_widths[k];
    if (forced && forced != width) continue;
    if (k && !forced && !fits_cache(width, sums, &pairs->integral)) break;
    double seconds = seconds_of(pairs, width, threads);
    if (seconds < best.seconds) best = (struct pcf_estimate){seconds, width};
  }
  return best;
}

/* ---- Sides ---- */

struct making {
  const struct pcf_cpu_run *run;
  const struct pcf_sides *sides;
  int64_t row_bands;
  pcf_band_maker *make;
  struct pcf_band_scratch *scratch; /* one a thread */
};

static enum pcf_status make_band(void *making_, int thread, int64_t index,
                                 struct pcf_error *error) {
  const struct making *making = making_;
  const struct pcf_request *request = &making->run->pairs->request;
  int of_y = index >= making->row_bands;
  const struct pcf_collection *x = of_y ? request->y : request->x;
  int64_t width = making->run->width,
          first = width * (of_y ? index - making->row_bands : index);
  return making->make(making->run, x, first, (int)pcf_smaller(x->count - first, width),
                      &making->scratch[thread],
                      making->sides->band + (size_t)index * making->sides->size, error);
}

enum pcf_status pcf_sides_make(struct pcf_sides *sides, const struct pcf_cpu_run *run,
                               size_t size, pcf_band_maker *make, struct pcf_error *error) {
  const struct pcf_request *request = &run->pairs->request;
  size_t threads = (size_t)run->threads;
  int64_t rows = pcf_band_count(request->x->count, run->width);
  int64_t bands = rows + (request->y ? pcf_band_count(request->y->count, run->width) : 0);
  *sides = (struct pcf_sides){.size = size, .first_column = request->y ? rows : 0};
  struct making making = {.run = run, .sides = sides, .row_bands = rows, .make = make};
  making.scratch = pcf_zeros(&sides->arrays, threads, sizeof *making.scratch, error);
  sides->band = pcf_zeros(&sides->arrays, (size_t)bands, size, error);
  if (sides->arrays.status) return PCF_ERROR_MEMORY;
  sides->bands = bands;
  enum pcf_status status =
    pcf_parallel_for(run->threads, bands, run->task->stop, make_band, &making, error);
  for (size_t t = 0; t < threads; t++) pcf_band_scratch_free(&making.scratch[t]);
  return status;
}

void pcf_sides_free(struct pcf_sides *sides, pcf_band_freer *free_band) {
  for (int64_t b = 0; b < sides->bands; b++) free_band(sides->band + (size_t)b * sides->size);
  pcf_arrays_free(&sides->arrays);
}

/* ---- Blocks ---- */

/* The largest side of a block. A sink that leaves out pairs leaves out more after every block:
 * so its blocks are small, and there are as many as take little memory. */
static double most_block_side(const struct pcf_cpu_run *run) {
  enum { MOST = 512, LEAST = 64, BLOCKS_ALONG = 400 };
  const struct pcf_task *task = run->task;
  if (task->preferences.side) return (double)task->preferences.side;
  if (!(run->pairs->wanted < 1)) return MOST;
  double side = (double)(task->rows.count + task->columns.count) / (2 * BLOCKS_ALONG);
  return fmax(LEAST, fmin(side, MOST));
}

/* Blocks are whole tiles. They are small enough to stay in a cache of the usual size and many
 * enough to keep all threads busy to the end. */
static int64_t block_side(const struct pcf_cpu_run *run) {
  const struct pcf_task *task = run->task;
  int64_t width = run->width, side = task->settings.block_side;
  if (!side) {
    double elements = (double)task->rows.count * (double)task->columns.count;
    struct pcf_block_limits limits = {.splits_hint = 32 * (int64_t)run->threads,
                                      .min_block_side = width};
    double largest = most_block_side(run);
    double most = (double)limits.splits_hint * largest * largest;
    limits.max_output_elements = (int64_t)fmin(elements, most);
    side = pcf_block_side(&limits, task->rows.count, task->columns.count);
  }
  int64_t rows = task->rows.count, columns = task->columns.count;
  int64_t longest = rows > columns ? rows : columns; /* however large a side was asked for */
  if (side > longest) side = longest;
  return pcf_band_count(side > 1 ? side : 1, width) * width;
}

/* Blocks as the sink likes them, of about as many pairs as a square has. Tall ones have 16 MB
 * at most, and 512 MB together, since every thread has one. */
static void block_shape(const struct pcf_cpu_run *run, int64_t *rows, int64_t *columns) {
  enum { MOST_BYTES = 1 << 24, MOST_TOGETHER = 1 << 29 };
  const struct pcf_task *task = run->task;
  int64_t side = block_side(run), width = run->width;
  int64_t tall = task->settings.block_side ? 1 : task->preferences.tall;
  pcf_schedule_tall_shape(side, tall, width, rows, columns);
  int64_t scalar = (int64_t)pcf_scalar_size(run->pairs->integral.precision);
  int64_t bytes = pcf_smaller(MOST_TOGETHER / run->threads, MOST_BYTES);
  int64_t most = bytes / (*columns * scalar) / width * width;
  if (tall > 1 && *rows > most) *rows = most > width ? most : width;
}

enum pcf_status pcf_schedule_tiles(struct pcf_cpu_run *run, struct pcf_schedule *schedule,
                                   struct pcf_error *error) {
  const struct pcf_task *task = run->task;
  int64_t rows, columns;
  block_shape(run, &rows, &columns);
  enum pcf_status status = pcf_schedule_rectangles(schedule, task->mode, &task->rows,
                                                   &task->columns, rows, columns, error);
  schedule->tile = run->width;
  if (status) return status;
  return pcf_schedule_order(schedule, task->preferences.order, task->mode, error);
}

/* The width of a tile at `first`, within a side that begins there or before. */
static int64_t tile_length(const struct pcf_cpu_run *run, int64_t first, int64_t end) {
  return end - first < run->width ? end - first : run->width;
}

/* The output of the pair (i, j). */
static char *output_at(const struct pcf_cpu_run *run, const struct pcf_block *block, int64_t i,
                       int64_t j, const struct pcf_cpu_worker *worker) {
  size_t scalar = pcf_scalar_size(run->pairs->integral.precision);
  return (char *)worker->output +
         (size_t)(i - block->row + block->rows * (j - block->column)) * scalar;
}

/* Makes the pairs of a rectangle NaN: they are left out. */
static void leave_out(const struct pcf_cpu_run *run, const struct pcf_block *block,
                      const struct pcf_rectangle *of, const struct pcf_cpu_worker *worker) {
  size_t scalar = pcf_scalar_size(run->pairs->integral.precision);
  for (int64_t c = 0; c < of->columns; c++) {
    memset(output_at(run, block, of->row, of->column + c, worker), 0xff,
           (size_t)of->rows * scalar);
  }
}

/* Lists the pairs of a tile that may not be left out, if they are few, and leaves out the
 * others. Returns how many there are, or more than are computed one by one. Where little is
 * wanted most blocks are empty: nothing is written before the first tile that is not. */
static int64_t find_wanted(const struct pcf_cpu_run *run, const struct pcf_block *block,
                           const struct pcf_rectangle *tile, int triangle,
                           struct pcf_cpu_worker *worker) {
  int64_t wanted = run->most + 1, first = worker->empty;
  if (!triangle) wanted = pcf_pairs_find(run->pairs, tile, run->most, worker->position);
  if (!wanted && first) return 0;
  worker->empty = 0;
  if (first && (tile->row > block->row || tile->column > block->column)) {
    struct pcf_rectangle before = {block->row, block->rows, block->column,
                                   tile->column + tile->columns - block->column};
    leave_out(run, block, &before, worker);
  } else if (wanted <= run->most) {
    leave_out(run, block, tile, worker);
  }
  return wanted;
}

int pcf_compute_tiles(const struct pcf_cpu_run *run, const struct pcf_block *block,
                      struct pcf_cpu_worker *worker, pcf_tile_kernel *kernel,
                      pcf_tile_sides *sides, pcf_tile_pairs *pairs) {
  int64_t width = run->width;
  worker->complete = worker->empty = 1;
  for (int64_t j = block->column; j < block->column + block->columns; j += width) {
    for (int64_t i = block->row; i < block->row + block->rows; i += width) {
      int half = run->task->mode != PCF_FULL, triangle = half && i == j;
      if (half && i < j) continue;
      struct pcf_rectangle place = {i, tile_length(run, i, block->row + block->rows), j,
                                    tile_length(run, j, block->column + block->columns)};
      int64_t wanted = find_wanted(run, block, &place, triangle, worker);
      if (wanted == 0) continue;
      struct pcf_tile tile =
        pcf_tile_of(run, worker, output_at(run, block, i, j, worker), block->rows);
      tile.triangle = triangle;
      int stopped;
      if (wanted <= run->most) {
        stopped = pairs(run, i, j, &tile, worker->position, wanted);
      } else {
        sides(run, i / width, j / width, &tile);
        stopped = kernel(&tile);
      }
      if (stopped) return 1;
    }
  }
  return 0;
}
