/* The turns of threads: each has a stack of its own, and gives its turn away where it meets
 * others. A block is run to its end before the next one, by the thread of the host that waits
 * for its stream. */
#include "cuda.h"

#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

namespace emulator {

static constexpr int WARP = 32, MOST_THREADS = 1024;
static constexpr size_t STACK = size_t(1) << 18; /* pages that are not touched cost nothing */

enum class state { RUNS, MEETS_WARP, MEETS_BLOCK, ENDED };

struct thread {
  dim3 index;
  emulator::state state;
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
  jump turns, threads[MOST_THREADS];
  bool begun[MOST_THREADS] = {};
  stacks() {
    memory = static_cast<char *>(mmap(nullptr, MOST_THREADS * STACK, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  ~stacks() { munmap(memory, MOST_THREADS * STACK); }
};

/* The block that is run. */
struct block {
  std::vector<thread> threads;
  std::vector<char> memory;
  int now; /* whose turn it is */
  std::function<void()> run;
  emulator::place place;
};
static thread_local block own;
static thread_local stacks own_stacks;
static thread_local cudaError_t error = cudaSuccess;

[[noreturn]] static void end_program(const char *what) {
  fprintf(stderr, "emulated CUDA: %s (block %u %u %u, thread %d)\n", what,
          own.place.block_index.x, own.place.block_index.y, own.place.block_index.z, own.now);
  abort();
}

const place &here() {
  return own.place;
}

char *shared_memory() {
  return reinterpret_cast<char *>((uintptr_t(own.memory.data()) + 63) / 64 * 64);
}

/* ---- Meetings ---- */

static thread *warp_of(int number) {
  return &own.threads[size_t(number / WARP * WARP)];
}

static bool is_there(const thread *warp, int lane) {
  const thread *thread = warp + lane;
  return thread < own.threads.data() + own.threads.size() && thread->state != state::ENDED;
}

static uint64_t result_for(const thread *warp, const thread &thread, uint64_t all,
                           uint64_t set) {
  switch (thread.meeting) {
  case SHUFFLE:
    if (!(thread.mask >> thread.source & 1) || !is_there(warp, thread.source)) {
      end_program("a lane reads from one that does not take part");
    }
    return warp[thread.source].value;
  case BALLOT: return set;
  case ANY: return set != 0;
  case OR: return all;
  case SYNCHRONIZE: return 0;
  }
  return 0;
}

/* Lets the lanes of a mask go on if all of them are there that have not ended. */
static void meet_lanes(thread *warp, unsigned mask, emulator::meeting meeting) {
  uint64_t all = 0, set = 0;
  for (int lane = 0; lane < WARP; lane++) {
    if (!(mask >> lane & 1) || !is_there(warp, lane)) continue;
    const thread &other = warp[lane];
    if (other.state != state::MEETS_WARP) return;
    if (other.mask != mask || other.meeting != meeting) {
      end_program("lanes meet in different places");
    }
    all |= other.value;
    set |= uint64_t(other.value != 0) << lane;
  }
  for (int lane = 0; lane < WARP; lane++) {
    if (!(mask >> lane & 1) || !is_there(warp, lane)) continue;
    warp[lane].result = result_for(warp, warp[lane], all, set);
  }
  for (int lane = 0; lane < WARP; lane++) {
    if (mask >> lane & 1 && is_there(warp, lane)) warp[lane].state = state::RUNS;
  }
}

static void meet_all() {
  for (const thread &thread : own.threads) {
    if (thread.state != state::MEETS_BLOCK && thread.state != state::ENDED) return;
  }
  for (thread &thread : own.threads) {
    if (thread.state == state::MEETS_BLOCK) thread.state = state::RUNS;
  }
}

[[gnu::noinline]] static void give_turn_away() {
  if (__builtin_setjmp(own_stacks.threads[own.now]) == 0)
    __builtin_longjmp(own_stacks.turns, 1);
}

uint64_t meet(meeting meeting, unsigned mask, uint64_t value, int source) {
  thread &thread = own.threads[size_t(own.now)];
  if (!(mask >> own.now % WARP & 1)) end_program("a lane is not in its own mask");
  thread.meeting = meeting;
  thread.mask = mask;
  thread.value = value;
  thread.source = source;
  thread.state = state::MEETS_WARP;
  meet_lanes(warp_of(own.now), mask, meeting);
  if (thread.state != state::RUNS) give_turn_away();
  return thread.result;
}

void meet_block() {
  thread &thread = own.threads[size_t(own.now)];
  thread.state = state::MEETS_BLOCK;
  meet_all();
  if (thread.state != state::RUNS) give_turn_away();
}

/* Nobody waits for a thread that has ended. */
static void end_thread() {
  own.threads[size_t(own.now)].state = state::ENDED;
  thread *warp = warp_of(own.now);
  for (int lane = 0; lane < WARP; lane++) {
    if (is_there(warp, lane) && warp[lane].state == state::MEETS_WARP) {
      meet_lanes(warp, warp[lane].mask, warp[lane].meeting);
    }
  }
  meet_all();
}

/* ---- Turns ---- */

static void run_threads() {
  for (;;) {
    own.run();
    end_thread();
    give_turn_away();
  }
}

static void begin_stack(int number) {
  ucontext_t context;
  own_stacks.begun[number] = true;
  getcontext(&context);
  context.uc_stack.ss_sp = own_stacks.memory + size_t(number) * STACK;
  context.uc_stack.ss_size = STACK;
  context.uc_link = nullptr;
  makecontext(&context, run_threads, 0);
  setcontext(&context);
}

[[gnu::noinline]] static void give_turn_to(int number) {
  if (__builtin_setjmp(own_stacks.turns)) return;
  if (own_stacks.begun[number]) __builtin_longjmp(own_stacks.threads[number], 1);
  begin_stack(number);
}

static void start_thread(int number, const dim3 &size) {
  thread &thread = own.threads[size_t(number)];
  unsigned n = unsigned(number);
  thread.index = dim3(n % size.x, n / size.x % size.y, n / size.x / size.y);
  thread.state = state::RUNS;
}

/* Gives each thread that can go on a turn, forwards or backwards. Returns how many did. */
static int take_turns(bool backwards) {
  int count = int(own.threads.size()), turns = 0;
  for (int k = 0; k < count; k++) {
    own.now = backwards ? count - 1 - k : k;
    thread &thread = own.threads[size_t(own.now)];
    if (thread.state != state::RUNS) continue;
    own.place.thread_index = thread.index;
    give_turn_to(own.now);
    turns++;
  }
  return turns;
}

static void run_block(bool backwards) {
  int count = int(own.threads.size()), ended = 0;
  memset(own.memory.data(), 0xAB, own.memory.size());
  for (int k = 0; k < count; k++) start_thread(k, own.place.block);
  for (; ended < count; backwards = !backwards) {
    if (take_turns(backwards) == 0) end_program("threads wait for others that never come");
    ended = 0;
    for (const thread &thread : own.threads) ended += thread.state == state::ENDED;
  }
}

static void run_blocks(const launch &launch, const std::function<void()> &run) {
  size_t count = size_t(launch.block.x) * launch.block.y * launch.block.z;
  own.threads.resize(count);
  own.memory.resize(launch.memory + 64);
  own.run = run;
  own.place.grid = launch.grid;
  own.place.block = launch.block;
  dim3 &index = own.place.block_index;
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
  cudaError_t code =
    fits ? put(launch.stream, [=] { run_blocks(launch, thread); }) : cudaErrorInvalidValue;
  if (code && !error) error = code;
}

cudaError_t last_error() {
  cudaError_t last = error;
  error = cudaSuccess;
  return last;
}

} // namespace emulator
