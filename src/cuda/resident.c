#include "cuda/resident.h"

#include "base/search.h"
#include "cuda-kernels/kernels.h"
#include "cuda/info.h"
#include "cuda/memory.h"
#include "cuda/upload.h"

#include <string.h>

/* The last number that a collection or a form was given. */
static atomic_llong last_number;

int64_t pcf_cuda_new_number(void) {
  return atomic_fetch_add(&last_number, 1) + 1;
}

/* The bytes that the times of a collection take in its block of memory. As many follow for its
 * values, and for the left limits of piecewise linear functions, and then there are the
 * offsets. */
static size_t bytes_of_column(const struct pcf_collection *x) {
  size_t bytes = (size_t)pcf_total_breakpoints(x) * sizeof(double);
  return (bytes / PCF_CUDA_ALIGNMENT + 1) * PCF_CUDA_ALIGNMENT;
}

static size_t bytes_of_columns(const struct pcf_collection *x) {
  return (size_t)pcf_matrix_columns(x->linear) * bytes_of_column(x);
}

static size_t bytes_of_offsets(const struct pcf_collection *x) {
  return (size_t)(x->count + 1) * sizeof *x->offsets;
}

double pcf_cuda_packed_bytes(const struct pcf_collection *x) {
  return (double)(bytes_of_columns(x) + bytes_of_offsets(x));
}

/* ---- Bringing a collection up ---- */

/* Where a column of breakpoints comes from. */
struct source {
  const struct pcf_collection *x;
  const double *(*column)(const struct pcf_collection *x, int64_t i);
};

/* Writes the column of breakpoints first … end - 1 of all functions to `to`. */
static void write_column(const void *source_, int64_t first, int64_t end, void *to_) {
  const struct source *source = source_;
  const struct pcf_collection *x = source->x;
  double *to = to_;
  for (int64_t i = pcf_segment_of(x->offsets, x->count, first);
       i < x->count && x->offsets[i] < end; i++) {
    const double *from = source->column(x, i);
    int64_t begin = x->offsets[i] > first ? x->offsets[i] : first;
    int64_t stop = x->offsets[i + 1] < end ? x->offsets[i + 1] : end;
    memcpy(to, from + (begin - x->offsets[i]), (size_t)(stop - begin) * sizeof *to);
    to += stop - begin;
  }
}

static enum pcf_status send(const struct pcf_collection *x, struct pcf_cuda_uplink *uplink,
                            char *to, struct pcf_error *error) {
  const struct source sources[] = {{x, pcf_times}, {x, pcf_values}, {x, pcf_lefts}};
  int64_t breakpoints = pcf_total_breakpoints(x);
  enum pcf_status status = pcf_cuda_send_array(uplink, to + bytes_of_columns(x), x->offsets,
                                               bytes_of_offsets(x), error);
  for (int k = 0; k < pcf_matrix_columns(x->linear) && !status; k++) {
    status = pcf_cuda_send(uplink, to + (size_t)k * bytes_of_column(x), breakpoints,
                           sizeof(double), write_column, &sources[k], error);
  }
  return pcf_cuda_arrive(uplink, status, error);
}

static void find_numbers(const struct pcf_collection *x, const char *memory,
                         struct pcf_cuda_packed *packed) {
  size_t bytes = bytes_of_column(x);
  packed->time = (const double *)memory;
  packed->value = (const double *)(memory + bytes);
  packed->left = x->linear ? (const double *)(memory + 2 * bytes) : NULL;
  packed->offsets = (const int64_t *)(memory + bytes_of_columns(x));
}

enum pcf_status pcf_cuda_pack(struct pcf_cuda_uplink *uplink, struct pcf_cuda_memory *memory,
                              const struct pcf_collection *x, struct pcf_cuda_packed *packed,
                              struct pcf_error *error) {
  enum pcf_status status = PCF_OK;
  void *block = pcf_cuda_allocate(memory, (size_t)pcf_cuda_packed_bytes(x), &status, error);
  if (status) return status;
  find_numbers(x, block, packed);
  return send(x, uplink, block, error);
}

/* ---- Forms ---- */

enum { FORMS = 8 }; /* of a device */

static struct {
  pthread_mutex_t lock;
  struct {
    struct pcf_cuda_form_key key;
    struct pcf_cuda_resident_form form;
  } of[PCF_MAX_GPUS][FORMS];
} forms = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct pcf_cuda_resident_form pcf_cuda_use_form(int device,
                                                const struct pcf_cuda_form_key *key) {
  struct pcf_cuda_resident_form found = {0};
  pthread_mutex_lock(&forms.lock);
  for (int k = 0; k < FORMS && !found.owner; k++) {
    struct pcf_cuda_resident_form *form = &forms.of[device][k].form;
    if (!form->owner || memcmp(&forms.of[device][k].key, key, sizeof *key)) continue;
    if (pcf_pool_use(pcf_cuda_pool(device), form->owner)) found = *form;
    else form->owner = 0; /* room was wanted */
  }
  pthread_mutex_unlock(&forms.lock);
  return found;
}

/* The bytes of the forms of a device; sets `place` to where a new form goes, which may be that
 * of the oldest one. */
static double measure_forms(int device, int *place) {
  double bytes = 0;
  *place = 0;
  for (int k = 0; k < FORMS; k++) {
    struct pcf_cuda_resident_form *form = &forms.of[device][k].form;
    double own = pcf_pool_owned(pcf_cuda_pool(device), form->owner);
    if (own == 0) form->owner = 0;
    bytes += own;
    if (form->owner < forms.of[device][*place].form.owner) *place = k;
  }
  return bytes;
}

void pcf_cuda_make_form_resident(struct pcf_cuda_memory *device,
                                 const struct pcf_cuda_form_key *key, double bytes, double most,
                                 struct pcf_cuda_resident_form *form) {
  struct pcf_pool *pool = pcf_cuda_pool(device->index);
  int place;
  pthread_mutex_lock(&forms.lock);
  bytes += measure_forms(device->index, &place);
  if (bytes <= most && pcf_pool_owned(pool, key->collection) > 0) {
    form->owner = pcf_cuda_new_number();
    pcf_cuda_give_to_owner(device, form->memory, form->owner, 1);
    pcf_pool_drop(pool, forms.of[device->index][place].form.owner);
    forms.of[device->index][place].key = *key;
    forms.of[device->index][place].form = *form;
  }
  pthread_mutex_unlock(&forms.lock);
}

/* ---- Using a collection, and dropping it ---- */

int pcf_cuda_use_resident(int device, const struct pcf_collection *x,
                          struct pcf_cuda_packed *packed) {
  const char *memory = pcf_pool_use(pcf_cuda_pool(device), pcf_resident(x));
  if (memory) find_numbers(x, memory, packed);
  return memory != NULL;
}

int pcf_cuda_is_resident(int64_t number, int gpus) {
  struct pcf_cuda_info info;
  if (number <= 0 || !pcf_cuda_is_ours()) return 0;
  pcf_cuda_describe(&info, gpus);
  int resident = info.wanted > 0;
  for (int g = 0; g < info.wanted; g++) {
    resident = resident && pcf_pool_owned(pcf_cuda_pool(g), number) > 0;
  }
  return resident;
}

double pcf_cuda_drop_resident(int64_t number) {
  double bytes = 0;
  if (number <= 0 || !pcf_cuda_is_ours()) return 0;
  pthread_mutex_lock(&forms.lock);
  for (int g = 0; g < PCF_MAX_GPUS; g++) {
    struct pcf_pool *pool = pcf_cuda_pool(g);
    bytes += pcf_pool_drop(pool, number);
    for (int k = 0; k < FORMS; k++) {
      if (forms.of[g][k].key.collection != number) continue;
      bytes += pcf_pool_drop(pool, forms.of[g][k].form.owner);
      forms.of[g][k].form.owner = 0;
    }
  }
  pthread_mutex_unlock(&forms.lock);
  return bytes;
}
