#include "cuda/pool.h"

#include <math.h>
#include <string.h>

static size_t size_class(size_t bytes);
static int find(const struct pcf_pool *pool, size_t bytes);
static void use(struct pcf_pool *pool, int k);
static int add(struct pcf_pool *pool, size_t bytes, void **address);
static int oldest(const struct pcf_pool *pool);
static void drop(struct pcf_pool *pool, int k);
static void drop_down_to(struct pcf_pool *pool, double most);

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
  int k = find(pool, bytes);
  if (k >= 0 && pool->busy + (double)pool->block[k].bytes > most) k = -1;
  if (k < 0 && pool->busy + (double)bytes > most) {
    code = pool->source->exhausted;
  } else if (k < 0) {
    drop_down_to(pool, most - pool->busy - (double)bytes);
    code = add(pool, bytes, address);
  } else {
    *address = pool->block[k].address;
    use(pool, k);
    drop_down_to(pool, most - pool->busy);
  }
  pthread_mutex_unlock(&pool->lock);
  return code;
}

void pcf_pool_give(struct pcf_pool *pool, void *address) {
  pthread_mutex_lock(&pool->lock);
  for (int k = 0; address && k < pool->count; k++) {
    if (pool->block[k].address != address || !pool->block[k].busy) continue;
    pool->block[k].busy = 0;
    pool->busy -= (double)pool->block[k].bytes;
    pool->kept += (double)pool->block[k].bytes;
  }
  pthread_mutex_unlock(&pool->lock);
}

/* ---- Calls ---- */

void pcf_pool_begin_call(struct pcf_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pool->call++;
  pthread_mutex_unlock(&pool->lock);
}

void pcf_pool_end_call(struct pcf_pool *pool, double most) {
  pthread_mutex_lock(&pool->lock);
  for (int k = pool->count - 1; k >= 0; k--) {
    if (!pool->block[k].busy && pool->block[k].call + PCF_POOL_CALLS <= pool->call) {
      drop(pool, k);
    }
  }
  drop_down_to(pool, most);
  pthread_mutex_unlock(&pool->lock);
}

double pcf_pool_release(struct pcf_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  double released = pool->kept;
  drop_down_to(pool, 0);
  pthread_mutex_unlock(&pool->lock);
  return released;
}

double pcf_pool_kept(struct pcf_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  double kept = pool->kept;
  pthread_mutex_unlock(&pool->lock);
  return kept;
}

/* ---- Blocks; the lock is held ---- */

/* Rounds up by a sixteenth at most, so that calls of nearly the same size share blocks. */
static size_t size_class(size_t bytes) {
  size_t step = 256;
  while (step <= bytes / 32) step *= 2;
  return bytes == 0 ? step : (bytes - 1) / step * step + step;
}

/* The smallest kept block that will do, or -1. */
static int find(const struct pcf_pool *pool, size_t bytes) {
  int best = -1;
  for (int k = 0; k < pool->count; k++) {
    size_t size = pool->block[k].bytes;
    if (pool->block[k].busy || size < bytes || (double)size > pool->spare * (double)bytes) {
      continue;
    }
    if (best < 0 || size < pool->block[best].bytes) best = k;
  }
  return best;
}

static void use(struct pcf_pool *pool, int k) {
  pool->block[k].busy = 1;
  pool->block[k].call = pool->call;
  pool->kept -= (double)pool->block[k].bytes;
  pool->busy += (double)pool->block[k].bytes;
}

/* A new block, in use. */
static int add(struct pcf_pool *pool, size_t bytes, void **address) {
  if (pool->count == PCF_POOL_BLOCKS && oldest(pool) >= 0) drop(pool, oldest(pool));
  if (pool->count == PCF_POOL_BLOCKS) return PCF_POOL_FULL;
  int code = pool->source->allocate(bytes, address);
  if (code == pool->source->exhausted && pool->kept > 0) {
    drop_down_to(pool, 0);
    code = pool->source->allocate(bytes, address);
  }
  if (code) {
    *address = NULL;
    return code;
  }
  int k = pool->count++;
  pool->block[k].address = *address;
  pool->block[k].bytes = bytes;
  pool->kept += (double)bytes;
  use(pool, k);
  return 0;
}

/* The kept block that has been idle for the longest time, or -1. */
static int oldest(const struct pcf_pool *pool) {
  int best = -1;
  for (int k = 0; k < pool->count; k++) {
    if (pool->block[k].busy) continue;
    if (best < 0 || pool->block[k].call < pool->block[best].call) best = k;
  }
  return best;
}

static void drop(struct pcf_pool *pool, int k) {
  pool->source->free(pool->block[k].address);
  pool->kept -= (double)pool->block[k].bytes;
  pool->block[k] = pool->block[--pool->count];
}

/* Frees kept blocks, those idle for the longest time first, until `most` bytes are left. */
static void drop_down_to(struct pcf_pool *pool, double most) {
  while (pool->count && pool->kept > fmax(most, 0)) {
    int k = oldest(pool);
    if (k < 0) return;
    drop(pool, k);
  }
}
