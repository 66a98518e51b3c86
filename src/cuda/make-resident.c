#include "cuda/make-resident.h"

#include "cuda/info.h"
#include "cuda/resident.h"
#include "cuda/session.h"

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
