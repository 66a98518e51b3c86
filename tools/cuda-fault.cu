// Breaks the context of one GPU of this process while other code uses it, as a GPU does that fails.
#include <chrono>
#include <cuda_runtime.h>
#include <thread>

__global__ void trap(void) { asm("trap;"); }

// Called by R's .C(): after some seconds, in a thread of its own, on the device of this number.
extern "C" void fault_after(int *device, double *seconds) {
  int where = *device;
  double wait = *seconds;
  std::thread([where, wait] {
    std::this_thread::sleep_for(std::chrono::duration<double>(wait));
    cudaSetDevice(where);
    trap<<<1, 1>>>();
    cudaDeviceSynchronize();
  }).detach();
}
