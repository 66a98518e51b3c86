#include "collections/digest.h"

#include "base/hash.h"
#include "base/memory.h"

enum { FUNCTIONS_AT_ONCE = 256 };

struct digesting {
  const struct pcf_collection *x;
  uint64_t *of_function;
};

static void digest_some(void *digesting_, int64_t first, int64_t end) {
  const struct digesting *digesting = digesting_;
  const struct pcf_collection *x = digesting->x;
  for (int64_t i = first; i < end; i++) {
    size_t numbers = (size_t)pcf_matrix_columns(x->linear) * (size_t)pcf_breakpoints(x, i);
    digesting->of_function[i] = pcf_hash_numbers(x->functions[i], numbers);
  }
}

enum pcf_status pcf_digest(const struct pcf_collection *x, int threads, const atomic_int *stop,
                           uint64_t *digest, struct pcf_error *error) {
  struct digesting digesting = {x, pcf_allocate((size_t)x->count, sizeof(uint64_t), error)};
  if (!digesting.of_function) return PCF_ERROR_MEMORY;
  enum pcf_status status =
    pcf_for_ranges(threads, x->count, FUNCTIONS_AT_ONCE, stop, digest_some, &digesting, error);
  *digest = pcf_hash(digesting.of_function, (size_t)x->count * sizeof(uint64_t));
  if (x->linear) *digest = ~*digest;
  pcf_free(digesting.of_function);
  return status;
}
