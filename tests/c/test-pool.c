/* Memory that stays between calls, from a source that counts and can run dry. */
#include "check.h"

#include "cuda/pool.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- A source ---- */

enum { DRY = 7, BROKEN = 9 };

/* Memory is not touched, so that the sizes may be any. */
static struct {
  pthread_mutex_t lock;
  long allocations, frees;
  double bytes, capacity; /* out, and at most */
  int broken;
} source = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int allocate(size_t bytes, void **address) {
  int code = source.broken ? BROKEN : 0;
  pthread_mutex_lock(&source.lock);
  if (source.bytes + (double)bytes > source.capacity) code = DRY;
  if (!code) {
    size_t *block = malloc(sizeof *block);
    *block = bytes;
    *address = block;
    source.bytes += (double)bytes;
    source.allocations++;
  }
  pthread_mutex_unlock(&source.lock);
  return code;
}

static void release(void *address) {
  pthread_mutex_lock(&source.lock);
  source.bytes -= (double)*(size_t *)address;
  source.frees++;
  pthread_mutex_unlock(&source.lock);
  free(address);
}

static const struct pcf_pool_source counting = {allocate, release, DRY};

static struct pcf_pool *new_pool(double capacity) {
  struct pcf_pool *pool = kept(malloc(sizeof *pool));
  source.allocations = source.frees = 0;
  source.bytes = 0;
  source.broken = 0;
  source.capacity = capacity;
  pcf_pool_init(pool, &counting, 1.125);
  return pool;
}

/* All that the source gave comes back. */
static void end_pool(struct pcf_pool *pool) {
  CHECK(pool->bytes.busy == 0 && pool->bytes.owned == 0);
  pcf_pool_release(pool);
  CHECK(pool->count == 0 && pool->bytes.idle == 0);
  CHECK(source.bytes == 0 && source.allocations == source.frees);
}

static void *take(struct pcf_pool *pool, size_t bytes) {
  void *address;
  CHECK(pcf_pool_take(pool, bytes, INFINITY, &address) == 0);
  CHECK(address != NULL);
  return address;
}

/* ---- Tests ---- */

TEST(pool_gives_what_was_given_back_to_whoever_wants_about_as_much) {
  struct pcf_pool *pool = new_pool(INFINITY);
  void *a = take(pool, 1000000), *b = take(pool, 1000000);
  CHECK(a != b && source.allocations == 2);
  pcf_pool_give(pool, a);
  CHECK(pcf_pool_bytes(pool).idle >= 1e6 && source.frees == 0);
  CHECK(take(pool, 990000) == a && source.allocations == 2);
  pcf_pool_give(pool, a);
  void *small = take(pool, 500000), *large = take(pool, 1200000);
  CHECK(small != a && large != a && source.allocations == 4);
  pcf_pool_give(pool, NULL);
  pcf_pool_give(pool, b);
  CHECK(take(pool, 1000000) != NULL && source.allocations == 4);
  pcf_pool_give(pool, a), pcf_pool_give(pool, b);
  pcf_pool_give(pool, small), pcf_pool_give(pool, large);
  end_pool(pool);
}

TEST(pool_takes_the_smallest_block_that_will_do) {
  struct pcf_pool *pool = new_pool(INFINITY);
  static const size_t sizes[] = {1 << 20, (1 << 20) + (2 << 16), (1 << 20) + (1 << 16)};
  void *block[3];
  for (int k = 0; k < 3; k++) block[k] = take(pool, sizes[k]);
  for (int k = 0; k < 3; k++) pcf_pool_give(pool, block[k]);
  CHECK(take(pool, (1 << 20) + 1) == block[2]);
  CHECK(take(pool, (1 << 20) + 1) == block[1]);
  CHECK(take(pool, 1 << 20) == block[0]);
  CHECK(source.allocations == 3);
  for (int k = 0; k < 3; k++) pcf_pool_give(pool, block[k]);
  end_pool(pool);
}

TEST(pool_rounds_up_by_a_sixteenth_at_most) {
  static const size_t sizes[] = {0,       1,          255,    256,       257,
                                 8191,    8193,       100000, (1 << 20), (1 << 20) + 1,
                                 1234567, 5000000001, 3 << 28};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    struct pcf_pool *pool = new_pool(INFINITY);
    void *address = take(pool, sizes[k]);
    CHECK(source.bytes >= (double)sizes[k] && source.bytes > 0);
    CHECK(source.bytes <= fmax(256, (double)sizes[k] * 17 / 16 + 256));
    CHECK(pool->bytes.busy == source.bytes);
    pcf_pool_give(pool, address);
    end_pool(pool);
  }
}

TEST(pool_frees_what_is_kept_when_the_source_runs_dry) {
  struct pcf_pool *pool = new_pool(10 << 20);
  void *address, *a = take(pool, 4 << 20), *b = take(pool, 4 << 20);
  pcf_pool_give(pool, a);
  void *c = take(pool, 6 << 20);
  CHECK(source.frees == 1 && pool->bytes.idle == 0);
  CHECK(pcf_pool_take(pool, 1 << 20, INFINITY, &address) == DRY && address == NULL);
  pcf_pool_give(pool, b);
  CHECK(pcf_pool_take(pool, 8 << 20, INFINITY, &address) == DRY && address == NULL);
  CHECK(pool->bytes.idle == 0 && source.frees == 2);
  pcf_pool_give(pool, c);
  source.broken = 1;
  CHECK(pcf_pool_take(pool, 1 << 20, INFINITY, &address) == BROKEN && address == NULL);
  CHECK(pool->bytes.idle == 6 << 20); /* that does not help, so it stays */
  end_pool(pool);
}

/* What is kept counts too, and makes room. */
TEST(pool_never_has_more_than_it_may) {
  struct pcf_pool *pool = new_pool(INFINITY);
  double most = 8 << 20;
  void *address, *a, *b = NULL;
  CHECK(pcf_pool_take(pool, (8 << 20) + 1, most, &address) == DRY && address == NULL);
  CHECK(source.allocations == 0);
  CHECK(pcf_pool_take(pool, 4 << 20, most, &a) == 0 &&
        pcf_pool_take(pool, 4 << 20, most, &b) == 0);
  CHECK(pcf_pool_take(pool, 1, most, &address) == DRY);
  pcf_pool_give(pool, a);
  CHECK(pcf_pool_take(pool, 2 << 20, most, &a) == 0);
  CHECK(source.frees == 1 && source.bytes == 6 << 20);
  pcf_pool_give(pool, a);
  pcf_pool_give(pool, b);
  /* The next call may have less: an idle block that fits stays, the other goes. */
  CHECK(pcf_pool_take(pool, 2 << 20, 3 << 20, &address) == 0 && address == a);
  CHECK(source.bytes == 2 << 20 && source.allocations == 3);
  pcf_pool_give(pool, a);
  end_pool(pool);
}

TEST(pool_does_not_take_a_larger_block_past_the_limit) {
  struct pcf_pool *pool = new_pool(INFINITY);
  void *a = take(pool, 1100000), *b;
  pcf_pool_give(pool, a);
  CHECK(pcf_pool_take(pool, 1 << 20, 1 << 20, &b) == 0);
  CHECK(source.bytes == 1 << 20 && source.frees == 1);
  pcf_pool_give(pool, b);
  end_pool(pool);
}

TEST(pool_keeps_what_the_last_calls_used_up_to_a_limit) {
  struct pcf_pool *pool = new_pool(INFINITY);
  void *once = take(pool, 64 << 20), *always = take(pool, 1 << 20);
  pcf_pool_give(pool, once), pcf_pool_give(pool, always);
  pcf_pool_end_call(pool, INFINITY);
  for (int call = 1; call < PCF_POOL_CALLS; call++) {
    CHECK(pool->count == 2);
    CHECK(take(pool, 1 << 20) == always);
    pcf_pool_give(pool, always);
    pcf_pool_end_call(pool, INFINITY);
  }
  CHECK(pool->count == 2);
  pcf_pool_end_call(pool, INFINITY);
  CHECK(pool->count == 1 && pool->bytes.idle == 1 << 20);
  void *other = take(pool, 2 << 20);
  pcf_pool_give(pool, other);
  pcf_pool_end_call(pool, 2 << 20); /* the older one goes */
  CHECK(pool->count == 1 && pool->bytes.idle == 2 << 20);
  pcf_pool_end_call(pool, 0);
  CHECK(pool->count == 0);
  end_pool(pool);
}

TEST(pool_leaves_what_is_in_use_alone) {
  struct pcf_pool *pool = new_pool(INFINITY);
  void *a = take(pool, 1 << 20), *b = take(pool, 1 << 20);
  pcf_pool_give(pool, b);
  CHECK(pcf_pool_release(pool) == 1 << 20);
  pcf_pool_end_call(pool, 0);
  CHECK(pool->count == 1 && pool->bytes.busy == 1 << 20);
  pcf_pool_give(pool, a);
  end_pool(pool);
}

TEST(pool_with_too_many_blocks) {
  struct pcf_pool *pool = new_pool(INFINITY);
  void *block[PCF_POOL_BLOCKS], *address;
  for (int k = 0; k < PCF_POOL_BLOCKS; k++) block[k] = take(pool, (size_t)(k + 1) << 12);
  CHECK(pcf_pool_take(pool, 1, INFINITY, &address) == PCF_POOL_FULL && address == NULL);
  pcf_pool_give(pool, block[5]);
  block[5] = take(pool, 1 << 28); /* in the place of a kept block that does not fit */
  CHECK(source.frees == 1);
  for (int k = 0; k < PCF_POOL_BLOCKS; k++) pcf_pool_give(pool, block[k]);
  end_pool(pool);
}

/* ---- Blocks of owners ---- */

static void *own(struct pcf_pool *pool, size_t bytes, int64_t owner) {
  void *address = take(pool, bytes);
  pcf_pool_own(pool, address, owner, 0);
  CHECK(pcf_pool_owned(pool, owner) >= (double)bytes);
  return address;
}

TEST(pool_leaves_blocks_to_their_owner) {
  struct pcf_pool *pool = new_pool(INFINITY);
  void *a = own(pool, 1 << 20, 7);
  CHECK(pool->bytes.busy == 0 && pool->bytes.idle == 0 && pool->bytes.owned == 1 << 20);
  void *b = take(pool, 1 << 20);
  CHECK(a != b && source.allocations == 2);
  pcf_pool_give(pool, a); /* not in use: nothing happens */
  pcf_pool_give(pool, b);
  pcf_pool_end_call(pool, 0);
  CHECK(pcf_pool_release(pool) == 0 && pool->bytes.owned == 1 << 20);
  for (int call = 0; call < 2 * PCF_POOL_CALLS; call++) pcf_pool_end_call(pool, 0);
  CHECK(pcf_pool_use(pool, 7) == a && pcf_pool_use(pool, 8) == NULL);
  CHECK(pcf_pool_use(pool, 0) == NULL);
  pcf_pool_done(pool, 7);
  CHECK(pcf_pool_drop(pool, 7) == 1 << 20 && source.frees == 2);
  CHECK(pcf_pool_drop(pool, 7) == 0 && pcf_pool_use(pool, 7) == NULL);
  CHECK(pcf_pool_owned(pool, 7) == 0 && pool->bytes.owned == 0);
  end_pool(pool);
}

/* First what is kept goes, then what nobody has used for the longest time, and nothing that is
 * read. */
TEST(pool_makes_room_where_it_is_wanted) {
  struct pcf_pool *pool = new_pool(10 << 20);
  void *address;
  for (int64_t owner = 1; owner <= 4; owner++) {
    own(pool, 2 << 20, owner);
    pcf_pool_end_call(pool, INFINITY);
  }
  void *kept = take(pool, 2 << 20);
  pcf_pool_give(pool, kept);
  CHECK(pcf_pool_use(pool, 1) != NULL);
  void *a = take(pool, 4 << 20); /* the kept one and that of owner 2 */
  CHECK(pool->bytes.idle == 0 && !pcf_pool_owned(pool, 2) && pcf_pool_owned(pool, 1));
  CHECK(pcf_pool_owned(pool, 3) && pcf_pool_owned(pool, 4));
  void *b = take(pool, 4 << 20);
  CHECK(!pcf_pool_owned(pool, 3) && !pcf_pool_owned(pool, 4));
  CHECK(pcf_pool_take(pool, 1 << 20, INFINITY, &address) == DRY);
  CHECK(pcf_pool_owned(pool, 1));
  pcf_pool_done(pool, 1);
  CHECK(pcf_pool_take(pool, 1 << 20, INFINITY, &address) == 0);
  CHECK(!pcf_pool_owned(pool, 1) && pool->bytes.owned == 0);
  pcf_pool_give(pool, a), pcf_pool_give(pool, b), pcf_pool_give(pool, address);
  end_pool(pool);
}

TEST(pool_counts_blocks_of_owners_towards_the_limit) {
  struct pcf_pool *pool = new_pool(INFINITY);
  double most = 8 << 20;
  void *address;
  own(pool, 4 << 20, 1);
  CHECK(pcf_pool_use(pool, 1) != NULL);
  CHECK(pcf_pool_take(pool, 5 << 20, most, &address) == DRY && address == NULL);
  CHECK(pcf_pool_take(pool, 4 << 20, most, &address) == 0);
  pcf_pool_give(pool, address);
  pcf_pool_done(pool, 1);
  CHECK(pcf_pool_take(pool, 5 << 20, most, &address) == 0);
  CHECK(source.bytes == 5 << 20 && !pcf_pool_owned(pool, 1));
  pcf_pool_give(pool, address);
  end_pool(pool);
}

/* Of two that were used in the same call, the later one was made from the other. */
TEST(pool_drops_what_was_made_before_what_it_was_made_from) {
  struct pcf_pool *pool = new_pool(4 << 20);
  own(pool, 1 << 20, 1);
  own(pool, 1 << 20, 3);
  own(pool, 1 << 20, 2);
  void *a = take(pool, 2 << 20);
  CHECK(!pcf_pool_owned(pool, 3) && pcf_pool_owned(pool, 1) && pcf_pool_owned(pool, 2));
  pcf_pool_give(pool, a);
  pcf_pool_drop(pool, 1), pcf_pool_drop(pool, 2);
  end_pool(pool);
}

TEST(pool_frees_what_is_dropped_while_it_is_read_when_all_are_done) {
  struct pcf_pool *pool = new_pool(INFINITY);
  void *address = take(pool, 1 << 20);
  pcf_pool_own(pool, address, 5, 1);
  CHECK(pcf_pool_use(pool, 5) == address);
  CHECK(pcf_pool_drop(pool, 5) == 1 << 20);
  CHECK(source.frees == 0 && pcf_pool_use(pool, 5) == NULL && !pcf_pool_owned(pool, 5));
  CHECK(pool->bytes.owned == 1 << 20);
  pcf_pool_done(pool, 5);
  CHECK(source.frees == 0);
  pcf_pool_done(pool, 5);
  CHECK(source.frees == 1 && pool->bytes.owned == 0);
  end_pool(pool);
}

TEST(pool_with_too_many_blocks_gives_up_one_of_an_owner) {
  struct pcf_pool *pool = new_pool(INFINITY);
  for (int k = 0; k < PCF_POOL_BLOCKS; k++) own(pool, 4096, k + 1);
  void *address = take(pool, 1);
  CHECK(pool->count == PCF_POOL_BLOCKS && !pcf_pool_owned(pool, PCF_POOL_BLOCKS));
  for (int k = 0; k < PCF_POOL_BLOCKS; k++) pcf_pool_drop(pool, k + 1);
  pcf_pool_give(pool, address);
  end_pool(pool);
}

static void *take_and_give(void *pool) {
  for (int k = 0; k < 2000; k++) {
    void *a = take(pool, 1000 + (size_t)k % 7 * 1000), *b = take(pool, 50000);
    pcf_pool_give(pool, a);
    pcf_pool_give(pool, b);
    if (k % 100 == 0) pcf_pool_end_call(pool, 60000);
  }
  return NULL;
}

TEST(pool_of_several_threads) {
  struct pcf_pool *pool = new_pool(INFINITY);
  pthread_t thread[4];
  for (int t = 0; t < 4; t++) pthread_create(&thread[t], NULL, take_and_give, pool);
  for (int t = 0; t < 4; t++) pthread_join(thread[t], NULL);
  end_pool(pool);
}
