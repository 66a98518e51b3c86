/* A test double: a backend that fails on request, at any step, and otherwise does what the
 * backend behind it does. */
#include "testing/device-failing.h"

#include <limits.h>

static struct {
  const struct pcf_backend *inner;
  atomic_long steps;
  long first, end; /* steps first … end - 1 fail */
  enum pcf_status status;
} doubled;

static enum pcf_status step(const char *what, struct pcf_error *error) {
  long k = atomic_fetch_add(&doubled.steps, 1) + 1;
  if (k < doubled.first || k >= doubled.end) return PCF_OK;
  const char *how =
    doubled.status == PCF_ERROR_DEVICE_MEMORY ? "found too little memory" : "failed";
  return pcf_fail(error, doubled.status, "%s %s on device \"%s\" (on request of a test)", what,
                  how, doubled.inner->name);
}

static void offer(const void *problem, const struct pcf_settings *settings, double others,
                  struct pcf_offer *made) {
  doubled.inner->offer(problem, settings, others, made);
}

static enum pcf_status prepare(const struct pcf_task *task, void **shared, int *devices,
                               struct pcf_error *error) {
  *shared = NULL;
  enum pcf_status status = step("preparing", error);
  return status ? status : doubled.inner->prepare(task, shared, devices, error);
}

static enum pcf_status schedule(void *shared, struct pcf_schedule *schedule,
                                struct pcf_error *error) {
  enum pcf_status status = step("scheduling", error);
  if (!status) status = doubled.inner->schedule(shared, schedule, error);
  if (doubled.status == PCF_ERROR_DEVICE_MEMORY) schedule->least_side = schedule->tile;
  return status;
}

static enum pcf_status reschedule(void *shared, struct pcf_schedule *schedule,
                                  struct pcf_error *error) {
  return doubled.inner->reschedule(shared, schedule, error);
}

static void release(void *shared) {
  doubled.inner->release(shared);
}

static enum pcf_status open_device(void *shared, int index, int64_t elements, void **device,
                                   struct pcf_error *error) {
  *device = NULL;
  enum pcf_status status = step("opening", error);
  if (!status) status = step("upload", error);
  return status ? status : doubled.inner->open(shared, index, elements, device, error);
}

static enum pcf_status launch(void *device, const struct pcf_block *block, int buffer,
                              struct pcf_error *error) {
  enum pcf_status status = step("launch", error);
  if (!status) status = doubled.inner->launch(device, block, buffer, error);
  return status ? status : step("fetch", error);
}

static enum pcf_status wait_for(void *device, const struct pcf_block *block, int buffer,
                                struct pcf_finished *finished, struct pcf_error *error) {
  enum pcf_status status = step("wait", error);
  return status ? status : doubled.inner->wait(device, block, buffer, finished, error);
}

static void close_device(void *device) {
  doubled.inner->close(device);
}

static const struct pcf_backend *double_of(const struct pcf_backend *inner, long first,
                                           long end, enum pcf_status status) {
  static struct pcf_backend backend = {.name = "failing",
                                       .offer = offer,
                                       .prepare = prepare,
                                       .schedule = schedule,
                                       .release = release,
                                       .open = open_device,
                                       .launch = launch,
                                       .wait = wait_for,
                                       .close = close_device};
  backend.buffers = inner->buffers;
  backend.reschedule = inner->reschedule ? reschedule : NULL;
  doubled.inner = inner;
  doubled.first = first;
  doubled.end = end;
  doubled.status = status;
  atomic_store(&doubled.steps, 0);
  return &backend;
}

const struct pcf_backend *pcf_failing_backend(const struct pcf_backend *inner, long k) {
  return double_of(inner, k, k > 0 ? k + 1 : 0, PCF_ERROR_DEVICE);
}

const struct pcf_backend *pcf_exhausted_backend(const struct pcf_backend *inner, long k,
                                                long times) {
  return double_of(inner, k, times > 0 ? k + times : LONG_MAX, PCF_ERROR_DEVICE_MEMORY);
}
