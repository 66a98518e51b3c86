/* How work is put on a stream of the fake of CUDA. */
#ifndef PCFDIST_TESTS_FAKE_STREAM_H
#define PCFDIST_TESTS_FAKE_STREAM_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* cudaSuccess, or what the call is to fail with. */
cudaError_t fake_cuda_step(void);
void fake_cuda_count_launch(void);

/* Puts work on a stream; `context` is copied. */
cudaError_t fake_cuda_put(cudaStream_t stream, void (*work)(const void *context),
                          const void *context, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
