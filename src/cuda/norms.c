/* Norms and integrals on a CUDA device. Functions of extreme magnitudes are left to the host.
 */
#include "base/memory.h"
#include "cuda/session.h"
#include "pairs/integral.h"

/* Measures functions that are on the device, and brings the parts back. */
static enum pcf_status measure_packed(struct pcf_cuda_session *session,
                                      struct pcf_cuda_measuring *there, size_t slots,
                                      const struct pcf_measured *measured,
                                      struct pcf_error *error) {
  size_t size = sizeof(struct pcf_section_part), whole_bytes = (size_t)there->count * size;
  void *whole = NULL, *slot = NULL;
  enum pcf_status status = pcf_cuda_allocate(&session->memory, whole_bytes, &whole, error);
  if (!status) status = pcf_cuda_allocate(&session->memory, slots * size, &slot, error);
  if (status) return status;
  there->whole = whole;
  there->slot = slot;
  cudaStream_t stream = pcf_cuda_session_stream(session);
  /* Slots without a part are copied back, too. */
  cudaMemsetAsync(whole, 0, whole_bytes, stream);
  cudaMemsetAsync(slot, 0, slots * size, stream);
  cudaError_t code = pcf_cuda_measure_parts(there, stream);
  status = pcf_cuda_session_finish(session, code, "measuring functions", error);
  if (!status) {
    status = pcf_cuda_bring_back(&session->uplink, measured->whole, whole, whole_bytes, error);
  }
  if (!status && there->total > PCF_PART) {
    status = pcf_cuda_bring_back(&session->uplink, measured->slot, slot, slots * size, error);
  }
  return status;
}

static enum pcf_status measure(struct pcf_cuda_session *session, struct pcf_norms_call *call,
                               size_t slots, const struct pcf_measured *measured,
                               struct pcf_error *error) {
  const struct pcf_collection *x = call->x;
  const struct pcf_measuring *measuring = &call->measuring;
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct pcf_cuda_measuring there = {
    .measure = measuring->measure,
    .power = {.p = measuring->p, .halves = pcf_half_powers(measuring->p)},
    .from = measuring->from,
    .to = measuring->to,
    .count = x->count,
    .total = pcf_total_breakpoints(x)};
  int threads = session->uplink.threads;
  const atomic_int *stop = session->uplink.stop;
  enum pcf_status status = pcf_check_collection(x, threads, stop, &range, &call->fault, error);
  if (!status) status = pcf_cuda_session_find(session, x, &there.x, error);
  if (!status) status = measure_packed(session, &there, slots, measured, error);
  if (status) return status;
  call->missing = range.missing;
  return pcf_measure_rest(x, measuring, measured, threads, stop, call->result, error);
}

enum pcf_status pcf_cuda_norms(struct pcf_cuda_session *session, void *call_,
                               struct pcf_error *error) {
  struct pcf_norms_call *call = call_;
  const struct pcf_collection *x = call->x;
  struct pcf_measured measured;
  size_t slots = (size_t)pcf_slot_count(x->offsets, x->count);
  measured.whole = pcf_allocate((size_t)x->count, sizeof *measured.whole, error);
  measured.slot = pcf_allocate(slots, sizeof *measured.slot, error);
  enum pcf_status status = PCF_ERROR_MEMORY;
  if (measured.whole && measured.slot) {
    status = measure(session, call, slots, &measured, error);
  }
  pcf_free(measured.whole);
  pcf_free(measured.slot);
  return status;
}
