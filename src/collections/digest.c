#include "collections/digest.h"

#include "base/hash.h"
#include "base/memory.h"

enum { FUNCTIONS_AT_ONCE = 256 };

struct digesting {
  const struct pcf_collection *x;
  uint64_t *of_function;
};

static enum pcf_status digest_some(void *digesting_, int thread, int64_t index,
                                   struct pcf_error *error) {
  const struct digesting *digesting = digesting_;
  const struct pcf_collection *x = digesting->x;
  int64_t first = index * FUNCTIONS_AT_ONCE, end = first + FUNCTIONS_AT_ONCE;
  (void)thread;
  (void)error;
  for (int64_t i = first; i < end && i < x->count; i++) {
    size_t columns = x->linear ? 3 : 2;
    size_t bytes = columns * (size_t)pcf_breakpoints(x, i) * sizeof(double);
    digesting->of_function[i] = pcf_hash(x->functions[i], bytes);
  }
  return PCF_OK;
}

enum pcf_status pcf_digest(const struct pcf_collection *x, int threads, const atomic_int *stop,
                           uint64_t *digest, struct pcf_error *error) {
  struct digesting digesting = {x, pcf_allocate((size_t)x->count, sizeof(uint64_t), error)};
  if (!digesting.of_function) return PCF_ERROR_MEMORY;
  int64_t portions = (x->count + FUNCTIONS_AT_ONCE - 1) / FUNCTIONS_AT_ONCE;
  enum pcf_status status =
    pcf_parallel_for(threads, portions, stop, digest_some, &digesting, error);
  *digest = pcf_hash(digesting.of_function, (size_t)x->count * sizeof(uint64_t));
  if (x->linear) *digest = ~*digest;
  pcf_free(digesting.of_function);
  return status;
}
