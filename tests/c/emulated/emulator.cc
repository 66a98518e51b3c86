/* The turns of threads: each has a stack of its own, and gives its turn away where it meets
 * others. A block is run to its end before the next one, by the thread of the host that waits
 * for its stream. */
#include "cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#ifndef _WIN32
#include <sys/mman.h>
#include <ucontext.h>
#endif
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(begin, end) 0
#endif

namespace emulator {

static constexpr int WARP = 32, MOST_THREADS = 1024;
/* Pages that are not touched cost nothing. At a distance of a power of two the stacks of a warp
 * would share lines of the cache. */
static constexpr size_t STACK = (size_t(1) << 18) + 33 * 64;

struct thread {
  dim3 index;
  emulator::meeting meeting;
  unsigned mask;
  int source;
  uint64_t value, result;
};

/* The stacks of a host's thread, which run the threads of one block after the other. Only their
 * beginning needs a context; jumps between them, of the compiler's own kind, spare the calls of
 * the system, and sanitizers do not look for what a jump leaves behind. */
typedef void *jump[5];

struct stacks {
  char *memory;
  jump host, threads[MOST_THREADS];
  bool begun[MOST_THREADS] = {};
#ifdef _WIN32
  stacks() {
    memory = static_cast<char *>(malloc(MOST_THREADS * STACK));
  }
  ~stacks() {
    free(memory);
  }
#else
  stacks() {
    void *pages = mmap(nullptr, MOST_THREADS * STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) abort();
    memory = static_cast<char *>(pages);
    for (size_t k = 0; k < MOST_THREADS; k++) {
      (void)VALGRIND_STACK_REGISTER(memory + k * STACK, memory + (k + 1) * STACK - 1);
    }
  }
  ~stacks() {
    munmap(memory, MOST_THREADS * STACK);
  }
#endif
};

/* Lanes of a warp, as bits. All others meet the block. */
struct warp {
  unsigned running;
  unsigned meeting; /* lanes of the warp */
  unsigned ended;   /* or never there */
};

/* The block that is run. */
struct block {
  std::vector<thread> threads;
  std::vector<emulator::warp> warps;
  std::vector<char> memory;
  int count, ended, meeting; /* threads; those that meet all others */
  int now;                   /* whose turn it is */
  int turn, taken;           /* of this round, which goes forwards or backwards */
  bool backwards;
  std::function<void()> run;
  emulator::place place;
};
static thread_local cudaError_t error = cudaSuccess;

/* What a thread of the host has. It is freed by a key of the thread: where the compiler
 * emulates thread-local variables, as for Windows, they are gone before their destructors are
 * called. */
struct host {
  emulator::block block;
  emulator::stacks stacks;
};

static thread_local host *own_one;

[[gnu::noinline]] static void make_own() {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    if (pthread_key_create(&made, [](void *one) { delete static_cast<host *>(one); })) abort();
    return made;
  }();
  own_one = new host;
  pthread_setspecific(key, own_one);
}

static inline host &own_host() {
  if (!own_one) make_own();
  return *own_one;
}

static block &own() {
  return own_host().block;
}

static stacks &own_stacks() {
  return own_host().stacks;
}

[[noreturn]] static void end_program(const char *what) {
  fprintf(stderr, "emulated CUDA: %s (block %u %u %u, thread %d)\n", what,
          own().place.block_index.x, own().place.block_index.y, own().place.block_index.z,
          own().now);
  abort();
}

const place &here() {
  return own().place;
}

char *shared_memory() {
  return reinterpret_cast<char *>((uintptr_t(own().memory.data()) + 63) / 64 * 64);
}

/* ---- Meetings ---- */

static warp &warp_of(int number) {
  return own().warps[size_t(number / WARP)];
}

static uint64_t result_for(const thread *lanes, unsigned there, const thread &thread,
                           uint64_t all, uint64_t set) {
  switch (thread.meeting) {
  case SHUFFLE:
    if (!(there >> thread.source & 1)) {
      end_program("a lane reads from one that does not take part");
    }
    return lanes[thread.source].value;
  case BALLOT: return set;
  case ANY: return set != 0;
  case OR: return all;
  case SYNCHRONIZE: return 0;
  }
  return 0;
}

/* Lets the lanes of the mask that a thread waits for go on if all of them are there that have
 * not ended. */
static void meet_lanes(int number) {
  const thread &first = own().threads[size_t(number)];
  thread *lanes = &own().threads[size_t(number / WARP * WARP)];
  warp &warp = warp_of(number);
  unsigned there = first.mask & ~warp.ended;
  uint64_t all = 0, set = 0;
  if (there & ~warp.meeting) return;
  for (unsigned rest = there; rest; rest &= rest - 1) {
    int lane = __builtin_ctz(rest);
    const thread &other = lanes[lane];
    if (other.mask != first.mask || other.meeting != first.meeting) {
      end_program("lanes meet in different places");
    }
    all |= other.value;
    set |= uint64_t(other.value != 0) << lane;
  }
  for (unsigned rest = there; rest; rest &= rest - 1) {
    thread &other = lanes[__builtin_ctz(rest)];
    other.result = result_for(lanes, there, other, all, set);
  }
  warp.meeting &= ~there;
  warp.running |= there;
}

static void meet_all() {
  if (own().meeting + own().ended < own().count) return;
  for (warp &warp : own().warps) warp.running = ~(warp.meeting | warp.ended);
  own().meeting = 0;
}

static void give_turn_away();

uint64_t meet(meeting meeting, unsigned mask, uint64_t value, int source) {
  int now = own().now;
  thread &thread = own().threads[size_t(now)];
  warp &warp = warp_of(now);
  unsigned bit = 1u << now % WARP;
  if (!(mask & bit)) end_program("a lane is not in its own mask");
  thread.meeting = meeting;
  thread.mask = mask;
  thread.value = value;
  thread.source = source;
  warp.running &= ~bit;
  warp.meeting |= bit;
  meet_lanes(now);
  if (!(warp.running & bit)) give_turn_away();
  return thread.result;
}

void meet_block() {
  warp &warp = warp_of(own().now);
  unsigned bit = 1u << own().now % WARP;
  warp.running &= ~bit;
  own().meeting++;
  meet_all();
  if (!(warp.running & bit)) give_turn_away();
}

/* Nobody waits for a thread that has ended. */
static void end_thread() {
  own().ended++;
  warp &warp = warp_of(own().now);
  warp.running &= ~(1u << own().now % WARP);
  warp.ended |= 1u << own().now % WARP;
  for (unsigned rest = warp.meeting; rest; rest &= rest - 1) {
    int lane = __builtin_ctz(rest);
    if (warp.meeting >> lane & 1) meet_lanes(own().now / WARP * WARP + lane);
  }
  meet_all();
}

/* ---- Turns ---- */

/* The next thread that can go on, from one on, forwards or backwards; -1 where there is none.
 */
static int runs_from(const block &block, int number) {
  unsigned rest = block.backwards ? ~0u >> (WARP - 1 - number % WARP) : ~0u << number % WARP;
  int step = block.backwards ? -1 : 1, warps = int(block.warps.size());
  for (int w = number / WARP; w >= 0 && w < warps; w += step, rest = ~0u) {
    unsigned lanes = block.warps[size_t(w)].running & rest;
    if (lanes)
      return w * WARP + (block.backwards ? 31 - __builtin_clz(lanes) : __builtin_ctz(lanes));
  }
  return -1;
}

/* In each round every thread that can go on has a turn, forwards or backwards. */
static int next_thread(block &block) {
  for (;;) {
    int last = block.count - 1, from = block.backwards ? last - block.turn : block.turn;
    int number = block.turn > last ? -1 : runs_from(block, from);
    if (number >= 0) {
      block.turn = (block.backwards ? last - number : number) + 1;
      block.taken++;
      return number;
    }
    if (block.taken == 0) end_program("threads wait for others that never come");
    block.backwards = !block.backwards;
    block.turn = block.taken = 0;
  }
}

static void run_threads() {
  for (;;) {
    own().run();
    end_thread();
    give_turn_away();
  }
}

static void begin_stack(char *memory) {
#ifdef _WIN32
  __asm__ volatile("mov %0, %%rsp\n\tcall *%1"
                   :
                   : "r"(memory + STACK - 64), "r"(run_threads)
                   : "memory");
#else
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = memory;
  context.uc_stack.ss_size = STACK;
  context.uc_link = nullptr;
  makecontext(&context, run_threads, 0);
  setcontext(&context);
#endif
}

/* Goes on with the next thread, or on the host's own stack where all have ended. */
[[gnu::noinline]] static void give_turn() {
  block &block = own();
  stacks &stacks = own_stacks();
  if (block.ended == block.count) __builtin_longjmp(stacks.host, 1);
  int now = block.now = next_thread(block);
  block.place.thread_index = block.threads[size_t(now)].index;
  if (stacks.begun[now]) __builtin_longjmp(stacks.threads[now], 1);
  stacks.begun[now] = true;
  begin_stack(stacks.memory + size_t(now) * STACK);
}

[[gnu::noinline]] static void give_turn_away() {
  if (__builtin_setjmp(own_stacks().threads[own().now]) == 0) give_turn();
}

[[gnu::noinline]] static void give_turns() {
  if (__builtin_setjmp(own_stacks().host) == 0) give_turn();
}

static void start_thread(int number, const dim3 &size) {
  thread &thread = own().threads[size_t(number)];
  unsigned n = unsigned(number);
  thread.index = dim3(n % size.x, n / size.x % size.y, n / size.x / size.y);
}

static void run_block(bool backwards) {
  memset(own().memory.data(), 0xAB, own().memory.size());
  for (int k = 0; k < own().count; k++) start_thread(k, own().place.block);
  for (warp &warp : own().warps) warp = {~0u, 0, 0};
  if (own().count % WARP) {
    unsigned never = ~0u << own().count % WARP;
    own().warps.back() = {~never, 0, never};
  }
  own().ended = own().meeting = own().turn = own().taken = 0;
  own().backwards = backwards;
  give_turns();
}

static void run_blocks(const launch &launch, const std::function<void()> &run) {
  size_t count = size_t(launch.block.x) * launch.block.y * launch.block.z;
  own().count = int(count);
  own().threads.resize(count);
  own().warps.resize((count + WARP - 1) / WARP);
  own().memory.resize(launch.memory + 64);
  own().run = run;
  own().place.grid = launch.grid;
  own().place.block = launch.block;
  dim3 &index = own().place.block_index;
  for (index.z = 0; index.z < launch.grid.z; index.z++) {
    for (index.y = 0; index.y < launch.grid.y; index.y++) {
      for (index.x = 0; index.x < launch.grid.x; index.x++) run_block((index.x + index.y) % 2);
    }
  }
}

/* ---- Streams ---- */

static void run_work(const void *work_) {
  auto *work = *static_cast<std::function<void()> *const *>(work_);
  (*work)();
  delete work;
}

cudaError_t put(cudaStream_t stream, std::function<void()> work) {
  auto *kept = new std::function<void()>(std::move(work));
  cudaError_t code = fake_cuda_put(stream, run_work, &kept, sizeof kept);
  if (code) delete kept;
  return code;
}

void put_threads(const launch &launch, std::function<void()> thread) {
  dim3 grid = launch.grid, block = launch.block;
  size_t threads = size_t(block.x) * block.y * block.z;
  bool fits = grid.x > 0 && grid.y > 0 && grid.z > 0 && threads > 0 &&
              threads <= MOST_THREADS && grid.x <= 0x7fffffff && grid.y <= 65535 &&
              grid.z <= 65535;
  fake_cuda_count_launch();
  cudaError_t code =
    fits ? put(launch.stream, [=] { run_blocks(launch, thread); }) : cudaErrorInvalidValue;
  if (code && !error) error = code;
}

void note_launch(const void *kernel) {
  static const char *const name = getenv("PCFDIST_LAUNCHES");
  static FILE *const file = name ? fopen(name, "a") : nullptr;
  if (file) {
    fprintf(file, "%td\n",
            static_cast<const char *>(kernel) - reinterpret_cast<const char *>(put_threads));
    fflush(file);
  }
}

cudaError_t last_error() {
  cudaError_t last = error;
  error = cudaSuccess;
  return last;
}

} // namespace emulator
