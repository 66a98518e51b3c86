/* A sparse matrix times vectors on a CUDA device. The matrix is copied there once. */
#include "cuda-functions/session.h"

static enum pcf_status send_matrix(struct pcf_cuda_session *session,
                                   const struct pcf_sparse *matrix,
                                   struct pcf_cuda_multiplying *of, struct pcf_error *error) {
  size_t entries = (size_t)of->entries, offsets = (size_t)(matrix->rows + 1) * sizeof(int64_t);
  enum pcf_status status = PCF_OK;
  of->offsets = pcf_cuda_session_send(session, matrix->offsets, offsets, &status, error);
  of->column = pcf_cuda_session_send(session, matrix->column, entries * sizeof *of->column,
                                     &status, error);
  of->value =
    pcf_cuda_session_send(session, matrix->value, entries * sizeof *of->value, &status, error);
  return status;
}

/* Allocates memory for a vector, the result and the sums of parts of rows. */
static enum pcf_status make_room(struct pcf_cuda_session *session, int64_t columns,
                                 struct pcf_cuda_multiplying *of, struct pcf_error *error) {
  struct pcf_cuda_memory *memory = &session->memory;
  size_t size = sizeof(double), slots = 2 * (size_t)(of->entries / PCF_PART + 1);
  enum pcf_status status = PCF_OK;
  of->vector = pcf_cuda_allocate(memory, (size_t)columns * size, &status, error);
  of->result = pcf_cuda_allocate(memory, (size_t)of->rows * size, &status, error);
  of->slot = pcf_cuda_allocate(memory, slots * size, &status, error);
  return status;
}

static enum pcf_status multiply(struct pcf_cuda_session *session,
                                const struct pcf_cuda_multiplying *of, const double *vector,
                                int64_t columns, double *result, struct pcf_error *error) {
  struct pcf_cuda_uplink *uplink = &session->uplink;
  enum pcf_status status =
    pcf_cuda_send_array(uplink, of->vector, vector, (size_t)columns * sizeof *vector, error);
  status = pcf_cuda_arrive(uplink, status, error);
  if (status) return status;
  cudaError_t code = pcf_cuda_multiply(of, pcf_cuda_session_stream(session));
  status = pcf_cuda_session_finish(session, code, "multiplying a matrix", error);
  if (status) return status;
  return pcf_cuda_bring_back(uplink, result, of->result, (size_t)of->rows * sizeof *result,
                             error);
}

enum pcf_status pcf_cuda_products(struct pcf_cuda_session *session, void *call_,
                                  struct pcf_error *error) {
  const struct pcf_products_call *call = call_;
  const struct pcf_sparse *matrix = call->matrix;
  struct pcf_cuda_multiplying of = {.rows = matrix->rows,
                                    .entries = matrix->offsets[matrix->rows]};
  if (matrix->rows == 0 || call->count == 0) return PCF_OK;
  enum pcf_status status = send_matrix(session, matrix, &of, error);
  if (!status) status = make_room(session, matrix->columns, &of, error);
  for (int64_t j = 0; j < call->count && !status; j++) {
    status = multiply(session, &of, call->vector + j * matrix->columns, matrix->columns,
                      call->result + j * matrix->rows, error);
  }
  return status;
}
