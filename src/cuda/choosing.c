#include "cuda/choosing.h"

#include "base/memory.h"
#include "pruning/pruning.h"

#include <math.h>

/* The functions of so many bands are compared with each other before there are limits: enough
 * to give good ones, and a small part of a block. */
static int near_bands(const struct pcf_block *block) {
  enum { MOST = 32, PARTS = 8 };
  int64_t bands = block->rows / PCF_CUDA_CHOSEN_SIDE / PARTS;
  return bands < 1 ? 1 : bands < MOST ? (int)bands : MOST;
}

/* Copies the label that all functions of each band have, or NaN. */
static enum pcf_status copy_labels(struct pcf_cuda_choice *choice,
                                   struct pcf_cuda_uplink *uplink, struct pcf_error *error) {
  const int32_t *label = pcf_cuda_selection_of(choice->run)->label;
  int64_t bands = choice->run->bounds.bands, count = choice->run->bounds.count;
  enum pcf_status status = PCF_OK;
  if (!label) return PCF_OK;
  size_t bytes = (size_t)bands * sizeof(double);
  double *of_band = pcf_allocate((size_t)bands, sizeof *of_band, error);
  if (!of_band) return PCF_ERROR_MEMORY;
  for (int64_t i = 0; i < count; i++) {
    double *of = &of_band[i / PCF_BAND_POINTS];
    if (i % PCF_BAND_POINTS == 0) *of = label[i];
    else if (*of != label[i]) *of = NAN;
  }
  void *there = pcf_cuda_allocate(choice->memory, bytes, &status, error);
  choice->of.label = there;
  if (!status) status = pcf_cuda_send_array(uplink, there, of_band, bytes, error);
  status = pcf_cuda_arrive(uplink, status, error);
  pcf_free(of_band);
  return status;
}

/* Copies the bounds of one side. */
static enum pcf_status copy_points(const struct pcf_cuda_choice *choice,
                                   const struct pcf_byte_bounds *bounds, const float *point,
                                   struct pcf_cuda_byte_points *points,
                                   struct pcf_cuda_uplink *uplink, struct pcf_error *error) {
  size_t bands = (size_t)bounds->bands, each = (size_t)bounds->words * sizeof *bounds->word;
  enum { ARRAYS = 5 };
  const void *from[ARRAYS] = {bounds->word, bounds->least, bounds->most, bounds->slack, point};
  size_t bytes[ARRAYS] = {bands * PCF_BAND_POINTS * each, bands * each, bands * each,
                          2 * bands * sizeof *bounds->slack,
                          bands * PCF_BAND_POINTS * each * sizeof *point};
  void *to[ARRAYS];
  enum pcf_status status = PCF_OK;
  for (int k = 0; k < ARRAYS; k++) {
    to[k] = pcf_cuda_allocate(choice->memory, bytes[k], &status, error);
  }
  for (int k = 0; k < ARRAYS && !status; k++) {
    status = pcf_cuda_send_array(uplink, to[k], from[k], bytes[k], error);
  }
  *points = (struct pcf_cuda_byte_points){.word = to[0],
                                          .least = to[1],
                                          .most = to[2],
                                          .slack = to[3],
                                          .coordinate_slack = (float *)to[3] + bands,
                                          .point = to[4]};
  return pcf_cuda_arrive(uplink, status, error);
}

enum pcf_status pcf_cuda_choice_open(struct pcf_cuda_choice *choice,
                                     struct pcf_cuda_uplink *uplink, struct pcf_error *error) {
  const struct pcf_byte_bounds *bounds = &choice->run->bounds,
                               *columns = &choice->run->column_bounds;
  const struct pcf_bounds *points = choice->run->pairs->pruner->bounds;
  struct pcf_cuda_choosing *of = &choice->of;
  *of = (struct pcf_cuda_choosing){.words = bounds->words,
                                   .squares = bounds->squares,
                                   .step = (float)bounds->step * (1 + 0x1p-20f),
                                   .unit = bounds->unit,
                                   .smallest = bounds->smallest};
  enum pcf_status status =
    copy_points(choice, bounds, points->x.point, &of->of_rows, uplink, error);
  of->of_columns = of->of_rows;
  if (!status && columns->words) {
    status = copy_points(choice, columns, points->y.point, &of->of_columns, uplink, error);
  }
  return status ? status : copy_labels(choice, uplink, error);
}

enum pcf_status pcf_cuda_tiles_found_open(struct pcf_cuda_tiles_found *found,
                                          const struct pcf_cuda_choice *choice,
                                          struct pcf_error *error) {
  size_t bands = (size_t)pcf_band_count(choice->run->side, PCF_CUDA_CHOSEN_SIDE);
  enum pcf_status status = PCF_OK;
  found->tile = pcf_cuda_allocate(choice->memory, 2 * (1 + bands * bands) * sizeof *found->tile,
                                  &status, error);
  return status;
}

/* Tiles and pairs that are left out; of pairs, those of whole tiles are counted. */
static void count(const struct pcf_cuda_run *run, const struct pcf_block *block, int near,
                  int64_t chosen) {
  enum { SIDE = PCF_CUDA_CHOSEN_SIDE };
  struct pcf_left_out *counts = run->pairs->pruner->left_out;
  int triangle = pcf_cuda_is_triangle(run, block);
  int64_t rows = pcf_band_count(block->rows, SIDE);
  int64_t columns = pcf_band_count(block->columns, SIDE);
  int64_t tiles = triangle ? rows * (rows + 1) / 2 : rows * columns;
  int64_t looked_at = near ? 0 : tiles, left_out = (near ? 0 : tiles) - chosen;
  atomic_fetch_add(&counts->looked_at, looked_at * SIDE * SIDE);
  atomic_fetch_add(&counts->pairs, left_out * SIDE * SIDE);
  atomic_fetch_add(&counts->rectangles, left_out);
}

/* The counts lie before the tiles, of which those of the rough list are behind the others. */
enum pcf_status pcf_cuda_choice_find(struct pcf_cuda_choice *choice,
                                     const struct pcf_block *block, int near,
                                     const struct pcf_cuda_limits *limits,
                                     struct pcf_cuda_tiles_found *found, cudaStream_t stream,
                                     struct pcf_error *error) {
  struct pcf_cuda_choosing *of = &choice->of;
  of->row_limit = limits->row;
  of->column_limit = limits->column;
  of->row = block->row;
  of->column = block->column;
  of->rows = (int)block->rows;
  of->columns = (int)block->columns;
  of->triangle = pcf_cuda_is_triangle(choice->run, block);
  of->near = near;
  of->near_bands = choice->run->keeps_lists ? near_bands(block) : 0;
  int64_t tiles = pcf_band_count(block->rows, PCF_CUDA_CHOSEN_SIDE) *
                  pcf_band_count(block->columns, PCF_CUDA_CHOSEN_SIDE);
  of->chosen = (struct pcf_cuda_tile_list){found->tile, found->tile + PCF_CUDA_COUNTS};
  of->rough = (struct pcf_cuda_tile_list){found->tile + 1, of->chosen.tile + tiles};
  cudaError_t code =
    cudaMemsetAsync(found->tile, 0, PCF_CUDA_COUNTS * sizeof *found->tile, stream);
  if (!code) code = pcf_cuda_choose(choice->run->pairs->integral.precision, of, stream);
  if (!code) {
    code = cudaMemcpyAsync(&found->count, of->chosen.count, sizeof found->count,
                           cudaMemcpyDeviceToHost, stream);
  }
  if (!code) code = cudaStreamSynchronize(stream);
  if (!code) count(choice->run, block, near, found->count);
  return pcf_cuda_check(choice->memory, code, "choosing tiles", error);
}
