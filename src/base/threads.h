/* Threads: the only place that knows how the system makes them. */
#pragma once

#include "base/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The processors that this process may use: its affinity, and the quotas of its control
 * groups. At least 1. */
int pcf_available_cores(void);

/* Work on item `index` by thread number `thread`. A status other than PCF_OK stops the loop. */
typedef enum pcf_status pcf_loop_body(void *context, int thread, int64_t index,
                                      struct pcf_error *error);

/* Runs `body` for 0 … count - 1 on up to `threads` threads, the calling one among them; items
 * are handed out in order, one at a time. The first failure, or a non-zero `stop` (which may be
 * NULL), ends the loop; when all threads are done, the first failure is returned, or
 * PCF_ERROR_INTERRUPTED. When the system refuses a thread, the others do its work. */
enum pcf_status pcf_parallel_for(int threads, int64_t count, const atomic_int *stop,
                                 pcf_loop_body *body, void *context, struct pcf_error *error);

/* The same for ranges of up to `each` items, first … end - 1, with a body that cannot fail. */
typedef void pcf_range_body(void *context, int64_t first, int64_t end);
enum pcf_status pcf_for_ranges(int threads, int64_t count, int64_t each, const atomic_int *stop,
                               pcf_range_body *body, void *context, struct pcf_error *error);

/* Threads that stay, for many loops in a row. pcf_team_start() gathers up to `threads`, the
 * calling one among them; NULL when there is no memory. pcf_team_for() is pcf_parallel_for() on
 * the team, for one caller at a time, or on the calling thread alone (NULL); pcf_team_end()
 * (NULL is fine) ends it. */
struct pcf_team;
struct pcf_team *pcf_team_start(int threads, struct pcf_error *error);
enum pcf_status pcf_team_for(struct pcf_team *team, int64_t count, const atomic_int *stop,
                             pcf_loop_body *body, void *context, struct pcf_error *error);
void pcf_team_end(struct pcf_team *team);

/* pcf_team_begin() begins a loop that the members run while the caller goes on, after those
 * that were begun before. Its body cannot fail, and gets a copy of `context`, of up to
 * PCF_LOOP_CONTEXT bytes. pcf_team_begun() says how many loops were begun so (0 of NULL), and
 * pcf_team_finish() helps until the first so many of these are over; pcf_team_end() finishes
 * all. */
enum { PCF_LOOP_CONTEXT = 192 };
void pcf_team_begin(struct pcf_team *team, int64_t count, pcf_loop_body *body,
                    const void *context, size_t bytes);
int64_t pcf_team_begun(const struct pcf_team *team);
void pcf_team_finish(struct pcf_team *team, int64_t loops);

/* Writes a 0 to every page of fresh memory, on up to `threads` threads. The system provides a
 * page when it is first written to; without this, work that writes here and there would wait
 * for all of the memory in its first steps, and could not be stopped meanwhile. Less than
 * PCF_TOUCH_FROM bytes are left as they are. */
enum { PCF_TOUCH_FROM = 1 << 25 };
enum pcf_status pcf_touch_memory(void *memory, size_t bytes, int threads,
                                 const atomic_int *stop, struct pcf_error *error);

/* A thread that runs `main(context)`, with all signals blocked, so that they reach the caller.
 */
struct pcf_thread;
struct pcf_thread *pcf_thread_start(void (*main)(void *context), void *context,
                                    struct pcf_error *error);

/* Waits up to `seconds` for the thread to end; returns non-zero once it has. */
int pcf_thread_wait(struct pcf_thread *thread, double seconds);

/* Waits for the end and frees the thread. */
void pcf_thread_join(struct pcf_thread *thread);

/* A gate that opens once; threads that come before that wait. */
struct pcf_gate {
  pthread_mutex_t lock;
  pthread_cond_t opened;
  int is_open;
};
void pcf_gate_init(struct pcf_gate *gate);
void pcf_gate_open(struct pcf_gate *gate);
void pcf_gate_wait(struct pcf_gate *gate);
void pcf_gate_destroy(struct pcf_gate *gate);

/* Seconds on a clock that only goes forward. */
double pcf_seconds(void);
