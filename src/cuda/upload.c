#include "cuda/upload.h"

#include "blocks/schedule.h"
#include "cuda/memory.h"

#include <string.h>

/* Parts of 8 MB are copied at nearly the full speed of the bus, and take little time to
 * write. */
enum { HALF_BYTES = 8 << 20, CHUNK_BYTES = 1 << 18 };

enum pcf_status pcf_cuda_uplink_open(struct pcf_cuda_uplink *uplink, struct pcf_error *error) {
  const struct pcf_cuda_memory *memory = uplink->memory;
  void *pinned;
  enum pcf_status status = pcf_cuda_pin(memory, 2 * HALF_BYTES, &pinned, error);
  uplink->pinned = pinned;
  for (int half = 0; half < 2 && !status; half++) {
    status = pcf_cuda_check(memory, pcf_cuda_take_stream(memory->index, &uplink->stream[half]),
                            "creating a stream", error);
  }
  return status;
}

void pcf_cuda_uplink_close(struct pcf_cuda_uplink *uplink) {
  pcf_team_end(uplink->team);
  for (int half = 0; half < 2; half++) {
    if (uplink->memory) pcf_cuda_give_stream(uplink->memory->index, uplink->stream[half]);
  }
  if (uplink->pinned) pcf_cuda_unpin(uplink->memory, uplink->pinned);
}

/* A part of an array that fits one half of the pinned memory, and is written there on its way
 * up, or read there on its way back. */
struct part {
  pcf_cuda_passer *pass;
  const void *context;
  int64_t first, end, chunk; /* elements, and how many of them a thread takes at a time */
  size_t size;
  char *pinned;
};

static enum pcf_status pass_chunk(void *part_, int thread, int64_t index,
                                  struct pcf_error *error) {
  const struct part *part = part_;
  int64_t first = part->first + index * part->chunk, end = first + part->chunk;
  char *pinned = part->pinned + (size_t)(first - part->first) * part->size;
  if (end > part->end) end = part->end;
  part->pass(part->context, first, end, pinned);
  return PCF_OK;
}

/* Large parts are passed by all threads. */
static enum pcf_status pass_part(struct pcf_cuda_uplink *uplink, struct part *part,
                                 struct pcf_error *error) {
  int64_t chunks = pcf_band_count(part->end - part->first, part->chunk);
  if (chunks > 1 && !uplink->team) {
    uplink->team = pcf_team_start(uplink->threads, error);
    if (!uplink->team) return PCF_ERROR_MEMORY;
  }
  return pcf_team_for(chunks > 1 ? uplink->team : NULL, chunks, uplink->stop, pass_chunk, part,
                      error);
}

/* The part of an array of `count` elements that begins at `first`. */
static struct part part_from(int64_t first, int64_t count, size_t size) {
  int64_t most = HALF_BYTES / (int64_t)size;
  return (struct part){.first = first,
                       .end = count - first < most ? count : first + most,
                       .chunk = CHUNK_BYTES / (int64_t)size,
                       .size = size};
}

/* Waits until the previous part in this half of the pinned memory has arrived, and sends the
 * next one. */
static enum pcf_status send_part(struct pcf_cuda_uplink *uplink, struct part *part, void *to,
                                 struct pcf_error *error) {
  const struct pcf_cuda_memory *memory = uplink->memory;
  cudaStream_t stream = uplink->stream[uplink->half];
  part->pinned = uplink->pinned + uplink->half * HALF_BYTES;
  uplink->half = !uplink->half;
  enum pcf_status status =
    pcf_cuda_check(memory, cudaStreamSynchronize(stream), "upload", error);
  if (!status) status = pass_part(uplink, part, error);
  if (status) return status;
  cudaError_t code = cudaMemcpyAsync(
    (char *)to + (size_t)part->first * part->size, part->pinned,
    (size_t)(part->end - part->first) * part->size, cudaMemcpyHostToDevice, stream);
  return pcf_cuda_check(memory, code, "upload", error);
}

enum pcf_status pcf_cuda_send(struct pcf_cuda_uplink *uplink, void *to, int64_t count,
                              size_t size, pcf_cuda_passer *write, const void *context,
                              struct pcf_error *error) {
  enum pcf_status status = PCF_OK;
  for (int64_t first = 0; first < count && !status;) {
    struct part part = part_from(first, count, size);
    part.pass = write;
    part.context = context;
    status = send_part(uplink, &part, to, error);
    first = part.end;
  }
  return status;
}

static void copy(const void *array, int64_t first, int64_t end, void *to) {
  memcpy(to, (const char *)array + first, (size_t)(end - first));
}

enum pcf_status pcf_cuda_send_array(struct pcf_cuda_uplink *uplink, void *to, const void *array,
                                    size_t bytes, struct pcf_error *error) {
  return pcf_cuda_send(uplink, to, (int64_t)bytes, 1, copy, array, error);
}

enum pcf_status pcf_cuda_arrive(struct pcf_cuda_uplink *uplink, enum pcf_status status,
                                struct pcf_error *error) {
  for (int half = 0; half < 2; half++) {
    cudaError_t code = cudaStreamSynchronize(uplink->stream[half]);
    enum pcf_status arrived =
      pcf_cuda_check(uplink->memory, code, "upload", status ? NULL : error);
    if (!status) status = arrived;
  }
  pcf_team_end(uplink->team);
  uplink->team = NULL;
  return status;
}

/* ---- Back ---- */

/* Waits for the part that is on its way in a half, and passes it to the reader; `end` is 0
 * where there is none. */
static enum pcf_status receive(struct pcf_cuda_uplink *uplink, int half, struct part *part,
                               struct pcf_error *error) {
  enum pcf_status status = pcf_cuda_check(
    uplink->memory, cudaStreamSynchronize(uplink->stream[half]), "copying back", error);
  if (status || !part->end) return status;
  status = pass_part(uplink, part, error);
  part->end = 0;
  return status;
}

enum pcf_status pcf_cuda_fetch(struct pcf_cuda_uplink *uplink, const void *array, int64_t count,
                               size_t size, pcf_cuda_passer *read, const void *context,
                               struct pcf_error *error) {
  struct part part[2] = {{0}, {0}};
  enum pcf_status status = PCF_OK;
  int half = 0;
  for (int64_t first = 0; first < count && !status; half = !half) {
    status = receive(uplink, half, &part[half], error);
    if (status) break;
    part[half] = part_from(first, count, size);
    part[half].pass = read;
    part[half].context = context;
    part[half].pinned = uplink->pinned + half * HALF_BYTES;
    cudaError_t code = cudaMemcpyAsync(
      part[half].pinned, (const char *)array + (size_t)first * size,
      (size_t)(part[half].end - first) * size, cudaMemcpyDeviceToHost, uplink->stream[half]);
    status = pcf_cuda_check(uplink->memory, code, "copying back", error);
    first = part[half].end;
  }
  for (int k = 0; k < 2; k++, half = !half) {
    if (status) part[half].end = 0;
    enum pcf_status received = receive(uplink, half, &part[half], status ? NULL : error);
    if (!status) status = received;
  }
  pcf_team_end(uplink->team);
  uplink->team = NULL;
  return status;
}

/* ---- Arrays ---- */

static void copy_back(const void *to, int64_t first, int64_t end, void *from) {
  memcpy(*(char *const *)to + first, from, (size_t)(end - first));
}

enum pcf_status pcf_cuda_bring_back(struct pcf_cuda_uplink *uplink, void *to, const void *array,
                                    size_t bytes, struct pcf_error *error) {
  enum pcf_status status = pcf_touch_memory(to, bytes, uplink->threads, uplink->stop, error);
  if (status) return status;
  return pcf_cuda_fetch(uplink, array, (int64_t)bytes, 1, copy_back, &to, error);
}
