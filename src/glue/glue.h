/* The glue between R and the engine: the only C files that see R's headers. */
#ifndef PCF_GLUE_H
#define PCF_GLUE_H

#define R_NO_REMAP
#include "collections/check.h"
#include "collections/collection.h"
#include "collections/portions.h"

#include <R_ext/Utils.h>
#include <Rinternals.h>

/* Views a list of two-column double matrices as a collection. The pointers live in memory that
 * R frees when the .Call ends; the matrices stay R's. Returns R_NilValue, or, when an element
 * is no such matrix, a problem as in glue_problem(). */
SEXP glue_collection(SEXP x, struct pcf_collection *collection);

/* Fills a collection from what is known of it since it was brought to the GPUs, if it is still
 * the same, element by element; returns whether it is (glue/r-stay.c). */
int glue_known_collection(SEXP x, struct pcf_collection *collection);

/* list(function, position, problem), counted from 1, for R to make an error of. */
SEXP glue_problem(int64_t function, int64_t position, const char *problem);

/* The name by which R knows a problem. */
const char *glue_problem_name(enum pcf_problem problem);

/* A named list with room for `length` elements; glue_set() fills them in order. The caller
 * protects it. */
SEXP glue_list(int length);
void glue_set(SEXP list, int index, const char *name, SEXP value);

/* ---- Arguments (glue/r-arguments.c): each is an R error that has the name where it is wrong
 * ----
 */

/* One number, which may be infinite, NaN or NA. */
double glue_number(SEXP x, const char *name);

/* One whole number from `least` to `most`: at most as many elements as R's vectors have. */
static const int64_t GLUE_MOST_ELEMENTS = R_XLEN_T_MAX;
int64_t glue_count(SEXP x, const char *name, int64_t least, int64_t most);

/* A number of threads, 1 … 4096. */
int glue_threads(SEXP x);

/* TRUE or FALSE. */
int glue_flag(SEXP x, const char *name);

/* One string, as long as R keeps `x`. */
const char *glue_text(SEXP x, const char *name);

/* The place of a string among `count` names, or of a string of R. */
int glue_position_of(const char *name, const char *const *names, int count);
int glue_choice(SEXP x, const char *name, const char *const *choices, int count);

/* From less than to, neither of them NaN. */
void glue_check_window(double from, double to);

/* The elements of a vector of doubles; of integers or doubles. Of `length` elements, or any
 * number where that is -1. */
const double *glue_doubles(SEXP x, const char *name, R_xlen_t length);
void glue_check_numbers(SEXP x, const char *name, R_xlen_t length);

/* The number of columns of a matrix of finite doubles with so many rows. */
int64_t glue_weights(SEXP matrix, const char *name, int64_t rows);

/* The numbers 1 … n in any order, counted from 0 in C. */
void glue_read_order(SEXP x, const char *name, R_xlen_t n, int64_t *order);

/* The same for the columns of a result, as long as R keeps memory for the .Call; NULL for
 * R_NilValue, which leaves them in order. */
const int64_t *glue_columns(SEXP x, R_xlen_t n);

/* Doubles in increasing order, repeated ones allowed, none of them NaN. */
const double *glue_increasing(SEXP x, const char *name);

/* A list; an element of a list by its name. */
void glue_check_list(SEXP x, const char *name);
SEXP glue_element(SEXP list, const char *name);

/* ---- Running work (glue/r-run.c) ---- */

/* Work that another thread does, and that must not touch R. It should end soon, with any
 * status, once `*stop` is not 0. */
typedef enum pcf_status glue_work(void *context, const atomic_int *stop,
                                  struct pcf_error *error);

/* In a loop on R's thread over k = 0, 1, …: lets R see interrupts now and then. It may jump. */
static inline void glue_poll(int64_t k) {
  enum { AT_ONCE = 1 << 20 };
  if (k % AT_ONCE == AT_ONCE - 1) R_CheckUserInterrupt();
}

/* Runs `work` on a thread of its own, and waits for it as glue_wait() does: it may jump, when
 * the thread has ended. Allocate what R owns before; memory that is to outlive the work comes
 * from R_alloc(), or is freed by R_ExecWithCleanup(). */
enum pcf_status glue_run(glue_work *work, void *context, struct pcf_error *error);

/* The same; R's thread first does `meanwhile`, once the work is under way. */
enum pcf_status glue_run_meanwhile(glue_work *work, void *context,
                                   void (*meanwhile)(void *data), void *data,
                                   struct pcf_error *error);

/* The same as glue_run(), or, where `small` says that a thread is not worth while, at once: it
 * is over before another thread would start. For a single pass over functions, that is below so
 * many breakpoints. */
enum { GLUE_FEW_BREAKPOINTS = 20000 };
enum pcf_status glue_run_sized(int small, glue_work *work, void *context,
                               struct pcf_error *error);

/* Work on other threads, for which R's thread waits. */
struct glue_waiting {
  void *work;
  int (*wait)(void *work, double seconds); /* up to so long; returns whether it has ended */
  void (*stop)(void *work);                /* asks it to end early, if it has not ended */
  void (*end)(void *work);                 /* waits for its end, and frees what it held */
  void (*draw)(void *work);  /* shows its progress with R, also at last; or NULL */
  void (*begin)(void *work); /* is called first of all; or NULL */
};

/* Waits for work that has been started, and ends it. Meanwhile R sees interrupts, limits of
 * time and its events, and draws. Whatever jumps there, such as an interrupt or an error, stops
 * the work, and goes on when the work has ended. */
void glue_wait(struct glue_waiting *waiting);

/* Views `x` as glue_collection() does and checks all its functions on several threads; `range`
 * (or NULL) is widened to it. Returns R_NilValue, or what the entry point is to return. */
SEXP glue_checked_collection(SEXP x, const char *argument, int threads,
                             struct pcf_collection *collection, struct pcf_range *range);

/* The same for functions that may be known only in part. */
SEXP glue_checked_partial(SEXP x, const char *argument, int threads,
                          struct pcf_collection *collection, struct pcf_range *range);

/* Room for n + 1 numbers, and items cut into portions with room for a place each, in memory
 * that R frees when the .Call ends. */
int64_t *glue_counts(int64_t n);
void glue_cut(struct pcf_portions *portions, int64_t items, const int64_t *length);

/* A list of `count` functions: matrices of breakpoints[i] rows and the columns time and value,
 * not filled. At most 2^31 - 1 breakpoints each. The caller protects it. */
SEXP glue_functions(int64_t count, const int64_t *breakpoints);

/* Doubles for `columns` numbers in a row for each of `rows` functions; and the same with the
 * dimensions of a matrix. The caller protects it. */
SEXP glue_rows(R_xlen_t rows, R_xlen_t columns);

/* As many doubles as such a matrix has; an error if R cannot have so many. */
R_xlen_t glue_length(R_xlen_t rows, R_xlen_t columns);
SEXP glue_matrix(R_xlen_t rows, R_xlen_t columns);

/* As glue_functions(), with their matrices in `*result`; R_NilValue and an error where a
 * function would have more breakpoints than a matrix of R can have rows. */
SEXP glue_new_functions(int64_t count, const int64_t *breakpoints, double ***result,
                        struct pcf_error *error);

/* Takes the first breakpoint away from functions of such a list that begin at −∞ with the value
 * 0, as they do without it; the zero function begins at the time 0. */
void glue_drop_zero_starts(SEXP functions);

/* What an entry point returns: list(value), or list(status, message) when `status` is not
 * PCF_OK; answer_value() in R takes it. Protects `value` itself. */
SEXP glue_answer(SEXP value, enum pcf_status status, const struct pcf_error *error);

/* The same for a function that broke the rules: list(argument, problem). */
SEXP glue_problem_with(const char *argument, SEXP problem);
SEXP glue_fault(const char *argument, const struct pcf_fault *fault);

/* Sets what is in a named list, in its order, as attributes of a fresh value; in R this would
 * copy the value. NULL elements are left out. `attributes` must be one or empty. */
void glue_set_attributes(SEXP value, SEXP attributes);

/* ---- Entry points ---- */

SEXP ffi_validate(SEXP x);
SEXP ffi_pairwise(SEXP x, SEXP y, SEXP request, SEXP settings);
SEXP ffi_select(SEXP x, SEXP y, SEXP request, SEXP settings, SEXP selection);
SEXP ffi_pair_sums(SEXP x, SEXP y, SEXP request, SEXP settings, SEXP list);
SEXP ffi_digest(SEXP x, SEXP threads);
SEXP ffi_store(SEXP x, SEXP y, SEXP request, SEXP settings, SEXP file);
SEXP ffi_join(SEXP file, SEXP parts, SEXP threads);
SEXP ffi_read_header(SEXP path, SEXP words);
SEXP ffi_hash(SEXP bytes);
SEXP ffi_open_stored(SEXP state, SEXP attributes);
SEXP ffi_stored_state(SEXP x);
SEXP ffi_open_vectors(void);
SEXP ffi_check_stored(SEXP x, SEXP threads);
SEXP ffi_collect_stored(SEXP x, SEXP attributes);
SEXP ffi_cores(void);
SEXP ffi_available(void);
SEXP ffi_cuda_problem(SEXP gpus);
SEXP ffi_cuda_info(SEXP gpus);
SEXP ffi_cuda_keep(SEXP bytes);
SEXP ffi_cuda_release(void);
SEXP ffi_stay(SEXP x, SEXP settings);
SEXP ffi_stays(SEXP x, SEXP gpus);
SEXP ffi_let_go(SEXP x);
SEXP ffi_let_go_of_all(void);
SEXP ffi_cuda_provoke(SEXP memory, SEXP launch, SEXP start);
SEXP ffi_fail_at(SEXP step, SEXP allocation);
SEXP ffi_exhaust_at(SEXP step, SEXP times);
SEXP ffi_provoke_file(SEXP step, SEXP what);
SEXP ffi_diagram_columns(SEXP x);
SEXP ffi_diagram_curves(SEXP x, SEXP curve, SEXP dimension, SEXP infinite, SEXP threads);
SEXP ffi_thin(SEXP pieces, SEXP rows);
SEXP ffi_raster(SEXP pieces, SEXP widths, SEXP colors, SEXP size, SEXP butt);
SEXP ffi_reduce(SEXP x, SEXP operation, SEXP row_, SEXP rows_, SEXP weights_,
                SEXP observed_only, SEXP threads, SEXP settings);
SEXP ffi_combinations(SEXP x, SEXP matrix, SEXP rows, SEXP observed_only, SEXP threads,
                      SEXP settings);
SEXP ffi_combine(SEXP x, SEXP y, SEXP operation, SEXP count, SEXP threads);
SEXP ffi_column(SEXP x, SEXP which, SEXP threads);
SEXP ffi_with_column(SEXP x, SEXP which, SEXP column, SEXP threads);
SEXP ffi_simplify(SEXP x, SEXP threads);
SEXP ffi_restrict(SEXP x, SEXP from, SEXP to, SEXP threads);
SEXP ffi_observed(SEXP x, SEXP threads);
SEXP ffi_observed_difference(SEXP x, SEXP y, SEXP window, SEXP threads);
SEXP ffi_unobserved_end(SEXP x, SEXP window);
SEXP ffi_next_times(SEXP x);
SEXP ffi_inverse(SEXP x, SEXP falling, SEXP threads);
SEXP ffi_crossing(SEXP x, SEXP falling, SEXP levels, SEXP columns, SEXP tolerance, SEXP middle,
                  SEXP threads, SEXP shape);
SEXP ffi_permuted_sums(SEXP distances, SEXP labels, SEXP groups, SEXP squared, SEXP threads);
SEXP ffi_permuted_means(SEXP changes, SEXP labels, SEXP groups, SEXP p, SEXP threads);
SEXP ffi_tree_grow(SEXP label, SEXP distance, SEXP id, SEXP least);
SEXP ffi_tree_hierarchy(SEXP edges);
SEXP ffi_weighted(SEXP x, SEXP weight, SEXP window, SEXP p, SEXP threads);
SEXP ffi_measure(SEXP x, SEXP measure, SEXP p, SEXP window, SEXP threads, SEXP shape,
                 SEXP settings);
SEXP ffi_evaluate(SEXP x, SEXP times, SEXP columns, SEXP threads, SEXP shape, SEXP settings);
SEXP ffi_segment_reduce(SEXP values, SEXP offsets, SEXP op, SEXP threads);
SEXP ffi_reduce_by_key(SEXP keys, SEXP values, SEXP op, SEXP threads);
SEXP ffi_times_vectors(SEXP matrix, SEXP by_rows, SEXP size, SEXP x, SEXP shape, SEXP threads,
                       SEXP settings);
SEXP ffi_interval_expand(SEXP values, SEXP counts, SEXP threads);
SEXP ffi_interval_move(SEXP x, SEXP intervals, SEXP into, SEXP threads);

#endif
