#include "vectors.h"

#include "check.h"

#include "base/memory.h"
#include "base/threads.h"
#include "blocks/residency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static atomic_llong loads;
static atomic_int remains;

int64_t vector_loads(void) {
  return atomic_exchange(&loads, 0);
}

int vector_remains(void) {
  return atomic_load(&remains);
}

/* ---- Vectors ---- */

struct vectors *vectors_new(int64_t count, const int64_t *lengths) {
  struct vectors *x = zeroed(1, sizeof *x);
  x->count = count;
  x->offsets = zeroed(count + 1, sizeof *x->offsets);
  for (int64_t i = 0; i < count; i++) x->offsets[i + 1] = x->offsets[i] + lengths[i];
  x->numbers = zeroed(x->offsets[count] + 1, sizeof *x->numbers);
  return x;
}

static const struct vectors *columns_of(const struct vector_problem *problem) {
  return problem->y ? problem->y : problem->x;
}

/* ---- The family ---- */

static enum pcf_status check_numbers(const struct vectors *x, const char *name,
                                     const atomic_int *stop, struct pcf_error *error) {
  for (int64_t i = 0; i < x->count && !atomic_load(stop); i++) {
    for (int64_t k = x->offsets[i]; k < x->offsets[i + 1]; k++) {
      if (isfinite(x->numbers[k])) continue;
      return pcf_fail(error, PCF_ERROR_ARGUMENT, "vector %d of `%s` is not finite in place %d",
                      (int)i, name, (int)(k - x->offsets[i]));
    }
  }
  return PCF_OK;
}

static enum pcf_status check(void *problem_, int threads, const atomic_int *stop,
                             struct pcf_error *error) {
  const struct vector_problem *problem = problem_;
  enum pcf_status status = check_numbers(problem->x, "x", stop, error);
  return status || !problem->y ? status : check_numbers(problem->y, "y", stop, error);
}

/* Writes for every vector the least exponent e with all its numbers within ±2^e, and returns
 * the largest of them. */
static int find_exponents(const struct vectors *x, int *exponents) {
  int largest = 0;
  for (int64_t i = 0; i < x->count; i++) {
    double most = 0;
    for (int64_t k = x->offsets[i]; k < x->offsets[i + 1]; k++) {
      most = fmax(most, fabs(x->numbers[k]));
    }
    frexp(most, &exponents[i]);
    if (i == 0 || exponents[i] > largest) largest = exponents[i];
  }
  return largest;
}

static struct pcf_scale scale_of(struct vector_problem *problem) {
  const struct vectors *x = problem->x, *y = problem->y;
  int *rows = problem->exponents, *columns = rows + (y ? x->count : 0);
  int largest_row = find_exponents(x, rows);
  int largest_column = y ? find_exponents(y, columns) : largest_row;
  struct pcf_scale scale = {
    .precision = problem->precision, .factor = problem->weight, .exponent = problem->shift};
  if (problem->own_exponents) {
    scale.row_exponents = rows;
    scale.column_exponents = columns;
    return scale;
  }
  for (int64_t i = 0; i < x->count; i++) rows[i] = largest_row;
  for (int64_t i = 0; y && i < y->count; i++) columns[i] = largest_column;
  scale.exponent += largest_row + largest_column;
  return scale;
}

static enum pcf_status plan(void *problem_, const struct pcf_settings *settings,
                            const atomic_int *stop, struct pcf_task *task,
                            struct pcf_error *error) {
  struct vector_problem *problem = problem_;
  const struct vectors *x = problem->x, *y = columns_of(problem);
  size_t count = (size_t)(x->count + y->count);
  problem->exponents = pcf_allocate(count, sizeof *problem->exponents, error);
  if (!problem->exponents) return PCF_ERROR_MEMORY;
  atomic_fetch_add(&remains, 1);
  task->rows = (struct pcf_items){x->count, x->offsets};
  task->columns = (struct pcf_items){y->count, y->offsets};
  task->mode = problem->mode;
  task->pairs = problem->pairs;
  task->scale = scale_of(problem);
  return PCF_OK;
}

static void release_problem(void *problem_) {
  struct vector_problem *problem = problem_;
  if (problem->exponents) atomic_fetch_sub(&remains, 1);
  pcf_free(problem->exponents);
  problem->exponents = NULL;
}

const struct pcf_family vector_family = {
  .name = "vectors", .check = check, .plan = plan, .release = release_problem};

/* ---- Machines ---- */

struct machine {
  const char *method;
  int devices;
  double start, unit; /* seconds */
};

static const struct machine single = {"one by one", 1, 0, 1e-7};
static const struct machine fleet = {"all at once", VECTOR_DEVICES, 1e-3, 1e-9};

static enum pcf_status offer(const struct machine *machine, const void *problem_,
                             struct pcf_offer *offer) {
  const struct vector_problem *problem = problem_;
  const struct vectors *x = problem->x, *y = columns_of(problem);
  double units = (double)x->offsets[x->count] * (double)y->count +
                 (double)y->offsets[y->count] * (double)x->count;
  offer->method = machine->method;
  offer->how = machine;
  offer->seconds = machine->start + machine->unit * units;
  offer->threads = machine->devices;
  return PCF_OK;
}

static enum pcf_status offer_of_single(const void *problem, const struct pcf_settings *settings,
                                       double others, struct pcf_offer *made,
                                       struct pcf_error *error) {
  return offer(&single, problem, made);
}

static enum pcf_status offer_of_fleet(const void *problem, const struct pcf_settings *settings,
                                      double others, struct pcf_offer *made,
                                      struct pcf_error *error) {
  return offer(&fleet, problem, made);
}

/* What the devices of a run share. */
struct shared {
  const struct pcf_task *task;
  const struct vector_problem *problem;
  int devices;
  double memory;
  size_t scalar;
  struct pcf_segments segments[2]; /* of x and of y */
};

/* The rows are of x, and so are the columns where there is no y. */
static int kind_of_columns(const struct shared *shared) {
  return shared->problem->y != NULL;
}

static enum pcf_status prepare(const struct pcf_task *task, void **shared_, int *devices,
                               struct pcf_error *error) {
  const struct machine *machine = task->offer.how;
  struct shared *shared = pcf_allocate(1, sizeof *shared, error);
  *shared_ = shared;
  if (!shared) return PCF_ERROR_MEMORY;
  atomic_fetch_add(&remains, 1);
  *shared = (struct shared){.task = task,
                            .problem = task->problem,
                            .devices = machine->devices,
                            .memory = VECTOR_MEMORY,
                            .scalar = pcf_scalar_size(task->scale.precision)};
  if (task->settings.gpu_memory > 0) shared->memory = task->settings.gpu_memory;
  if (task->settings.gpus > 0 && task->settings.gpus < shared->devices) {
    shared->devices = task->settings.gpus;
  }
  *devices = shared->devices;
  return PCF_OK;
}

static void release_shared(void *shared_) {
  struct shared *shared = shared_;
  if (!shared) return;
  for (int kind = 0; kind < 2; kind++) pcf_segments_free(&shared->segments[kind]);
  pcf_free(shared);
  atomic_fetch_sub(&remains, 1);
}

/* ---- The schedule ---- */

static enum pcf_status cut_segments(struct shared *shared, int64_t side,
                                    struct pcf_error *error) {
  const struct pcf_items *items[] = {&shared->task->rows, &shared->task->columns};
  double slot_bytes = shared->memory / 2 / shared->problem->slots;
  for (int kind = 0; kind <= kind_of_columns(shared); kind++) {
    pcf_segments_free(&shared->segments[kind]);
    enum pcf_status status =
      pcf_segments_cut(&shared->segments[kind], items[kind], side, (double)shared->scalar,
                       sizeof(int64_t), slot_bytes, error);
    if (status) return status;
  }
  return PCF_OK;
}

/* A power of two of tiles, so that halves nest. */
static int64_t block_side(const struct shared *shared) {
  const struct pcf_task *task = shared->task;
  struct pcf_block_limits limits = {pcf_max_output_elements(shared->memory, shared->scalar),
                                    VECTOR_BUFFERS * shared->devices, VECTOR_TILE};
  int64_t wanted = task->settings.block_side;
  if (!wanted) wanted = pcf_block_side(&limits, task->rows.count, task->columns.count);
  int64_t side = VECTOR_TILE;
  while (side < wanted) side *= 2;
  return side;
}

static enum pcf_status order_blocks(const struct shared *shared, struct pcf_schedule *schedule,
                                    struct pcf_error *error) {
  int slots = shared->problem->slots;
  return pcf_schedule_by_segments(schedule, &shared->segments[0],
                                  &shared->segments[kind_of_columns(shared)],
                                  slots > 2 ? slots - 2 : 1, error);
}

static int one_part(const void *context, const struct pcf_block *block) {
  return 1;
}

static enum pcf_status schedule_pairs(struct shared *shared, struct pcf_schedule *schedule,
                                      struct pcf_error *error) {
  const struct pcf_task *task = shared->task;
  enum pcf_status status = cut_segments(shared, 1, error);
  if (status) return status;
  status = pcf_schedule_parts(schedule, task->mode, &task->rows, &task->columns, 1, task->pairs,
                              one_part, NULL, error);
  return status ? status : order_blocks(shared, schedule, error);
}

static enum pcf_status schedule(void *shared_, struct pcf_schedule *schedule,
                                struct pcf_error *error) {
  struct shared *shared = shared_;
  const struct pcf_task *task = shared->task;
  if (task->mode == PCF_PAIRED) return schedule_pairs(shared, schedule, error);
  int64_t side = block_side(shared);
  enum pcf_status status = cut_segments(shared, side, error);
  while (status == PCF_ERROR_DEVICE_MEMORY && side > VECTOR_TILE) {
    side = pcf_halved_side(side, VECTOR_TILE, VECTOR_TILE);
    status = cut_segments(shared, side, error);
  }
  if (status) return status;
  status = pcf_schedule_rectangles(schedule, task->mode, &task->rows, &task->columns, side,
                                   side, error);
  if (status) return status;
  schedule->tile = schedule->least_side = VECTOR_TILE;
  return order_blocks(shared, schedule, error);
}

/* Smaller blocks lie in the segments of those that they were cut from. */
static enum pcf_status reschedule(void *shared, struct pcf_schedule *schedule,
                                  struct pcf_error *error) {
  return order_blocks(shared, schedule, error);
}

/* ---- A device ---- */

/* Vectors first, first + 1, … on a device: where each begins among the numbers, which are
 * scaled, in the precision of the run. */
struct slot {
  int64_t first;
  int64_t *starts;
  void *numbers;
};

struct buffer {
  const struct pcf_block *pending; /* launched and not computed */
  int rows, columns;               /* the slots that it reads */
  void *output, *host;
  double begun, computed, copied;
};

struct device {
  const struct shared *shared;
  size_t output_bytes;
  struct pcf_slots slots;
  struct slot slot[PCF_MAX_SLOTS];
  struct buffer buffer[VECTOR_BUFFERS];
};

static void close_device(void *device_) {
  struct device *device = device_;
  if (!device) return;
  for (int s = 0; s < PCF_MAX_SLOTS; s++) {
    pcf_free(device->slot[s].starts);
    pcf_free(device->slot[s].numbers);
  }
  for (int b = 0; b < VECTOR_BUFFERS; b++) {
    pcf_free(device->buffer[b].output);
    pcf_free(device->buffer[b].host);
  }
  pcf_free(device);
  atomic_fetch_sub(&remains, 1);
}

static enum pcf_status make_slots(struct device *device, struct pcf_error *error) {
  const struct pcf_segments *segments = device->shared->segments;
  int64_t items = 0, units = 0;
  for (int kind = 0; kind < 2; kind++) {
    if (segments[kind].most_items > items) items = segments[kind].most_items;
    if (segments[kind].most_units > units) units = segments[kind].most_units;
  }
  for (int s = 0; s < device->slots.count; s++) {
    struct slot *slot = &device->slot[s];
    slot->starts = pcf_allocate((size_t)items + 1, sizeof *slot->starts, error);
    slot->numbers = pcf_allocate((size_t)units, device->shared->scalar, error);
    if (!slot->starts || !slot->numbers) return PCF_ERROR_MEMORY;
  }
  return PCF_OK;
}

static enum pcf_status open_device(void *shared, int index, int64_t elements, void **device_,
                                   struct pcf_error *error) {
  struct device *device = pcf_allocate(1, sizeof *device, error);
  *device_ = device;
  if (!device) return PCF_ERROR_MEMORY;
  atomic_fetch_add(&remains, 1);
  memset(device, 0, sizeof *device);
  device->shared = shared;
  pcf_slots_init(&device->slots, device->shared->problem->slots);
  device->output_bytes = (size_t)elements * device->shared->scalar;
  if (VECTOR_BUFFERS * (double)device->output_bytes > device->shared->memory / 2) {
    return pcf_fail(error, PCF_ERROR_DEVICE_MEMORY, "no room for blocks of %d pairs",
                    (int)elements);
  }
  for (int b = 0; b < VECTOR_BUFFERS; b++) {
    struct buffer *buffer = &device->buffer[b];
    buffer->output = pcf_allocate(device->output_bytes, 1, error);
    buffer->host = pcf_allocate(device->output_bytes, 1, error);
    if (!buffer->output || !buffer->host) return PCF_ERROR_MEMORY;
  }
  return make_slots(device, error);
}

static void bring(struct device *device, int kind, int64_t segment, struct slot *slot) {
  const struct shared *shared = device->shared;
  const struct vector_problem *problem = shared->problem;
  const struct vectors *x = kind ? problem->y : problem->x;
  const int *exponents = problem->exponents + (kind ? problem->x->count : 0);
  const int64_t *first = shared->segments[kind].first + segment;
  slot->first = first[0];
  slot->starts[0] = 0;
  for (int64_t i = first[0], to = 0; i < first[1]; i++) {
    for (int64_t k = x->offsets[i]; k < x->offsets[i + 1]; k++, to++) {
      double number = ldexp(x->numbers[k], -exponents[i]);
      pcf_store_scalar(slot->numbers, to, number, problem->precision);
    }
    slot->starts[i - first[0] + 1] = to;
  }
  atomic_fetch_add(&loads, 1);
}

/* ---- Computing ---- */

/* Of vectors i and j of two slots, in the precision of the run. */
static double dot(const struct slot *rows, int64_t i, const struct slot *columns, int64_t j,
                  enum pcf_precision precision) {
  int64_t a = rows->starts[i - rows->first], b = columns->starts[j - columns->first];
  int64_t length = rows->starts[i - rows->first + 1] - a;
  int64_t other = columns->starts[j - columns->first + 1] - b;
  double sum = 0;
  float single_sum = 0;
  if (other < length) length = other;
  for (int64_t k = 0; k < length && precision == PCF_DOUBLE; k++) {
    sum += ((const double *)rows->numbers)[a + k] * ((const double *)columns->numbers)[b + k];
  }
  for (int64_t k = 0; k < length && precision != PCF_DOUBLE; k++) {
    single_sum +=
      ((const float *)rows->numbers)[a + k] * ((const float *)columns->numbers)[b + k];
  }
  return precision == PCF_DOUBLE ? sum : (double)single_sum;
}

static int is_wanted(enum pcf_mode mode, int64_t i, int64_t j) {
  if (mode == PCF_LOWER_WITHOUT_DIAGONAL) return i > j;
  return mode == PCF_LOWER_WITH_DIAGONAL ? i >= j : 1;
}

/* What the mode does not ask for stays NaN. */
static void compute(struct device *device, struct buffer *buffer) {
  const struct pcf_task *task = device->shared->task;
  const struct pcf_block *block = buffer->pending;
  const struct slot *rows = &device->slot[buffer->rows];
  const struct slot *columns = &device->slot[buffer->columns];
  if (!block) return;
  buffer->begun = pcf_seconds();
  memset(buffer->output, 0xff, device->output_bytes);
  for (int64_t j = 0; j < block->columns; j++) {
    for (int64_t i = 0; i < block->rows; i++) {
      if (!is_wanted(task->mode, block->row + i, block->column + j)) continue;
      double x = dot(rows, block->row + i, columns, block->column + j, task->scale.precision);
      pcf_store_scalar(buffer->output, i + block->rows * j, x, task->scale.precision);
    }
  }
  buffer->computed = pcf_seconds();
  buffer->pending = NULL;
}

/* The slots that blocks in flight read. */
static unsigned slots_in_use(const struct device *device) {
  unsigned used = 0;
  for (int b = 0; b < VECTOR_BUFFERS; b++) {
    const struct buffer *buffer = &device->buffer[b];
    if (buffer->pending) used |= 1u << buffer->rows | 1u << buffer->columns;
  }
  return used;
}

/* Where blocks in flight need all slots, they come first. */
static int take_slot(struct device *device, int kind, int64_t segment, unsigned pinned) {
  int load;
  int slot =
    pcf_slots_take(&device->slots, kind, segment, pinned | slots_in_use(device), &load);
  if (slot < 0) {
    for (int b = 0; b < VECTOR_BUFFERS; b++) compute(device, &device->buffer[b]);
    slot = pcf_slots_take(&device->slots, kind, segment, pinned, &load);
  }
  if (load) bring(device, kind, segment, &device->slot[slot]);
  return slot;
}

static enum pcf_status launch(void *device_, const struct pcf_block *block, int index,
                              struct pcf_error *error) {
  struct device *device = device_;
  const struct pcf_segments *segments = device->shared->segments;
  struct buffer *buffer = &device->buffer[index];
  int kind = kind_of_columns(device->shared);
  int64_t row_segment = pcf_segment_with(&segments[0], block->row);
  int64_t column_segment = pcf_segment_with(&segments[kind], block->column);
  buffer->rows = take_slot(device, 0, row_segment, 0);
  buffer->columns = take_slot(device, kind, column_segment, 1u << buffer->rows);
  buffer->pending = block;
  return PCF_OK;
}

static enum pcf_status wait_for(void *device_, const struct pcf_block *block, int index,
                                struct pcf_finished *finished, struct pcf_error *error) {
  struct device *device = device_;
  struct buffer *buffer = &device->buffer[index];
  compute(device, buffer);
  memcpy(buffer->host, buffer->output, device->output_bytes);
  finished->begun = buffer->begun;
  finished->computed = buffer->computed;
  finished->copied = pcf_seconds();
  finished->data = buffer->host;
  finished->stride = block->rows;
  return PCF_OK;
}

/* ---- The backends ---- */

#define VECTOR_BACKEND(name_, offer_)                                               \
  {                                                                                 \
    .name = name_, .offer = offer_, .buffers = VECTOR_BUFFERS, .prepare = prepare,  \
    .schedule = schedule, .reschedule = reschedule, .release = release_shared,      \
    .open = open_device, .launch = launch, .wait = wait_for, .close = close_device, \
  }

const struct pcf_backend vector_single = VECTOR_BACKEND("single", offer_of_single);
const struct pcf_backend vector_fleet = VECTOR_BACKEND("fleet", offer_of_fleet);
