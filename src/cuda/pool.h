/* Memory that stays between calls. A block that was given back is kept, and the next who wants
 * about as much gets it. Where the memory comes from is the source's affair: nothing here knows
 * of CUDA. */
#ifndef PCF_CUDA_POOL_H
#define PCF_CUDA_POOL_H

#include <pthread.h>
#include <stddef.h>

/* `allocate` returns 0 and an address, or a code of its own; `exhausted` is the one that says
 * that there is no memory left. */
struct pcf_pool_source {
  int (*allocate)(size_t bytes, void **address);
  void (*free)(void *address);
  int exhausted;
};

enum { PCF_POOL_BLOCKS = 128, PCF_POOL_FULL = -1 };

struct pcf_pool {
  const struct pcf_pool_source *source;
  double spare; /* a kept block may be so many times as large as what is wanted */
  pthread_mutex_t lock;
  long call;         /* number of the call that is under way */
  double busy, kept; /* bytes: in use, and given back */
  int count;
  struct {
    void *address;
    size_t bytes;
    int busy;
    long call; /* that last had it */
  } block[PCF_POOL_BLOCKS];
};

/* An empty pool. */
void pcf_pool_init(struct pcf_pool *pool, const struct pcf_pool_source *source, double spare);

/* At least `bytes` (0 counts as 1), as long as all blocks together take at most `most` bytes.
 * When that is too much, or the source is exhausted, blocks that are kept are freed first.
 * Returns 0, the source's code, or PCF_POOL_FULL when there are too many blocks; *address is
 * NULL then. */
int pcf_pool_take(struct pcf_pool *pool, size_t bytes, double most, void **address);

/* Gives a block back (NULL: none). Nobody may still be using it, the device included. */
void pcf_pool_give(struct pcf_pool *pool, void *address);

/* Marks the beginning of a call, and its end: of what is kept then at most `most` bytes stay,
 * those that were in use last, and none that the last PCF_POOL_CALLS calls did without. */
enum { PCF_POOL_CALLS = 4 };
void pcf_pool_begin_call(struct pcf_pool *pool);
void pcf_pool_end_call(struct pcf_pool *pool, double most);

/* Frees all that is kept, and returns how many bytes that were. */
double pcf_pool_release(struct pcf_pool *pool);

/* Bytes that are kept. */
double pcf_pool_kept(struct pcf_pool *pool);

#endif
