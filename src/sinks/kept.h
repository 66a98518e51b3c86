/* Selections that are kept in a file while a run lasts, so that the same run can go on from
 * there: the pairs selected so far, and which blocks they are from. From time to time, and at
 * the end, all of it is written to another file, which then takes the place of the first.
 *
 * The file is a pcf_whole of little-endian words: 16 bytes "pcfdist pairs 1\n"; four numbers of
 * 8 bytes, which are the length of a text, how many numbers go with it, the length of a bitmap,
 * and a hash of the order in which the items were compared; the text, the numbers as doubles,
 * and the bitmap, each filled up to whole words; and a struct pcf_kept_pair for each pair. The
 * text says what is selected from what, in lines as of a DCF. The bitmap is that of a
 * pcf_coverage. */
#pragma once

#include "disk/coverage.h"
#include "disk/whole.h"

#include <pthread.h>

/* A pair as the caller numbers its items; `distance` is what was selected by. */
struct pcf_kept_pair {
  int32_t item, other;
  double distance;
};

/* Writes all pairs, with pcf_whole_add(). */
typedef enum pcf_status pcf_kept_writer(const void *context, struct pcf_whole *whole,
                                        struct pcf_error *error);

/* Zeros, and what the owner sets, which must outlive it. */
struct pcf_kept {
  const char *path, *new_path; /* of the file, and of the one that replaces it */
  const char *text;
  const double *number; /* that goes with the text */
  int64_t numbers;
  double seconds; /* between two times that it is written; 0: after every block */
  int begun;      /* is there such a file from before? */

  /* Its own: */
  int started;
  char *before; /* the contents of the file from before, until a block was added */
  int64_t bytes;
  const struct pcf_kept_pair *pair; /* those that it has */
  int64_t pairs;
  struct pcf_coverage covered;
  uint64_t order;
  pthread_rwlock_t changing; /* read while a block is added, written while all is written */
  pthread_mutex_t noting;
  int changed; /* since it was written; under `noting` */
  double due;  /* when it is to be written again, as in pcf_seconds(); under `noting` */
};

/* Prepares to keep pairs of that mode of so many items, and reads the file from before, which
 * fails unless it is one, with this text. Free with pcf_kept_end(), whatever the status. */
enum pcf_status pcf_kept_start(struct pcf_kept *kept, enum pcf_mode mode, int64_t rows,
                               int64_t columns, const atomic_int *stop,
                               struct pcf_error *error);
void pcf_kept_end(struct pcf_kept *kept);

/* Before the run: items are compared in an order with this hash. Blocks from before count only
 * where they are of the same; pairs always do. */
void pcf_kept_order(struct pcf_kept *kept, uint64_t order);

/* A thread adds the pairs of a block between these two. `rectangle` is NULL if that failed. */
void pcf_kept_enter(struct pcf_kept *kept);
void pcf_kept_leave(struct pcf_kept *kept, const struct pcf_rectangle *rectangle);

/* Writes the file if it is time to or, with `last`, if there is something new. */
enum pcf_status pcf_kept_write(struct pcf_kept *kept, int last, pcf_kept_writer *write,
                               const void *context, struct pcf_error *error);

/* Reads the text, which then has kept->bytes bytes, and the numbers of the file kept->path. To
 * be freed with pcf_kept_end(), whatever the status. */
enum pcf_status pcf_kept_look(struct pcf_kept *kept, const atomic_int *stop,
                              struct pcf_error *error);
