#include "cuda-functions/session.h"

#include "base/memory.h"
#include "cuda/info.h"
#include "cuda/resident.h"

#include <stdio.h>

/* ---- Opening and closing ---- */

enum pcf_status pcf_cuda_session_open(struct pcf_cuda_session **session_, int index,
                                      const struct pcf_settings *settings,
                                      const atomic_int *stop, struct pcf_error *error) {
  struct pcf_cuda_info info;
  *session_ = NULL;
  enum pcf_status status = pcf_cuda_require(&info, settings->gpus, error);
  if (!status) status = pcf_cuda_start(&info, error);
  if (status) return status;
  struct pcf_cuda_session *session = pcf_allocate(1, sizeof *session, error);
  if (!session) return PCF_ERROR_MEMORY;
  double provoked = pcf_cuda_provocation.memory;
  *session = (struct pcf_cuda_session){
    .memory = {.index = index, .limit = provoked > 0 ? provoked : settings->gpu_memory},
    .uplink = {.memory = &session->memory, .threads = settings->threads, .stop = stop},
    .total = info.gpu[index].memory};
  snprintf(session->memory.name, sizeof session->memory.name, "%s", info.gpu[index].name);
  status = pcf_cuda_session_resume(session, error);
  if (!status) status = pcf_cuda_uplink_open(&session->uplink, error);
  if (status) pcf_cuda_session_close(session);
  else *session_ = session;
  return status;
}

enum pcf_status pcf_cuda_session_resume(const struct pcf_cuda_session *session,
                                        struct pcf_error *error) {
  return pcf_cuda_check(&session->memory, cudaSetDevice(session->memory.index), "selecting",
                        error);
}

void pcf_cuda_session_close(struct pcf_cuda_session *session) {
  pcf_cuda_uplink_close(&session->uplink);
  pcf_pool_done(pcf_cuda_pool(session->memory.index), session->reads);
  pcf_cuda_free_from(&session->memory, 0);
  pcf_cuda_end_call(session->memory.index, session->total);
  cudaGetLastError();
  pcf_free(session);
}

/* ---- In a session ---- */

void *pcf_cuda_session_send(struct pcf_cuda_session *session, const void *array, size_t bytes,
                            enum pcf_status *status, struct pcf_error *error) {
  if (!array) return NULL;
  void *to = pcf_cuda_allocate(&session->memory, bytes, status, error);
  if (to) *status = pcf_cuda_send_array(&session->uplink, to, array, bytes, error);
  return to;
}

enum pcf_status pcf_cuda_session_find(struct pcf_cuda_session *session,
                                      const struct pcf_collection *x,
                                      struct pcf_cuda_packed *packed, struct pcf_error *error) {
  if (!pcf_cuda_use_resident(session->memory.index, x, packed)) {
    return pcf_cuda_pack(&session->uplink, &session->memory, x, packed, error);
  }
  session->reads = pcf_resident(x);
  return pcf_cuda_arrive(&session->uplink, PCF_OK, error);
}

enum pcf_status pcf_cuda_session_finish(const struct pcf_cuda_session *session,
                                        cudaError_t code, const char *what,
                                        struct pcf_error *error) {
  enum pcf_status status = pcf_cuda_check(&session->memory, code, what, error);
  enum pcf_status done =
    pcf_cuda_check(&session->memory, cudaStreamSynchronize(pcf_cuda_session_stream(session)),
                   what, status ? NULL : error);
  if (!status) status = done;
  const atomic_int *stop = session->uplink.stop;
  return !status && stop && atomic_load(stop) ? PCF_ERROR_INTERRUPTED : status;
}

/* ---- Making a collection resident ---- */

static enum pcf_status make_resident_on(int index, const struct pcf_collection *x,
                                        const struct pcf_settings *settings,
                                        const atomic_int *stop, int64_t number,
                                        struct pcf_error *error) {
  struct pcf_cuda_session *session;
  struct pcf_cuda_packed packed;
  enum pcf_status status = pcf_cuda_session_open(&session, index, settings, stop, error);
  if (status) return status;
  status = pcf_cuda_pack(&session->uplink, &session->memory, x, &packed, error);
  if (!status) pcf_cuda_give_to_owner(&session->memory, packed.time, number, 0);
  pcf_cuda_session_close(session);
  return status;
}

enum pcf_status pcf_cuda_make_resident(const struct pcf_collection *x,
                                       const struct pcf_settings *settings,
                                       const atomic_int *stop, int64_t *number,
                                       struct pcf_error *error) {
  struct pcf_cuda_info info;
  int64_t own = pcf_cuda_new_number();
  enum pcf_status status = pcf_cuda_require(&info, settings->gpus, error);
  for (int g = 0; g < info.wanted && !status; g++) {
    status = make_resident_on(g, x, settings, stop, own, error);
  }
  if (status) pcf_cuda_drop_resident(own);
  *number = status ? 0 : own;
  return status;
}

/* ---- Calls ---- */

#define ENTRY(name, thread, least, gpu, host, cuda) [name] = cuda,
static pcf_cuda_function *const functions[] = {PCF_SINGLE_OPERATIONS(ENTRY)};
#undef ENTRY

enum pcf_status pcf_cuda_single_run(const struct pcf_single *single, const atomic_int *stop,
                                    struct pcf_error *error) {
  struct pcf_cuda_session *session;
  enum pcf_status status = pcf_cuda_session_open(&session, 0, &single->settings, stop, error);
  if (status) return status;
  status = functions[single->operation](session, single->call, error);
  if (!session->belongs_to_curves) pcf_cuda_session_close(session);
  return status;
}
