#include "cuda/common.h"

#include "base/memory.h"

#include <pthread.h>
#include <string.h>

struct pcf_cuda_common {
  enum pcf_precision precision;
  int64_t items;
  void *limit; /* scalars */
  atomic_int arrived;
  pthread_mutex_t lock;
};

/* Bytes of which all bits are set make NaN. */
struct pcf_cuda_common *pcf_cuda_common_new(int64_t items, enum pcf_precision precision,
                                            struct pcf_error *error) {
  size_t count = (size_t)items, scalar = pcf_scalar_size(precision);
  struct pcf_cuda_common *common = pcf_allocate(1, sizeof *common, error);
  if (!common) return NULL;
  *common = (struct pcf_cuda_common){.precision = precision, .items = items};
  common->limit = pcf_allocate(count, scalar, error);
  if (!common->limit) {
    pcf_free(common);
    return NULL;
  }
  memset(common->limit, 0xff, count * scalar);
  pthread_mutex_init(&common->lock, NULL);
  return common;
}

void pcf_cuda_common_free(struct pcf_cuda_common *common) {
  if (!common) return;
  pthread_mutex_destroy(&common->lock);
  pcf_free(common->limit);
  pcf_free(common);
}

/* ---- Exchanging ---- */

/* Both become the smaller one; what is no number is none. */
#define EXCHANGE(type)                                                             \
  static void exchange_##type(type *restrict a, type *restrict b, int64_t count) { \
    for (int64_t k = 0; k < count; k++) {                                          \
      type least = b[k] < a[k] || a[k] != a[k] ? b[k] : a[k];                      \
      a[k] = b[k] = least;                                                         \
    }                                                                              \
  }
EXCHANGE(float)
EXCHANGE(double)

void pcf_cuda_common_exchange(struct pcf_cuda_common *common, int64_t first, int64_t count,
                              void *limit) {
  pthread_mutex_lock(&common->lock);
  if (common->precision == PCF_DOUBLE) {
    exchange_double((double *)common->limit + first, limit, count);
  } else {
    exchange_float((float *)common->limit + first, limit, count);
  }
  pthread_mutex_unlock(&common->lock);
}

void pcf_cuda_common_arrive(struct pcf_cuda_common *common) {
  atomic_fetch_add(&common->arrived, 1);
}

int pcf_cuda_common_arrived(const struct pcf_cuda_common *common) {
  return atomic_load(&common->arrived);
}
