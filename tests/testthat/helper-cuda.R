# What the tests of the CUDA device share. test_devices() says where they run.

cuda_kernels <- c("sweep", "grid", "split")

skip_without_cuda <- function() {
  skip_if_not("cuda" %in% test_devices(), "no CUDA device")
}

# For tests: no more than `memory` bytes, no launch that works, no device that can be started.
provoke <- function(memory = 0, launch = FALSE, start = FALSE) {
  .Call(pcfdist:::ffi_cuda_provoke, memory, launch, start)
}

free_memory <- function() cuda_info()$devices$free_memory

# The same on both devices, within a tolerance; on the GPU with a kernel, where one is given.
on_both <- function(call, tolerance, scale = abs(cpu), kernel = NULL) {
  cpu <- with_settings(call(), device = "cpu")
  cuda <- with_settings(call(), device = "cuda", kernel = kernel)
  expect_identical(last_run()$device, "cuda")
  if (!is.null(kernel)) expect_identical(last_run()$kernel, kernel)
  expect_near(as.vector(cuda), as.vector(cpu), tolerance, scale = as.vector(scale))
}
