/* Turns: threads that do parts of some work as they come, and add up what they found in the
 * order of the parts, so that sums do not depend on which thread is faster. */
#pragma once

#include <pthread.h>
#include <stdint.h>

struct pcf_turns {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int64_t turn;
  int failed; /* then nobody waits any more */
};

void pcf_turns_init(struct pcf_turns *turns);
void pcf_turns_destroy(struct pcf_turns *turns);

/* Waits for the turn of a part, or tells that it failed. Returns whether the caller is to add
 * it, and then to pass the turn on, once. */
int pcf_turn_wait(struct pcf_turns *turns, int64_t part, int failed);
void pcf_turn_pass(struct pcf_turns *turns);
