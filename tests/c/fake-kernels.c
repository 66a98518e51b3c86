/* The kernels of the CUDA device as the host calls them, for L1 and inner products: plain loops
 * over what lies in the memory of the fake device, in the kernels' own form. */
#include "fake-cuda.h"

#include "cuda/kernels.h"

#include <math.h>
#include <stdlib.h>

const int pcf_cuda_architectures[] = {800, 900, 0};

cudaError_t pcf_cuda_load_kernel(void) {
  return fake_cuda_step();
}

/* ---- Taking functions ---- */

struct taken {
  struct pcf_cuda_taking taking;
  enum pcf_precision precision;
};

static void take(const void *taken_) {
  const struct taken *taken = taken_;
  const struct pcf_cuda_taking *taking = &taken->taking;
  for (int64_t i = 0; i < taking->count; i++) {
    int exponent = taking->exponents ? taking->exponents[i] : taking->value_exponent;
    for (int64_t e = taking->start[i]; e < taking->start[i + 1]; e++) {
      int64_t from = taking->source[i] + e - taking->start[i];
      double value = ldexp(taking->from.value[from], -exponent);
      if (taking->missing_is_0 && isnan(value)) value = 0;
      double time = ldexp(taking->from.time[from] - taking->origin, -taking->time_exponent);
      pcf_store_scalar(taking->time, e, time, taken->precision);
      pcf_store_scalar(taking->value, e, value, taken->precision);
    }
  }
}

cudaError_t pcf_cuda_take(enum pcf_precision precision, const struct pcf_cuda_taking *taking,
                          cudaStream_t stream) {
  struct taken taken = {*taking, precision};
  return fake_cuda_put(stream, take, &taken, sizeof taken);
}

/* ---- Bands ---- */

struct building {
  struct pcf_cuda_bands bands;
  struct pcf_cuda_functions functions;
  const void *slice_time;
  enum pcf_precision precision;
};

struct placed {
  double time;
  int64_t function, at;
};

static int by_time(const void *a, const void *b) {
  const struct placed *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static void write_event(const struct building *b, int64_t e, const struct placed *from) {
  const struct pcf_cuda_functions *functions = &b->functions;
  int begins = from->at == functions->start[from->function];
  const double scalars[] = {
    from->time,
    begins ? pcf_load_scalar(b->slice_time, 0, b->precision)
           : pcf_load_scalar(functions->time, from->at - 1, b->precision),
    begins ? pcf_load_scalar(functions->initial, from->function, b->precision)
           : pcf_load_scalar(functions->value, from->at - 1, b->precision),
    pcf_load_scalar(functions->value, from->at, b->precision)};
  for (int k = 0; k < 4; k++) {
    pcf_store_scalar(b->bands.events, 4 * e + k, scalars[k], b->precision);
  }
  b->bands.lane[e] = (unsigned char)(from->function % b->bands.side);
}

/* Events first … of one band, and where its slices begin. */
static void build_band(const struct building *b, int64_t band) {
  const struct pcf_cuda_functions *functions = &b->functions;
  int64_t side = b->bands.side, first = band * side, end = first + side;
  if (end > functions->count) end = functions->count;
  int64_t begin = functions->start[first], count = functions->start[end] - begin;
  struct placed *placed = malloc((size_t)(count + 1) * sizeof *placed);
  for (int64_t i = first; i < end; i++) {
    for (int64_t at = functions->start[i]; at < functions->start[i + 1]; at++) {
      placed[at - begin] =
        (struct placed){pcf_load_scalar(functions->time, at, b->precision), i, at};
    }
  }
  qsort(placed, (size_t)count, sizeof *placed, by_time);
  for (int64_t e = 0; e < count; e++) write_event(b, begin + e, &placed[e]);
  for (int64_t s = 0, e = 0; s < b->bands.slices; s++) {
    while (s && e < count && placed[e].time < pcf_load_scalar(b->slice_time, s, b->precision))
      e++;
    b->bands.start[band * b->bands.slices + s] = begin + e;
  }
  free(placed);
}

static void build(const void *building) {
  const struct building *b = building;
  int64_t bands = (b->bands.count + b->bands.side - 1) / b->bands.side;
  for (int64_t band = 0; band < bands; band++) build_band(b, band);
  b->bands.start[bands * b->bands.slices] = b->functions.breakpoints;
  for (int64_t i = 0; i < b->bands.count; i++) {
    pcf_store_scalar(b->bands.initial, i,
                     pcf_load_scalar(b->functions.initial, i, b->precision), b->precision);
  }
}

cudaError_t pcf_cuda_build_bands(struct pcf_cuda_bands *bands,
                                 const struct pcf_integral *integral,
                                 const struct pcf_cuda_functions *functions,
                                 const void *slice_time, void *scratch, size_t *scratch_bytes,
                                 cudaStream_t stream) {
  struct building b = {*bands, *functions, slice_time, integral->precision};
  *scratch_bytes = (size_t)functions->breakpoints * 24 + 256;
  return scratch ? fake_cuda_put(stream, build, &b, sizeof b) : cudaSuccess;
}

/* ---- The sweep ---- */

struct sweep {
  struct pcf_cuda_tiles tiles;
  enum pcf_operation operation;
  enum pcf_precision precision;
};

/* The next event of one function of a band. */
struct walk {
  const struct pcf_cuda_bands *bands;
  enum pcf_precision precision;
  int64_t next, end;
  int lane;
  double value;
};

static void find_next(struct walk *walk) {
  while (walk->next < walk->end && walk->bands->lane[walk->next] != walk->lane) walk->next++;
}

static struct walk start_walk(const struct pcf_cuda_bands *bands, int64_t i,
                              enum pcf_precision precision) {
  int64_t band = i / bands->side;
  struct walk walk = {.bands = bands, .precision = precision, .lane = (int)(i % bands->side)};
  walk.next = bands->start[band * bands->slices];
  walk.end = bands->start[(band + 1) * bands->slices];
  walk.value = pcf_load_scalar(bands->initial, i, precision);
  find_next(&walk);
  return walk;
}

static double time_of(const struct walk *walk) {
  if (walk->next == walk->end) return INFINITY;
  return pcf_load_scalar(walk->bands->events, 4 * walk->next, walk->precision);
}

static void step(struct walk *walk) {
  walk->value = pcf_load_scalar(walk->bands->events, 4 * walk->next + 3, walk->precision);
  walk->next++;
  find_next(walk);
}

static double height_until(const struct pcf_cuda_weight *weight, double time,
                           enum pcf_precision precision) {
  int piece = 0;
  if (weight->pieces == 0) return 1;
  while (pcf_load_scalar(weight->end, piece, precision) < time) piece++;
  return pcf_load_scalar(weight->height, piece, precision);
}

static double integral_of(enum pcf_operation operation, struct walk f, struct walk g,
                          double now, double to) {
  double sum = 0;
  for (;;) {
    double next = fmin(fmin(time_of(&f), time_of(&g)), to);
    double height = pcf_combine(operation, f.value, g.value);
    if (height != 0) {
      sum += (next - now) * height * height_until(&f.bands->weight, next, f.precision);
    }
    now = next;
    if (now == to) return sum;
    if (time_of(&f) == now) step(&f);
    else step(&g);
  }
}

static void sweep(const void *sweep_) {
  const struct sweep *s = sweep_;
  const struct pcf_cuda_tiles *tiles = &s->tiles;
  double from = pcf_load_scalar(tiles->slice_time, 0, s->precision);
  for (int64_t j = tiles->first_column; j < tiles->last_column; j++) {
    for (int64_t i = tiles->first_row; i < tiles->last_row; i++) {
      if (tiles->triangle && j > i) continue;
      struct walk f = start_walk(&tiles->rows, i, s->precision);
      struct walk g = start_walk(&tiles->columns, j, s->precision);
      int64_t at = i - tiles->first_row + tiles->stride * (j - tiles->first_column);
      pcf_store_scalar(tiles->output, at, integral_of(s->operation, f, g, from, tiles->to),
                       s->precision);
    }
  }
}

cudaError_t pcf_cuda_sweep(const struct pcf_cuda_policy *policy,
                           const struct pcf_integral *integral,
                           const struct pcf_cuda_tiles *tiles, cudaStream_t stream) {
  struct sweep s = {*tiles, integral->operation, integral->precision};
  if (tiles->row_bands == 0) return cudaErrorInvalidValue;
  return fake_cuda_put(stream, sweep, &s, sizeof s);
}

/* ---- The grid ---- */

struct expanding {
  struct pcf_cuda_expansion expansion;
  enum pcf_precision precision;
};

static void expand(const void *expanding_) {
  const struct expanding *e = expanding_;
  const struct pcf_cuda_expansion *to = &e->expansion;
  const struct pcf_cuda_functions *functions = &to->functions;
  for (int64_t i = 0; i < functions->count; i++) {
    int64_t next = functions->start[i];
    double value = pcf_load_scalar(functions->initial, i, e->precision);
    for (int64_t g = 0; g < to->points; g++) {
      double time = pcf_load_scalar(to->grid, g, e->precision);
      for (; next < functions->start[i + 1]; next++) {
        if (pcf_load_scalar(functions->time, next, e->precision) > time) break;
        value = pcf_load_scalar(functions->value, next, e->precision);
      }
      if (g < to->stretches) {
        double factor = to->factor ? pcf_load_scalar(to->factor, g, e->precision) : 1;
        pcf_store_scalar(to->panel.values, g * to->panel.padded + i, value * factor,
                         e->precision);
      }
    }
    pcf_store_scalar(to->panel.last, i, value, e->precision);
  }
}

cudaError_t pcf_cuda_expand(const struct pcf_integral *integral,
                            const struct pcf_cuda_expansion *expansion, cudaStream_t stream) {
  struct expanding e = {*expansion, integral->precision};
  return fake_cuda_put(stream, expand, &e, sizeof e);
}

struct cells {
  struct pcf_cuda_cells cells;
  enum pcf_operation operation;
  enum pcf_precision precision;
};

static void compute_cells(const void *cells_) {
  const struct cells *c = cells_;
  const struct pcf_cuda_cells *cells = &c->cells;
  for (int64_t j = cells->first_column; j < cells->last_column; j++) {
    for (int64_t i = cells->first_row; i < cells->last_row; i++) {
      double sum = 0;
      for (int64_t g = 0; g < cells->stretches; g++) {
        double a =
          pcf_load_scalar(cells->rows.values, g * cells->rows.padded + i, c->precision);
        double b =
          pcf_load_scalar(cells->columns.values, g * cells->columns.padded + j, c->precision);
        double length =
          c->operation == PCF_INNER ? 1 : pcf_load_scalar(cells->lengths, g, c->precision);
        sum += length * pcf_combine(c->operation, a, b);
      }
      if (cells->unbounded) {
        double a = pcf_load_scalar(cells->rows.last, i, c->precision);
        double b = pcf_load_scalar(cells->columns.last, j, c->precision);
        sum = pcf_add_tail(c->operation, sum, INFINITY, a, b, 0);
      }
      int64_t at = i - cells->first_row + cells->stride * (j - cells->first_column);
      pcf_store_scalar(cells->output, at, sum, c->precision);
    }
  }
}

cudaError_t pcf_cuda_grid(const struct pcf_integral *integral,
                          const struct pcf_cuda_cells *cells, cudaStream_t stream) {
  struct cells c = {*cells, integral->operation, integral->precision};
  return fake_cuda_put(stream, compute_cells, &c, sizeof c);
}

/* ---- The filter ---- */

struct picking {
  struct pcf_cuda_filter filter;
  enum pcf_precision precision;
};

/* Entries come in another order than that of the numbers, and the count stops once it is too
 * large. */
static void pick_entries(const struct picking *p) {
  const struct pcf_cuda_filter *filter = &p->filter;
  for (int64_t j = filter->columns - 1; j >= 0; j--) {
    for (int64_t i = 0; i < filter->rows; i++) {
      if (j >= i + filter->reach) continue;
      double number = pcf_load_scalar(filter->numbers, i + filter->stride * j, p->precision);
      double value = filter->sign * number;
      if (!(value <= pcf_load_scalar(filter->row_limit, i, p->precision) ||
            value <= pcf_load_scalar(filter->column_limit, j, p->precision))) {
        continue;
      }
      if (*filter->count < filter->room) {
        filter->entry[*filter->count] = (struct pcf_entry){(int32_t)i, (int32_t)j, number};
      }
      if ((*filter->count)++ >= filter->room) return;
    }
  }
}

static int comes_before(int sign, struct pcf_entry entry, struct pcf_entry than) {
  double number = sign * entry.number, other = sign * than.number;
  return isnan(than.number) || number < other ||
         (number == other && entry.column < than.column);
}

/* Puts a pair into the list of its row, which moves those after it, and sets the limit. */
static void put_into_list(const struct picking *p, struct pcf_entry entry) {
  const struct pcf_cuda_lists *lists = &p->filter.lists;
  struct pcf_entry *list = lists->entry + (int64_t)entry.row * lists->each;
  int sign = p->filter.sign, place = lists->each;
  if (lists->label && lists->label[entry.row] == lists->label[entry.column]) return;
  while (place > 0 && comes_before(sign, entry, list[place - 1])) place--;
  if (place == lists->each) return;
  for (int k = lists->each - 1; k > place; k--) list[k] = list[k - 1];
  list[place] = entry;
  pcf_store_scalar(lists->limit, entry.row, sign * list[lists->each - 1].number, p->precision);
}

static void pick_for_lists(const struct picking *p) {
  const struct pcf_cuda_filter *filter = &p->filter;
  for (int64_t j = 0; j < filter->columns; j++) {
    for (int64_t i = 0; i < filter->rows; i++) {
      double number = pcf_load_scalar(filter->numbers, i + filter->stride * j, p->precision);
      if (j >= i + filter->reach || isnan(number)) continue;
      int32_t item = filter->row + (int32_t)i, other = filter->column + (int32_t)j;
      put_into_list(p, (struct pcf_entry){item, other, number});
      if (filter->column_limit) put_into_list(p, (struct pcf_entry){other, item, number});
    }
  }
}

static void pick(const void *picking) {
  const struct picking *p = picking;
  if (p->filter.lists.each) pick_for_lists(p);
  else pick_entries(p);
}

cudaError_t pcf_cuda_pick(enum pcf_precision precision, const struct pcf_cuda_filter *filter,
                          cudaStream_t stream) {
  struct picking p = {*filter, precision};
  return fake_cuda_put(stream, pick, &p, sizeof p);
}
