/* Norms and integrals on a CUDA device. Functions of extreme magnitudes are left to the host.
 */
#include "base/memory.h"
#include "cuda-functions/session.h"
#include "integrals/integral.h"

/* Measures functions that are on the device, and brings the parts back: those of whole
 * functions, then the slots. */
static enum pcf_status measure_packed(struct pcf_cuda_session *session,
                                      struct pcf_cuda_measuring *on_device, size_t parts,
                                      const struct pcf_measured *measured,
                                      struct pcf_error *error) {
  size_t bytes = parts * sizeof *measured->whole;
  enum pcf_status status = PCF_OK;
  void *whole = pcf_cuda_allocate(&session->memory, bytes, &status, error);
  if (status) return status;
  on_device->whole = whole;
  on_device->slot = on_device->whole + on_device->count;
  cudaStream_t stream = pcf_cuda_session_stream(session);
  /* Slots without a part are copied back, too. */
  cudaMemsetAsync(whole, 0, bytes, stream);
  cudaError_t code = pcf_cuda_measure_parts(on_device, stream);
  status = pcf_cuda_session_finish(session, code, "measuring functions", error);
  if (status) return status;
  return pcf_cuda_bring_back(&session->uplink, measured->whole, whole, bytes, error);
}

static enum pcf_status measure(struct pcf_cuda_session *session, struct pcf_norms_call *call,
                               size_t parts, const struct pcf_measured *measured,
                               struct pcf_error *error) {
  const struct pcf_collection *x = call->x;
  const struct pcf_measuring *measuring = &call->measuring;
  struct pcf_range range = PCF_EMPTY_RANGE;
  struct pcf_cuda_measuring on_device = {
    .measure = measuring->measure,
    .power = {.p = measuring->p, .halves = pcf_half_powers(measuring->p)},
    .from = measuring->from,
    .to = measuring->to,
    .count = x->count,
    .total = pcf_total_breakpoints(x)};
  int threads = session->uplink.threads;
  const atomic_int *stop = session->uplink.stop;
  enum pcf_status status = pcf_check_collection(x, threads, stop, &range, &call->fault, error);
  if (!status) status = pcf_cuda_session_find(session, x, &on_device.x, error);
  if (!status) status = measure_packed(session, &on_device, parts, measured, error);
  if (status) return status;
  call->missing = range.missing;
  return pcf_measure_rest(x, measuring, measured, threads, stop, call->result, error);
}

enum pcf_status pcf_cuda_norms(struct pcf_cuda_session *session, void *call_,
                               struct pcf_error *error) {
  struct pcf_norms_call *call = call_;
  const struct pcf_collection *x = call->x;
  size_t parts = (size_t)(x->count + pcf_slot_count(x->offsets, x->count));
  struct pcf_measured measured = {.whole = pcf_allocate(parts, sizeof *measured.whole, error)};
  if (!measured.whole) return PCF_ERROR_MEMORY;
  measured.slot = measured.whole + x->count;
  enum pcf_status status = measure(session, call, parts, &measured, error);
  pcf_free(measured.whole);
  return status;
}
