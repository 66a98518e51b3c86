/* A test double: a backend that fails on request, at any step, and otherwise does what the
 * backend behind it does. */
#include "engine/device.h"

static struct {
  const struct pcf_backend *inner;
  atomic_long steps_until_failure;
} doubled;

static enum pcf_status step(const char *what, struct pcf_error *error) {
  if (atomic_load(&doubled.steps_until_failure) <= 0) return PCF_OK;
  if (atomic_fetch_sub(&doubled.steps_until_failure, 1) != 1) return PCF_OK;
  return pcf_fail(error, PCF_ERROR_DEVICE, "%s failed on device \"%s\" (on request of a test)",
                  what, doubled.inner->name);
}

static enum pcf_status prepare(const struct pcf_task *task, void **shared,
                               struct pcf_error *error) {
  *shared = NULL;
  enum pcf_status status = step("preparing", error);
  return status ? status : doubled.inner->prepare(task, shared, error);
}

static enum pcf_status schedule(void *shared, struct pcf_schedule *schedule,
                                struct pcf_error *error) {
  enum pcf_status status = step("scheduling", error);
  return status ? status : doubled.inner->schedule(shared, schedule, error);
}

static void release(void *shared) {
  doubled.inner->release(shared);
}

static int devices(void *shared) {
  return doubled.inner->devices(shared);
}

static enum pcf_status open_device(void *shared, int index, void **device,
                                   struct pcf_error *error) {
  *device = NULL;
  enum pcf_status status = step("opening", error);
  return status ? status : doubled.inner->open(shared, index, device, error);
}

static enum pcf_status upload(void *device, int64_t elements, struct pcf_error *error) {
  enum pcf_status status = step("upload", error);
  return status ? status : doubled.inner->upload(device, elements, error);
}

static enum pcf_status launch(void *device, const struct pcf_block *block, int buffer,
                              struct pcf_error *error) {
  enum pcf_status status = step("launch", error);
  return status ? status : doubled.inner->launch(device, block, buffer, error);
}

static enum pcf_status fetch(void *device, const struct pcf_block *block, int buffer,
                             struct pcf_error *error) {
  enum pcf_status status = step("fetch", error);
  return status ? status : doubled.inner->fetch(device, block, buffer, error);
}

static enum pcf_status wait_for(void *device, const struct pcf_block *block, int buffer,
                                const void **result, int64_t *stride, struct pcf_error *error) {
  enum pcf_status status = step("wait", error);
  return status ? status : doubled.inner->wait(device, block, buffer, result, stride, error);
}

static void close_device(void *device) {
  doubled.inner->close(device);
}

const struct pcf_backend *pcf_failing_backend(const struct pcf_backend *inner, long k) {
  static struct pcf_backend backend = {.name = "failing",
                                       .prepare = prepare,
                                       .schedule = schedule,
                                       .release = release,
                                       .devices = devices,
                                       .open = open_device,
                                       .upload = upload,
                                       .launch = launch,
                                       .fetch = fetch,
                                       .wait = wait_for,
                                       .close = close_device};
  backend.buffers = inner->buffers;
  doubled.inner = inner;
  atomic_store(&doubled.steps_until_failure, k);
  return &backend;
}
