/* One device for one call that is no run: its memory, and the ways up to it and back. */
#ifndef PCF_CUDA_SESSION_H
#define PCF_CUDA_SESSION_H

#include "blocks/device.h"
#include "cuda/info.h"
#include "cuda/upload.h"

struct pcf_cuda_session {
  struct pcf_cuda_memory memory;
  struct pcf_cuda_uplink uplink;
  double total; /* bytes that the device has */
};

/* Describes and starts the devices that are wanted. */
enum pcf_status pcf_cuda_session_prepare(const struct pcf_settings *settings,
                                         struct pcf_cuda_info *info, struct pcf_error *error);

/* Opens a device of those; pcf_cuda_session_close() gives back what was allocated, after
 * failures too. `session` stays where it is meanwhile. */
enum pcf_status pcf_cuda_session_open(struct pcf_cuda_session *session,
                                      const struct pcf_cuda_info *info, int index,
                                      const struct pcf_settings *settings,
                                      const atomic_int *stop, struct pcf_error *error);
void pcf_cuda_session_close(struct pcf_cuda_session *session);

/* Goes on with a session on another thread than the one that opened it. */
enum pcf_status pcf_cuda_session_resume(const struct pcf_cuda_session *session,
                                        struct pcf_error *error);

/* Allocates memory and brings an array there; NULL without an array. */
enum pcf_status pcf_cuda_session_send(struct pcf_cuda_session *session, const void *array,
                                      size_t bytes, void **to, struct pcf_error *error);

/* Waits for a kernel that was launched with `code`. PCF_ERROR_INTERRUPTED where the session is
 * to stop. */
enum pcf_status pcf_cuda_session_finish(const struct pcf_cuda_session *session,
                                        cudaError_t code, const char *what,
                                        struct pcf_error *error);

/* A kernel that wants scratch memory and may count something, on the device; with `scratch`
 * NULL it only tells how many bytes. Launches it, waits for it, and brings back what was
 * counted, unless `count` is NULL. */
typedef cudaError_t pcf_cuda_kernel(const void *context, int64_t *count, void *scratch,
                                    size_t *bytes, cudaStream_t stream);
enum pcf_status pcf_cuda_session_launch(struct pcf_cuda_session *session,
                                        pcf_cuda_kernel *kernel, const void *context,
                                        int64_t *count, const char *what,
                                        struct pcf_error *error);

/* Work on the first device that is wanted, which is opened and closed around it. */
typedef enum pcf_status pcf_cuda_work(struct pcf_cuda_session *session, void *context,
                                      struct pcf_error *error);
enum pcf_status pcf_cuda_on_device(pcf_cuda_work *work, void *context,
                                   const struct pcf_settings *settings, const atomic_int *stop,
                                   struct pcf_error *error);

/* The stream on which kernels run; they find what was sent after pcf_cuda_arrive(). */
static inline cudaStream_t pcf_cuda_session_stream(const struct pcf_cuda_session *session) {
  return session->uplink.stream[0];
}

#endif
