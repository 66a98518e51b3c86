#include "cuda/pool.h"

#include <math.h>
#include <string.h>

static size_t size_class(size_t bytes);
static int find(const struct pcf_pool *pool, size_t bytes);
static void use(struct pcf_pool *pool, int k);
static int add(struct pcf_pool *pool, size_t bytes, void **address);
static int oldest(const struct pcf_pool *pool);
static int make_room(struct pcf_pool *pool);
static void drop(struct pcf_pool *pool, int k);
static void drop_down_to(struct pcf_pool *pool, double most);

/* The bytes in use and those of owners, which cannot be given to others. */
static double occupied(const struct pcf_pool *pool) {
  return pool->bytes.busy + pool->bytes.owned;
}

void pcf_pool_init(struct pcf_pool *pool, const struct pcf_pool_source *source, double spare) {
  memset(pool, 0, sizeof *pool);
  pool->source = source;
  pool->spare = spare;
  pthread_mutex_init(&pool->lock, NULL);
}

int pcf_pool_take(struct pcf_pool *pool, size_t bytes, double most, void **address) {
  int code = 0;
  *address = NULL;
  bytes = size_class(bytes);
  pthread_mutex_lock(&pool->lock);
  while (occupied(pool) + (double)bytes > most && make_room(pool)) continue;
  int k = find(pool, bytes);
  if (k >= 0 && occupied(pool) + (double)pool->block[k].bytes > most) k = -1;
  if (k < 0 && occupied(pool) + (double)bytes > most) {
    code = pool->source->exhausted;
  } else if (k < 0) {
    drop_down_to(pool, most - occupied(pool) - (double)bytes);
    code = add(pool, bytes, address);
  } else {
    *address = pool->block[k].address;
    use(pool, k);
    drop_down_to(pool, most - occupied(pool));
  }
  pthread_mutex_unlock(&pool->lock);
  return code;
}

void pcf_pool_give(struct pcf_pool *pool, void *address) {
  pthread_mutex_lock(&pool->lock);
  for (int k = 0; address && k < pool->count; k++) {
    if (pool->block[k].address != address || !pool->block[k].busy) continue;
    pool->block[k].busy = 0;
    pool->bytes.busy -= (double)pool->block[k].bytes;
    pool->bytes.idle += (double)pool->block[k].bytes;
  }
  pthread_mutex_unlock(&pool->lock);
}

static int is_idle(const struct pcf_pool *pool, int k) {
  return !pool->block[k].busy && !pool->block[k].owner;
}

/* ---- Calls ---- */

void pcf_pool_end_call(struct pcf_pool *pool, double most) {
  pthread_mutex_lock(&pool->lock);
  for (int k = pool->count - 1; k >= 0; k--) {
    if (is_idle(pool, k) && pool->block[k].call + PCF_POOL_CALLS <= pool->call) {
      drop(pool, k);
    }
  }
  drop_down_to(pool, most);
  pool->call++;
  pthread_mutex_unlock(&pool->lock);
}

double pcf_pool_release(struct pcf_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  double released = pool->bytes.idle;
  drop_down_to(pool, 0);
  pthread_mutex_unlock(&pool->lock);
  return released;
}

struct pcf_pool_bytes pcf_pool_bytes(struct pcf_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  struct pcf_pool_bytes bytes = pool->bytes;
  pthread_mutex_unlock(&pool->lock);
  return bytes;
}

/* ---- Blocks of owners ---- */

void pcf_pool_own(struct pcf_pool *pool, const void *address, int64_t owner, int used) {
  pthread_mutex_lock(&pool->lock);
  for (int k = 0; k < pool->count; k++) {
    if (pool->block[k].address != address || !pool->block[k].busy) continue;
    pool->block[k].busy = 0;
    pool->block[k].owner = owner;
    pool->block[k].users = used;
    pool->bytes.busy -= (double)pool->block[k].bytes;
    pool->bytes.owned += (double)pool->block[k].bytes;
  }
  pthread_mutex_unlock(&pool->lock);
}

/* The place of an owner's block that was not dropped, or -1; the lock is held. */
static int place_of(const struct pcf_pool *pool, int64_t owner) {
  for (int k = 0; owner && k < pool->count; k++) {
    if (pool->block[k].owner == owner && !pool->block[k].dropped) return k;
  }
  return -1;
}

void *pcf_pool_use(struct pcf_pool *pool, int64_t owner) {
  void *address = NULL;
  pthread_mutex_lock(&pool->lock);
  int k = place_of(pool, owner);
  if (k >= 0) {
    address = pool->block[k].address;
    pool->block[k].users++;
    pool->block[k].call = pool->call;
  }
  pthread_mutex_unlock(&pool->lock);
  return address;
}

void pcf_pool_done(struct pcf_pool *pool, int64_t owner) {
  pthread_mutex_lock(&pool->lock);
  for (int k = pool->count - 1; k >= 0; k--) {
    if (pool->block[k].owner != owner || !pool->block[k].users) continue;
    if (--pool->block[k].users == 0 && pool->block[k].dropped) drop(pool, k);
  }
  pthread_mutex_unlock(&pool->lock);
}

double pcf_pool_drop(struct pcf_pool *pool, int64_t owner) {
  double bytes = 0;
  pthread_mutex_lock(&pool->lock);
  int k = place_of(pool, owner);
  if (k >= 0) {
    bytes = (double)pool->block[k].bytes;
    pool->block[k].dropped = 1;
    if (!pool->block[k].users) drop(pool, k);
  }
  pthread_mutex_unlock(&pool->lock);
  return bytes;
}

double pcf_pool_owned(struct pcf_pool *pool, int64_t owner) {
  pthread_mutex_lock(&pool->lock);
  int k = place_of(pool, owner);
  double bytes = k >= 0 ? (double)pool->block[k].bytes : 0;
  pthread_mutex_unlock(&pool->lock);
  return bytes;
}

/* ---- Blocks; the lock is held ---- */

/* Rounds up by a sixteenth at most, so that calls of nearly the same size share blocks. */
static size_t size_class(size_t bytes) {
  size_t step = 256;
  while (step <= bytes / 32) step *= 2;
  return bytes == 0 ? step : (bytes - 1) / step * step + step;
}

/* The smallest idle block that will do, or -1. */
static int find(const struct pcf_pool *pool, size_t bytes) {
  int best = -1;
  for (int k = 0; k < pool->count; k++) {
    size_t size = pool->block[k].bytes;
    if (!is_idle(pool, k) || size < bytes || (double)size > pool->spare * (double)bytes) {
      continue;
    }
    if (best < 0 || size < pool->block[best].bytes) best = k;
  }
  return best;
}

static void use(struct pcf_pool *pool, int k) {
  pool->block[k].busy = 1;
  pool->block[k].call = pool->call;
  pool->bytes.idle -= (double)pool->block[k].bytes;
  pool->bytes.busy += (double)pool->block[k].bytes;
}

/* A new block, in use. */
static int add(struct pcf_pool *pool, size_t bytes, void **address) {
  if (pool->count == PCF_POOL_BLOCKS && oldest(pool) >= 0) drop(pool, oldest(pool));
  if (pool->count == PCF_POOL_BLOCKS) make_room(pool);
  if (pool->count == PCF_POOL_BLOCKS) return PCF_POOL_FULL;
  int code = pool->source->allocate(bytes, address);
  if (code == pool->source->exhausted && pool->bytes.idle > 0) {
    drop_down_to(pool, 0);
    code = pool->source->allocate(bytes, address);
  }
  while (code == pool->source->exhausted && make_room(pool)) {
    code = pool->source->allocate(bytes, address);
  }
  if (code) {
    *address = NULL;
    return code;
  }
  int k = pool->count++;
  pool->block[k].address = *address;
  pool->block[k].bytes = bytes;
  pool->block[k].owner = 0;
  pool->block[k].users = pool->block[k].dropped = 0;
  pool->bytes.idle += (double)bytes;
  use(pool, k);
  return 0;
}

/* The block that has been idle for the longest time, or -1. */
static int oldest(const struct pcf_pool *pool) {
  int best = -1;
  for (int k = 0; k < pool->count; k++) {
    if (!is_idle(pool, k)) continue;
    if (best < 0 || pool->block[k].call < pool->block[best].call) best = k;
  }
  return best;
}

/* Frees the block of an owner that is read by nobody and was used longest ago; of several in
 * one call that of the latest owner, which was made from those before. Returns whether there
 * was one. */
static int make_room(struct pcf_pool *pool) {
  int best = -1;
  for (int k = 0; k < pool->count; k++) {
    if (!pool->block[k].owner || pool->block[k].users) continue;
    long later = best < 0 ? -1 : pool->block[k].call - pool->block[best].call;
    if (later < 0 || (!later && pool->block[k].owner > pool->block[best].owner)) best = k;
  }
  if (best >= 0) drop(pool, best);
  return best >= 0;
}

static void drop(struct pcf_pool *pool, int k) {
  pool->source->free(pool->block[k].address);
  if (pool->block[k].owner) pool->bytes.owned -= (double)pool->block[k].bytes;
  else pool->bytes.idle -= (double)pool->block[k].bytes;
  pool->block[k] = pool->block[--pool->count];
}

/* Frees idle blocks, those idle for the longest time first, until `most` bytes are left. */
static void drop_down_to(struct pcf_pool *pool, double most) {
  while (pool->count && pool->bytes.idle > fmax(most, 0)) {
    int k = oldest(pool);
    if (k < 0) return;
    drop(pool, k);
  }
}
