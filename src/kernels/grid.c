#include "kernels/grid.h"

#include "base/memory.h"
#include "integrals/view.h"

#include <math.h>
#include <string.h>

/* The union while it grows: merging writes from one array into the other. */
struct growing {
  int64_t points, limit;
  double *time, *spare;
};

static int add_collection(struct growing *grid, const struct pcf_collection *x,
                          const struct pcf_integral *integral);
static int add_function(struct growing *grid, const struct pcf_view *view);
static void write_function(const struct pcf_grid *grid, const struct pcf_view *view,
                           const struct pcf_integral *integral, int lane, int width,
                           struct pcf_panel *panel);
static void write_value(double value, enum pcf_precision precision, int64_t row, int lane,
                        int width, struct pcf_panel *panel);

enum pcf_status pcf_grid_find(struct pcf_grid *grid, const struct pcf_collection *x,
                              const struct pcf_collection *y,
                              const struct pcf_integral *integral, int64_t limit,
                              struct pcf_error *error) {
  *grid = (struct pcf_grid){.rows = pcf_family_of(x->linear).rows};
  if (limit < 1) return PCF_OK;
  double *memory = pcf_allocate((size_t)limit, 2 * sizeof *memory, error);
  if (!memory) return PCF_ERROR_MEMORY;
  struct growing growing = {0, limit, memory, memory + limit};
  if (integral->from > -INFINITY) growing.time[growing.points++] = integral->from;
  int fits =
    add_collection(&growing, x, integral) && (!y || add_collection(&growing, y, integral));
  if (fits && growing.points == 0) { /* all functions are 0 up to the end of the window */
    growing.time[growing.points++] = integral->to < INFINITY ? integral->to : 0;
  }
  if (!fits) {
    pcf_free(memory);
    return PCF_OK;
  }
  memmove(memory, growing.time, (size_t)growing.points * sizeof *memory);
  grid->points = growing.points;
  grid->time = memory;
  return PCF_OK;
}

void pcf_grid_free(struct pcf_grid *grid) {
  pcf_free(grid->time);
  *grid = (struct pcf_grid){0};
}

void pcf_grid_lengths(const struct pcf_grid *grid, const struct pcf_integral *integral,
                      int width, void *lengths) {
  for (int64_t row = 0; row < pcf_grid_rows(grid); row++) {
    double length = pcf_grid_length(grid, integral, row / grid->rows);
    if (isinf(length)) length = 0;
    for (int64_t at = row * width; at < (row + 1) * width; at++) {
      pcf_store_scalar(lengths, at, length, integral->precision);
    }
  }
}

double pcf_grid_end(const struct pcf_grid *grid, const struct pcf_integral *integral,
                    int64_t g) {
  return g + 1 < grid->points ? grid->time[g + 1] : integral->to;
}

/* A supremum is that of all stretches whose length is not 0, even rounded. */
double pcf_grid_length(const struct pcf_grid *grid, const struct pcf_integral *integral,
                       int64_t g) {
  double end = pcf_grid_end(grid, integral, g), length = end - grid->time[g];
  if (!integral->weight || pcf_is_supremum(integral->operation) || isinf(length)) return length;
  return length * pcf_height_until(integral->weight, end, PCF_DOUBLE);
}

enum pcf_status pcf_panel_make(struct pcf_panel *panel, const struct pcf_grid *grid,
                               const struct pcf_collection *x,
                               const struct pcf_integral *integral, int64_t first, int count,
                               int width, struct pcf_error *error) {
  size_t rows = (size_t)pcf_grid_rows(grid), values = rows * (size_t)width;
  size_t scalar = pcf_scalar_size(integral->precision), words = rows * pcf_known_words(width);
  struct pcf_integral exact = *integral; /* times of the grid are not rounded */
  exact.precision = PCF_DOUBLE;
  *panel = (struct pcf_panel){.count = count, .complete = 1};
  panel->values = pcf_zeros(&panel->arrays, values, scalar, error);
  if (!panel->values) return PCF_ERROR_MEMORY;
  if (pcf_is_partial_form(integral->operation)) {
    panel->lengths = pcf_array(&panel->arrays, values, scalar, error);
    panel->known = pcf_array(&panel->arrays, words, sizeof *panel->known, error);
    if (panel->arrays.status) return PCF_ERROR_MEMORY;
    pcf_grid_lengths(grid, integral, width, panel->lengths);
    memset(panel->known, 0xff, words * sizeof *panel->known);
  }
  for (int lane = 0; lane < count; lane++) {
    struct pcf_view view = pcf_view_of(x, first + lane, &exact);
    write_function(grid, &view, integral, lane, width, panel);
  }
  return PCF_OK;
}

void pcf_panel_free(void *panel) {
  pcf_arrays_free(&((struct pcf_panel *)panel)->arrays);
}

/* A line without an end is constant, and has no middle. */
static void write_function(const struct pcf_grid *grid, const struct pcf_view *view,
                           const struct pcf_integral *integral, int lane, int width,
                           struct pcf_panel *panel) {
  const double half_over_root_3 = 0.5 / sqrt(3);
  enum pcf_precision precision = integral->precision;
  double value = view->initial, slope = view->initial_slope, since = grid->time[0];
  double next = view->events ? pcf_view_time(view, 0) : INFINITY;
  int64_t k = 0, row = 0;
  for (int64_t g = 0; g < grid->points; g++) {
    double now = grid->time[g];
    if (next == now) {
      value = pcf_view_value(view, k);
      slope = pcf_view_slope(view, k++, PCF_DOUBLE);
      since = now;
      next = k < view->events ? pcf_view_time(view, k) : INFINITY;
    }
    double middle = value;
    if (grid->rows == 2) {
      double length = slope != 0 ? pcf_grid_end(grid, integral, g) - now : 0;
      double rise = isnan(value) ? value : slope * length;
      middle = value + slope * (now - since) + rise / 2;
      write_value(rise * half_over_root_3, precision, row++, lane, width, panel);
    }
    write_value(middle, precision, row++, lane, width, panel);
  }
}

/* In a partial form all values are known before. */
static void write_value(double value, enum pcf_precision precision, int64_t row, int lane,
                        int width, struct pcf_panel *panel) {
  int64_t at = row * width + lane;
  if (panel->known && isnan(value)) {
    size_t word = (size_t)row * pcf_known_words(width) + (size_t)(lane / PCF_CELL_LANES);
    panel->known[word] &= ~((uint64_t)1 << lane % PCF_CELL_LANES);
    pcf_store_scalar(panel->lengths, at, 0, precision);
    panel->complete = 0;
    value = 0;
  }
  pcf_store_scalar(panel->values, at, value, precision);
}

/* Functions on a shared grid often have the very same times: these are recognised without
 * merging. */
static int add_collection(struct growing *grid, const struct pcf_collection *x,
                          const struct pcf_integral *integral) {
  struct pcf_view known = {.events = -1};
  for (int64_t i = 0; i < x->count; i++) {
    struct pcf_view view = pcf_view_of(x, i, integral);
    size_t bytes = (size_t)view.events * sizeof *view.time;
    if (view.events == known.events && memcmp(view.time, known.time, bytes) == 0) continue;
    if (!add_function(grid, &view)) return 0;
    known = view;
  }
  return 1;
}

/* Merges the times of a function into the grid; returns 0 if it would pass its limit. */
static int add_function(struct growing *grid, const struct pcf_view *view) {
  int64_t g = 0, k = 0, out = 0;
  while (g < grid->points || k < view->events) {
    double next = k < view->events ? pcf_view_time(view, k) : INFINITY;
    double here = g < grid->points ? grid->time[g] : INFINITY;
    if (out == grid->limit) return 0;
    grid->spare[out++] = here < next ? here : next;
    g += here <= next;
    k += next <= here;
  }
  double *swap = grid->time;
  grid->time = grid->spare;
  grid->spare = swap;
  grid->points = out;
  return 1;
}
