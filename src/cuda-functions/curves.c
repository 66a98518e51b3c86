/* Keeps functions that a CUDA device has computed on the device until R has memory for them. */
#include "base/memory.h"
#include "base/search.h"
#include "cuda-functions/session.h"

#include <string.h>

struct kept {
  struct pcf_curves_keeper keeper; /* first */
  struct pcf_cuda_session *session;
  struct pcf_cuda_made made;
  /* What one fetch copies: column `behind` of the matrix of each function. */
  double *const *columns;
  int behind;
};

static enum pcf_status write_kept(struct pcf_curves_keeper *keeper, double *const *columns,
                                  const atomic_int *stop, struct pcf_error *error);
static void free_kept(struct pcf_curves_keeper *keeper);

/* ---- Keeping them on the device ---- */

static enum pcf_status count_breakpoints(const struct pcf_cuda_made *made,
                                         struct pcf_curves *curves, struct pcf_error *error) {
  int64_t count = made->count;
  curves->breakpoints =
    pcf_array(&curves->arrays, (size_t)count, sizeof *curves->breakpoints, error);
  if (!curves->breakpoints) return PCF_ERROR_MEMORY;
  for (int64_t i = 0; i < count; i++) {
    int64_t own = made->starts[i + 1] - made->starts[i];
    curves->breakpoints[i] = own ? own : 1;
    if (own > PCF_MOST_BREAKPOINTS) return pcf_curves_too_long(own, error);
  }
  curves->count = count;
  curves->linear = made->left != NULL;
  return PCF_OK;
}

enum pcf_status pcf_cuda_leave_curves(struct pcf_cuda_session *session,
                                      const struct pcf_cuda_made *made,
                                      struct pcf_curves *curves, struct pcf_error *error) {
  *curves = (struct pcf_curves){0};
  struct kept *kept = pcf_allocate(1, sizeof *kept, error);
  enum pcf_status status = kept ? count_breakpoints(made, curves, error) : PCF_ERROR_MEMORY;
  if (status) {
    pcf_free(kept);
    pcf_curves_free(curves);
    return status;
  }
  *kept = (struct kept){.keeper = {write_kept, free_kept}, .session = session, .made = *made};
  session->belongs_to_curves = 1;
  curves->keeper = &kept->keeper;
  return PCF_OK;
}

/* ---- Bringing them back ---- */

static void read_numbers(const void *kept_, int64_t first, int64_t end, void *from_) {
  const struct kept *kept = kept_;
  const struct pcf_cuda_made *made = &kept->made;
  const double *from = from_;
  const int64_t *starts = made->starts;
  for (int64_t i = pcf_segment_of(starts, made->count, first); first < end; i++) {
    int64_t own = starts[i + 1] - starts[i];
    int64_t stop = starts[i + 1] < end ? starts[i + 1] : end;
    double *to = kept->columns[i] + kept->behind * own + (first - starts[i]);
    memcpy(to, from, (size_t)(stop - first) * sizeof *to);
    from += stop - first;
    first = stop;
  }
}

static enum pcf_status write_kept(struct pcf_curves_keeper *keeper, double *const *columns,
                                  const atomic_int *stop, struct pcf_error *error) {
  struct kept *kept = (struct kept *)keeper;
  struct pcf_cuda_session *session = kept->session;
  const struct pcf_cuda_made *made = &kept->made;
  const double *column[] = {made->time, made->left ? made->left : made->value, made->value};
  int count = pcf_matrix_columns(made->left != NULL);
  int64_t total = made->starts[made->count];
  for (int64_t i = 0; i < made->count; i++) {
    if (made->starts[i] < made->starts[i + 1]) continue;
    for (int c = 0; c < count; c++) columns[i][c] = 0;
  }
  kept->columns = columns;
  session->uplink.stop = stop;
  enum pcf_status status = pcf_cuda_session_resume(session, error);
  for (int64_t i = 0; i < made->count && !status; i++) {
    size_t own = (size_t)(made->starts[i + 1] - made->starts[i]);
    status = pcf_touch_memory(columns[i], (size_t)count * own * sizeof(double),
                              session->uplink.threads, stop, error);
  }
  for (int c = 0; c < count && !status; c++) {
    kept->behind = c;
    status = pcf_cuda_fetch(&session->uplink, column[c], total, sizeof *column[c], read_numbers,
                            kept, error);
  }
  return status;
}

/* Restores the current device of the calling thread, which may be R's own thread. */
static void free_kept(struct pcf_curves_keeper *keeper) {
  struct kept *kept = (struct kept *)keeper;
  int before = 0;
  cudaGetDevice(&before);
  pcf_cuda_session_resume(kept->session, NULL);
  pcf_cuda_session_close(kept->session);
  cudaSetDevice(before);
  cudaGetLastError();
  pcf_free(kept->made.starts);
  pcf_free(kept);
}
