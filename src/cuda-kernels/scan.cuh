/* Running sums over sorted events: a number of each of them becomes the sum of those up to it.
 * Numbers have plus() and minus(), exact ones, so that no order of additions matters; all bits
 * 0 are the number 0. */
#pragma once

#include "cuda-kernels/search.cuh"
#include "reductions/fixed.h"

#include <stdint.h>

static constexpr int THREADS = 256, ROUNDS = 8, CHUNK = THREADS * ROUNDS;

static __device__ __forceinline__ pcf_narrow plus(pcf_narrow a, pcf_narrow b) {
  return pcf_narrow_sum(a, b);
}
static __device__ __forceinline__ pcf_narrow minus(pcf_narrow a, pcf_narrow b) {
  return pcf_narrow_difference(a, b);
}

/* Adds up the numbers of all threads, in memory that they share. */
template <typename N> static __device__ void add_block(N own, N *at, N *total) {
  at[threadIdx.x] = own;
  for (int apart = THREADS / 2; apart > 0; apart /= 2) {
    __syncthreads();
    if (int(threadIdx.x) >= apart) continue;
    at[threadIdx.x] = plus(at[threadIdx.x], at[threadIdx.x + apart]);
  }
  if (threadIdx.x == 0) *total = at[0];
  __syncthreads();
}

/* Replaces the number of each thread by the sum of those up to it. */
template <typename N> static __device__ void scan_of_block(N *at) {
  for (int apart = 1; apart < THREADS; apart *= 2) {
    __syncthreads();
    N sum = at[threadIdx.x];
    if (int(threadIdx.x) >= apart) sum = plus(at[threadIdx.x - apart], sum);
    __syncthreads();
    at[threadIdx.x] = sum;
  }
  __syncthreads();
}

/* One block: replaces each total by the sum of those before it. */
template <typename N>
static __global__ void __launch_bounds__(THREADS) totals_kernel(N *total, int64_t n) {
  __shared__ N at[THREADS];
  int64_t each = (n + THREADS - 1) / THREADS, first = each * threadIdx.x;
  int64_t end = min(first + each, n);
  N own = {};
  for (int64_t k = first; k < end; k++) own = plus(own, total[k]);
  at[threadIdx.x] = own;
  scan_of_block(at);
  N before = minus(at[threadIdx.x], own);
  for (int64_t k = first; k < end; k++) {
    N next = plus(before, total[k]);
    total[k] = before;
    before = next;
  }
}

template <typename N>
static __global__ void __launch_bounds__(THREADS)
  sums_kernel(int64_t events, const N *total, N *sum) {
  __shared__ N at[THREADS];
  N before = total[blockIdx.x];
  for (int round = 0; round < ROUNDS; round++) {
    int64_t p = int64_t(blockIdx.x) * CHUNK + round * THREADS + threadIdx.x;
    at[threadIdx.x] = p < events ? sum[p] : N{};
    scan_of_block(at);
    if (p < events) sum[p] = plus(before, at[threadIdx.x]);
    before = plus(before, at[THREADS - 1]);
    __syncthreads();
  }
}

/* Turns changes, and the totals of chunks of them, into sums. */
template <typename N>
static void add_up(int64_t events, N *total, N *sum, cudaStream_t stream) {
  totals_kernel<N><<<1, THREADS, 0, stream>>>(total, (events + CHUNK - 1) / CHUNK);
  sums_kernel<N><<<grid_for(events, CHUNK), THREADS, 0, stream>>>(events, total, sum);
}
