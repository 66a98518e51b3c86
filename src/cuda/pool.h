/* Memory that stays allocated between calls. A block that was given back is idle, and serves
 * the next request for about as many bytes. A block that was given to an owner keeps its
 * contents until the owner drops it or its room is needed. The source allocates and frees the
 * memory, so that nothing here depends on CUDA. */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* `allocate` returns 0 and an address, or an error code of its own; `exhausted` is the code for
 * a lack of memory. */
struct pcf_pool_source {
  int (*allocate)(size_t bytes, void **address);
  void (*free)(void *address);
  int exhausted;
};

enum { PCF_POOL_BLOCKS = 256, PCF_POOL_FULL = -1 };

/* Bytes that are in use, that are idle, and that belong to owners. */
struct pcf_pool_bytes {
  double busy, idle, owned;
};

struct pcf_pool {
  const struct pcf_pool_source *source;
  double spare; /* an idle block may be so many times as large as what is wanted */
  pthread_mutex_t lock;
  long call; /* number of the call that is under way */
  struct pcf_pool_bytes bytes;
  int count;
  struct {
    void *address;
    size_t bytes;
    int busy;
    long call;     /* that last had it */
    int64_t owner; /* 0: none */
    int users;     /* of an owner's, by which it is read */
    int dropped;   /* it goes when they are done */
  } block[PCF_POOL_BLOCKS];
};

/* An empty pool. */
void pcf_pool_init(struct pcf_pool *pool, const struct pcf_pool_source *source, double spare);

/* At least `bytes` (0 counts as 1), as long as all blocks together take at most `most` bytes.
 * When that is too much, or the source is exhausted, idle blocks are freed first, and then
 * blocks of owners that are not being read, the least recently used first. Returns 0, the
 * source's code, or PCF_POOL_FULL when there are too many blocks; *address is NULL then. */
int pcf_pool_take(struct pcf_pool *pool, size_t bytes, double most, void **address);

/* Gives a block back (NULL: none). Neither a thread nor the device may still be using it. */
void pcf_pool_give(struct pcf_pool *pool, void *address);

/* Marks the end of a call: after it at most `most` idle bytes stay, the most recently used
 * ones, and none that the last PCF_POOL_CALLS calls did not use. */
enum { PCF_POOL_CALLS = 4 };
void pcf_pool_end_call(struct pcf_pool *pool, double most);

/* Frees all that is idle, and returns how many bytes that were. */
double pcf_pool_release(struct pcf_pool *pool);

struct pcf_pool_bytes pcf_pool_bytes(struct pcf_pool *pool);

/* ---- Blocks of owners ---- */

/* A block in use becomes that of an owner: a number other than 0, of one block of the pool. It
 * is not being read then, unless `used` says that it is to count as found by pcf_pool_use(). */
void pcf_pool_own(struct pcf_pool *pool, const void *address, int64_t owner, int used);

/* The block of an owner, which is not freed for room before pcf_pool_done(); NULL if it is no
 * longer there, or the owner is 0. */
void *pcf_pool_use(struct pcf_pool *pool, int64_t owner);
void pcf_pool_done(struct pcf_pool *pool, int64_t owner);

/* Frees the block of an owner, at once or when it is no longer being read; returns its
 * bytes. */
double pcf_pool_drop(struct pcf_pool *pool, int64_t owner);

/* Is the block of an owner there? Its bytes, or 0. */
double pcf_pool_owned(struct pcf_pool *pool, int64_t owner);
