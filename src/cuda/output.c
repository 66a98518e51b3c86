#include "cuda/output.h"

#include "cuda/kept.h"

static size_t scalar_size(const struct pcf_cuda_output *output) {
  return pcf_scalar_size(output->run->pairs->integral.precision);
}

static enum pcf_status check(const struct pcf_cuda_output *output, cudaError_t code,
                             const char *what, struct pcf_error *error) {
  return pcf_cuda_check(output->memory, code, what, error);
}

/* ---- Opening and closing ---- */

enum pcf_status pcf_cuda_output_open(struct pcf_cuda_output *output, struct pcf_error *error) {
  cudaError_t code = pcf_cuda_take_stream(output->memory->index, &output->stream);
  enum pcf_status status = check(output, code, "making a stream", error);
  int marks = output->run->task->settings.timeline ? PCF_CUDA_MARKS : 0;
  for (int k = 0; k < marks && !status; k++) {
    status = check(output, cudaEventCreate(&output->mark[k]), "making an event", error);
  }
  return status;
}

/* What tiles leave out above the diagonal is copied back too, and so cleared once. */
enum pcf_status pcf_cuda_output_reserve(struct pcf_cuda_output *output, int64_t elements,
                                        struct pcf_error *error) {
  size_t bytes = (size_t)elements * scalar_size(output);
  size_t wide = (size_t)elements * (size_t)output->run->wide * sizeof(double);
  void *sums = NULL;
  enum pcf_status status = pcf_cuda_allocate(output->memory, bytes, &output->device, error);
  if (!status && wide) status = pcf_cuda_allocate(output->memory, wide, &sums, error);
  output->wide = sums;
  if (!status) status = pcf_cuda_pin(output->memory, bytes, &output->host, error);
  if (status) return status;
  cudaMemsetAsync(output->device, 0, bytes, output->stream);
  if (wide) cudaMemsetAsync(output->wide, 0, wide, output->stream);
  return check(output, cudaGetLastError(), "clearing a buffer", error);
}

void pcf_cuda_output_close(struct pcf_cuda_output *output) {
  if (!output->memory) return;
  pcf_cuda_give_stream(output->memory->index, output->stream);
  pcf_cuda_unpin(output->memory, output->host);
  for (int k = 0; k < PCF_CUDA_MARKS; k++) {
    if (output->mark[k]) cudaEventDestroy(output->mark[k]);
  }
}

/* ---- Blocks ---- */

void pcf_cuda_output_mark(struct pcf_cuda_output *output, enum pcf_cuda_mark mark) {
  if (output->mark[mark]) cudaEventRecord(output->mark[mark], output->stream);
}

enum pcf_status pcf_cuda_output_fetch(struct pcf_cuda_output *output,
                                      const struct pcf_block *block, struct pcf_error *error) {
  size_t bytes = (size_t)(block->rows * block->columns) * scalar_size(output);
  cudaError_t code = cudaMemcpyAsync(output->host, output->device, bytes,
                                     cudaMemcpyDeviceToHost, output->stream);
  pcf_cuda_output_mark(output, PCF_CUDA_COPIED);
  return check(output, code, "copying a block back", error);
}

enum pcf_status pcf_cuda_output_wait(struct pcf_cuda_output *output,
                                     const struct pcf_block *block,
                                     struct pcf_finished *finished, struct pcf_error *error) {
  finished->data = output->host;
  finished->stride = block->rows;
  return check(output, cudaStreamSynchronize(output->stream), "computing a block", error);
}
