#include "cuda/session.h"

#include "cuda/kept.h"

#include <stdio.h>
#include <string.h>

enum pcf_status pcf_cuda_session_prepare(const struct pcf_settings *settings,
                                         struct pcf_cuda_info *info, struct pcf_error *error) {
  enum pcf_status status = pcf_cuda_require(info, settings->gpus, error);
  return status ? status : pcf_cuda_start(info, error);
}

enum pcf_status pcf_cuda_session_open(struct pcf_cuda_session *session,
                                      const struct pcf_cuda_info *info, int index,
                                      const struct pcf_settings *settings,
                                      const atomic_int *stop, struct pcf_error *error) {
  const struct pcf_gpu_info *gpu = &info->gpu[index];
  memset(session, 0, sizeof *session);
  session->memory.index = index;
  session->memory.limit = settings->gpu_memory;
  if (pcf_cuda_provocation.memory > 0) session->memory.limit = pcf_cuda_provocation.memory;
  snprintf(session->memory.name, sizeof session->memory.name, "%s", gpu->name);
  session->total = gpu->memory;
  session->uplink = (struct pcf_cuda_uplink){
    .memory = &session->memory, .threads = settings->threads, .stop = stop};
  pcf_cuda_begin_call(index);
  enum pcf_status status = pcf_cuda_session_resume(session, error);
  return status ? status : pcf_cuda_uplink_open(&session->uplink, error);
}

enum pcf_status pcf_cuda_session_resume(const struct pcf_cuda_session *session,
                                        struct pcf_error *error) {
  return pcf_cuda_check(&session->memory, cudaSetDevice(session->memory.index), "selecting",
                        error);
}

void pcf_cuda_session_close(struct pcf_cuda_session *session) {
  pcf_cuda_uplink_close(&session->uplink);
  pcf_cuda_free_all(&session->memory);
  pcf_cuda_end_call(session->memory.index, session->total);
  cudaGetLastError();
}

enum pcf_status pcf_cuda_session_send(struct pcf_cuda_session *session, const void *array,
                                      size_t bytes, void **to, struct pcf_error *error) {
  *to = NULL;
  if (!array) return PCF_OK;
  enum pcf_status status = pcf_cuda_allocate(&session->memory, bytes, to, error);
  return status ? status : pcf_cuda_send_array(&session->uplink, *to, array, bytes, error);
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

enum pcf_status pcf_cuda_session_launch(struct pcf_cuda_session *session,
                                        pcf_cuda_kernel *kernel, const void *context,
                                        int64_t *count, const char *what,
                                        struct pcf_error *error) {
  struct pcf_cuda_memory *memory = &session->memory;
  cudaStream_t stream = pcf_cuda_session_stream(session);
  void *scratch = NULL, *counted = NULL;
  size_t bytes = 0;
  cudaError_t code = kernel(context, NULL, NULL, &bytes, stream);
  enum pcf_status status = pcf_cuda_check(memory, code, what, error);
  if (!status) status = pcf_cuda_allocate(memory, bytes, &scratch, error);
  if (!status && count) status = pcf_cuda_allocate(memory, sizeof *count, &counted, error);
  if (!status) {
    code = kernel(context, counted, scratch, &bytes, stream);
    status = pcf_cuda_session_finish(session, code, what, error);
  }
  if (!status && count) {
    status = pcf_cuda_bring_back(&session->uplink, count, counted, sizeof *count, error);
  }
  pcf_cuda_free(memory, scratch);
  pcf_cuda_free(memory, counted);
  return status;
}

enum pcf_status pcf_cuda_on_device(pcf_cuda_work *work, void *context,
                                   const struct pcf_settings *settings, const atomic_int *stop,
                                   struct pcf_error *error) {
  struct pcf_cuda_info info;
  struct pcf_cuda_session session;
  enum pcf_status status = pcf_cuda_session_prepare(settings, &info, error);
  if (status) return status;
  status = pcf_cuda_session_open(&session, &info, 0, settings, stop, error);
  if (!status) status = work(&session, context, error);
  pcf_cuda_session_close(&session);
  return status;
}
