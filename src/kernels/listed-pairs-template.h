/* Listed pairs of a tile of the sweep, one by one, with the same sums in the same order:
 * quicker where few pairs are wanted. Part of tile-template.h.
 *
 * The next step of a pair has to wait for the comparison of the step before, so several pairs
 * are walked side by side. For operations with pcf_takes_listed(). */

#define WALKERS 6
#define EACH_WALKER(n) EACH_OF(n, WALKERS)

#if FUSED && PCF_SINGLE
#define scalar_fma(a, b, c) fmaf(a, b, c)
#elif FUSED
#define scalar_fma(a, b, c) fma(a, b, c)
#else
#define scalar_fma(a, b, c) ((a) * (b) + (c))
#endif

#define walker NAME(walker)
#define list_event NAME(list_event)

/* An event of a list. */
struct list_event {
  SCALAR time, before;
};

/* A pair: the next events of both functions, when the last one was, when the last of all will
 * be, and the sums to which events of either function add. */
struct walker {
  const struct list_event *next[2], *flush[2];
  SCALAR last, end, sum[2];
  /* What is looked at now and then: */
  const struct list_event *final[2];
  double wide[2];
  SCALAR *result; /* NULL: there is no pair */
};

/* Adds the sum of side `s` to the wide one, as flush_row() does. */
INLINE void NAME(flush)(struct walker *walker, int s) {
  walker->wide[s] += (double)walker->sum[s];
  walker->sum[s] = 0;
  walker->flush[s] += PCF_SINGLE ? PCF_FLUSH_EVENTS_SINGLE : PCF_FLUSH_EVENTS_DOUBLE;
}

/* Takes the next event, or the next two if they are at one time, as take_tied_events() does.
 * After the last one steps have no length. There is no branch on which event comes next, but
 * for flushing. */
INLINE TARGET void NAME(step)(int operation, struct walker *walker) {
  const struct list_event *f = walker->next[0], *g = walker->next[1];
  SCALAR time = f->time < g->time ? f->time : g->time;
  time = time < walker->end ? time : walker->end;
  SCALAR length = time - walker->last;
  SCALAR combined = scalar_combine(operation, f->before, g->before);
  int take_f = f->time <= time, take_g = g->time <= time;
  walker->last = time;
  walker->next[0] = f + take_f;
  walker->next[1] = g + take_g;
  if (pcf_is_supremum(operation)) {
    combined = length > 0 ? combined : 0;
    walker->sum[0] = combined > walker->sum[0] ? combined : walker->sum[0];
    return;
  }
  static const SCALAR share[2][4] = {{0, 1, 0, (SCALAR)0.5}, {0, 0, 1, (SCALAR)0.5}};
  int taken = take_f + 2 * take_g;
  walker->sum[0] = scalar_fma(length * share[0][taken], combined, walker->sum[0]);
  walker->sum[1] = scalar_fma(length * share[1][taken], combined, walker->sum[1]);
  if (walker->next[0] == walker->flush[0]) NAME(flush)(walker, 0);
  if (walker->next[1] == walker->flush[1]) NAME(flush)(walker, 1);
}

/* ---- Pairs ---- */

/* A walker without a pair takes steps of no length. */
INLINE struct walker NAME(idle_walker)(void) {
  static const struct list_event never[1] = {{(SCALAR)INFINITY, 0}};
  return (struct walker){.next = {never, never}, .final = {never, never}};
}

static NOINLINE struct walker NAME(walker_of)(const struct pcf_tile *tile,
                                              const struct pcf_listed_pairs *listed,
                                              const struct pcf_pair_position *position) {
  const struct pcf_event_list *list[] = {&listed->rows[position->row],
                                         &listed->columns[position->column]};
  SCALAR start = (SCALAR)tile->from;
  struct walker walker = {.result = (SCALAR *)tile->output + position->row +
                                    tile->stride * position->column};
  for (int s = 0; s < 2; s++) {
    walker.next[s] = list[s]->event;
    walker.final[s] = walker.next[s] + list[s]->events;
    walker.flush[s] = walker.next[s] + pcf_flush_events(tile->integral);
  }
  if (!(start > -INFINITY)) {
    SCALAR f = walker.next[0]->time, g = walker.next[1]->time;
    start = f < g ? f : g;
    if (!(start < INFINITY)) start = 0;
  }
  walker.last = walker.end = start;
  for (int s = 0; s < 2; s++) {
    if (list[s]->events == 0) continue;
    SCALAR last = (walker.final[s] - 1)->time;
    walker.end = last > walker.end ? last : walker.end;
  }
  return walker;
}

INLINE TARGET void NAME(finish_walker)(int operation, const struct pcf_tile *tile,
                                       const struct walker *walker) {
  SCALAR a = walker->final[0]->before, b = walker->final[1]->before, sum = walker->sum[0];
  if (!pcf_is_supremum(operation)) {
    double wide = walker->wide[1] + walker->wide[0];
    sum += walker->sum[1];
    sum = (SCALAR)(wide + (double)sum);
  }
  sum = scalar_add_tail(operation, sum, (SCALAR)tile->to - walker->last, a, b,
                        scalar_combine(operation, a, b));
  *walker->result = scalar_finish(operation, sum, tile->integral->p);
}

INLINE int64_t NAME(steps_left)(const struct walker *walker) {
  return walker->final[0] - walker->next[0] + walker->final[1] - walker->next[1];
}

INLINE TARGET int NAME(listed_with)(int operation, const struct pcf_tile *tile,
                                    const struct pcf_listed_pairs *listed) {
  struct walker walker[WALKERS];
  int64_t next = 0, finished = 0;
  EACH_WALKER(n) {
    walker[n] = next < listed->positions
                  ? NAME(walker_of)(tile, listed, &listed->position[next++])
                  : NAME(idle_walker)();
  }
  while (finished < listed->positions) {
    int64_t steps = EVENTS_PER_STOP_CHECK;
    if (atomic_load_explicit(tile->stop, memory_order_relaxed)) return 1;
    for (int n = 0; n < WALKERS; n++) {
      int64_t left = walker[n].result ? NAME(steps_left)(&walker[n]) : steps;
      steps = left < steps ? left : steps;
    }
    for (int64_t k = 0; k < steps; k++) {
      EACH_WALKER(n) NAME(step)(operation, &walker[n]);
    }
    for (int n = 0; n < WALKERS; n++) {
      if (!walker[n].result || NAME(steps_left)(&walker[n]) > 0) continue;
      NAME(finish_walker)(operation, tile, &walker[n]);
      finished++;
      walker[n] = next < listed->positions
                    ? NAME(walker_of)(tile, listed, &listed->position[next++])
                    : NAME(idle_walker)();
    }
  }
  return 0;
}

TARGET int NAME(listed)(const struct pcf_tile *tile, const struct pcf_listed_pairs *listed) {
#define SOME(operation)                       \
  if (!pcf_takes_listed(operation)) return 0; \
  return NAME(listed_with)(operation, tile, listed)
  PCF_WITH_OPERATION(tile->integral->operation, SOME)
  return 0;
}

#undef scalar_fma
