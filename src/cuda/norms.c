#include "cuda/norms.h"

#include "base/memory.h"
#include "cuda/kernels.h"
#include "cuda/session.h"
#include "cuda/staying.h"
#include "pairs/integral.h"

struct work {
  const struct pcf_collection *x;
  const struct pcf_measuring *measuring;
  struct pcf_measured measured;
  size_t slots;
};

static enum pcf_status measure_there(struct pcf_cuda_session *session, void *work,
                                     struct pcf_error *error);

enum pcf_status pcf_cuda_norms(const struct pcf_collection *x,
                               const struct pcf_measuring *measuring,
                               const struct pcf_settings *settings, const atomic_int *stop,
                               double *result, struct pcf_error *error) {
  struct work work = {.x = x, .measuring = measuring};
  if (x->count == 0) return PCF_OK;
  work.slots = (size_t)pcf_slot_count(x->offsets, x->count);
  work.measured.whole = pcf_allocate((size_t)x->count, sizeof *work.measured.whole, error);
  work.measured.slot = pcf_allocate(work.slots, sizeof *work.measured.slot, error);
  enum pcf_status status = PCF_ERROR_MEMORY;
  if (work.measured.whole && work.measured.slot) {
    status = pcf_cuda_on_device(measure_there, &work, settings, stop, error);
  }
  if (!status) {
    status =
      pcf_measure_rest(x, measuring, &work.measured, settings->threads, stop, result, error);
  }
  pcf_free(work.measured.whole);
  pcf_free(work.measured.slot);
  return status;
}

/* Measures functions that are on the device, and brings the parts back. */
static enum pcf_status measure_packed(struct pcf_cuda_session *session, const struct work *work,
                                      struct pcf_cuda_measuring *there,
                                      struct pcf_error *error) {
  size_t size = sizeof(struct pcf_section_part), whole_bytes = (size_t)there->count * size;
  void *whole = NULL, *slot = NULL;
  enum pcf_status status = pcf_cuda_allocate(&session->memory, whole_bytes, &whole, error);
  if (!status) status = pcf_cuda_allocate(&session->memory, work->slots * size, &slot, error);
  if (status) return status;
  there->whole = whole;
  there->slot = slot;
  cudaStream_t stream = pcf_cuda_session_stream(session);
  /* Those of parts that there are not come back, too. */
  cudaMemsetAsync(whole, 0, whole_bytes, stream);
  cudaMemsetAsync(slot, 0, work->slots * size, stream);
  cudaError_t code = pcf_cuda_measure_parts(there, stream);
  status = pcf_cuda_session_finish(session, code, "measuring functions", error);
  if (!status) {
    status =
      pcf_cuda_bring_back(&session->uplink, work->measured.whole, whole, whole_bytes, error);
  }
  if (!status && there->total > PCF_PART) {
    status = pcf_cuda_bring_back(&session->uplink, work->measured.slot, slot,
                                 work->slots * size, error);
  }
  return status;
}

static enum pcf_status measure_there(struct pcf_cuda_session *session, void *work_,
                                     struct pcf_error *error) {
  const struct work *work = work_;
  const struct pcf_measuring *measuring = work->measuring;
  struct pcf_cuda_measuring there = {.measure = measuring->measure,
                                     .power = {measuring->p, pcf_half_powers(measuring->p)},
                                     .from = measuring->from,
                                     .to = measuring->to,
                                     .count = work->x->count,
                                     .total = pcf_total_breakpoints(work->x)};
  struct pcf_cuda_found found;
  enum pcf_status status = pcf_cuda_find(session, work->x, &found, error);
  there.x = found.packed;
  there.offsets = found.offsets;
  if (!status) status = measure_packed(session, work, &there, error);
  pcf_cuda_leave(session, work->x, &found);
  return status;
}
