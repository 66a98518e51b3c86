#include "collections/portions.h"

#include "base/search.h"
#include "base/threads.h"

/* Portions that a thread takes at once, since a single short item is too little work. */
enum { PORTIONS_PER_BLOCK = 64 };

struct portion_loop {
  const struct pcf_portions *portions;
  pcf_portion_body *body;
  void *context;
};

static int64_t portions_of(int64_t length) {
  return length > 0 ? (length - 1) / PCF_PORTION_ELEMENTS + 1 : 1;
}

int64_t pcf_portions_cut(struct pcf_portions *portions) {
  portions->first[0] = 0;
  for (int64_t i = 0; i < portions->items; i++) {
    portions->first[i + 1] = portions->first[i] + portions_of(portions->length[i]);
  }
  return portions->first[portions->items];
}

static enum pcf_status run_block(void *loop_, int thread, int64_t index,
                                 struct pcf_error *error) {
  const struct portion_loop *loop = loop_;
  const struct pcf_portions *portions = loop->portions;
  int64_t number = index * PORTIONS_PER_BLOCK, last = number + PORTIONS_PER_BLOCK;
  (void)thread;
  if (last > portions->first[portions->items]) last = portions->first[portions->items];
  for (int64_t item = pcf_segment_of(portions->first, portions->items, number); number < last;
       item++) {
    for (; number < last && number < portions->first[item + 1]; number++) {
      int64_t begin = (number - portions->first[item]) * PCF_PORTION_ELEMENTS;
      int64_t end = begin + PCF_PORTION_ELEMENTS;
      if (end > portions->length[item]) end = portions->length[item];
      struct pcf_portion portion = {number, item, begin, end};
      enum pcf_status status = loop->body(loop->context, &portion, error);
      if (status) return status;
    }
  }
  return PCF_OK;
}

enum pcf_status pcf_portions_run(const struct pcf_portions *portions, int threads,
                                 const atomic_int *stop, pcf_portion_body *body, void *context,
                                 struct pcf_error *error) {
  struct portion_loop loop = {portions, body, context};
  int64_t blocks = (portions->first[portions->items] - 1) / PORTIONS_PER_BLOCK + 1;
  if (portions->items == 0) return PCF_OK;
  return pcf_parallel_for(threads, blocks, stop, run_block, &loop, error);
}

void pcf_portions_place(struct pcf_portions *portions, int64_t *total) {
  for (int64_t i = 0; i < portions->items; i++) {
    total[i] = 0;
    for (int64_t s = portions->first[i]; s < portions->first[i + 1]; s++) {
      int64_t count = portions->place[s];
      portions->place[s] = total[i];
      total[i] += count;
    }
  }
}
