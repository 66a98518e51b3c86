#include "base/turns.h"

void pcf_turns_init(struct pcf_turns *turns) {
  pthread_mutex_init(&turns->lock, NULL);
  pthread_cond_init(&turns->changed, NULL);
  turns->turn = 0;
  turns->failed = 0;
}

void pcf_turns_destroy(struct pcf_turns *turns) {
  pthread_cond_destroy(&turns->changed);
  pthread_mutex_destroy(&turns->lock);
}

int pcf_turn_wait(struct pcf_turns *turns, int64_t part, int failed) {
  pthread_mutex_lock(&turns->lock);
  while (!failed && !turns->failed && turns->turn != part) {
    pthread_cond_wait(&turns->changed, &turns->lock);
  }
  failed = turns->failed |= failed;
  if (failed) pthread_cond_broadcast(&turns->changed);
  pthread_mutex_unlock(&turns->lock);
  return !failed;
}

void pcf_turn_pass(struct pcf_turns *turns) {
  pthread_mutex_lock(&turns->lock);
  turns->turn++;
  pthread_cond_broadcast(&turns->changed);
  pthread_mutex_unlock(&turns->lock);
}
