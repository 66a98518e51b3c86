/* The glue between R and the engine: the only C files that see R's headers. */
#pragma once

#define R_NO_REMAP
#include "arrays/partition.h"
#include "collections/check.h"
#include "collections/collection.h"
#include "collections/owned.h"
#include "functions/single.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Utils.h>
#include <Rinternals.h>

/* ---- Entry points ---- */

/* Those of builds for tests (glue/r-testing.c). */
#ifdef PCF_TESTING
#define GLUE_TESTING_ENTRIES(ENTRY) \
  ENTRY(ffi_cuda_provoke, 3)        \
  ENTRY(ffi_fail_at, 3)             \
  ENTRY(ffi_provoke_file, 2)
#else
#define GLUE_TESTING_ENTRIES(ENTRY)
#endif

/* All of them, with the number of their arguments. Arguments and results are documented where
 * each is defined. */
#define GLUE_ENTRIES(ENTRY)          \
  /* Collections */                  \
  ENTRY(ffi_validate, 1)             \
  ENTRY(ffi_digest, 2)               \
  ENTRY(ffi_make_resident, 2)        \
  ENTRY(ffi_is_resident, 2)          \
  ENTRY(ffi_drop_resident, 1)        \
  ENTRY(ffi_drop_all_residents, 0)   \
  /* Pairs of functions */           \
  ENTRY(ffi_has_operation, 2)        \
  ENTRY(ffi_pairwise, 4)             \
  ENTRY(ffi_pair_sums, 5)            \
  ENTRY(ffi_select, 5)               \
  ENTRY(ffi_read_kept, 1)            \
  ENTRY(ffi_tree_grow, 5)            \
  ENTRY(ffi_tree_hierarchy, 1)       \
  /* Files of pairs */               \
  ENTRY(ffi_store, 5)                \
  ENTRY(ffi_join, 3)                 \
  ENTRY(ffi_read_header, 2)          \
  ENTRY(ffi_hash, 1)                 \
  ENTRY(ffi_lock, 1)                 \
  ENTRY(ffi_unlock, 1)               \
  ENTRY(ffi_write_whole, 2)          \
  ENTRY(ffi_read_whole, 1)           \
  ENTRY(ffi_write_new, 2)            \
  ENTRY(ffi_check_folder, 1)         \
  ENTRY(ffi_open_stored, 2)          \
  ENTRY(ffi_stored_state, 1)         \
  ENTRY(ffi_open_vectors, 0)         \
  ENTRY(ffi_check_stored, 2)         \
  ENTRY(ffi_collect_stored, 2)       \
  /* Functions from functions */     \
  ENTRY(ffi_combine, 5)              \
  ENTRY(ffi_column, 3)               \
  ENTRY(ffi_with_column, 4)          \
  ENTRY(ffi_cut_functions, 4)        \
  ENTRY(ffi_simplify, 2)             \
  ENTRY(ffi_restrict, 4)             \
  ENTRY(ffi_restrict_each, 5)        \
  ENTRY(ffi_rolling_means, 4)        \
  ENTRY(ffi_weighted, 5)             \
  ENTRY(ffi_lay_rows, 5)             \
  ENTRY(ffi_time_sizes, 3)           \
  ENTRY(ffi_observed, 2)             \
  ENTRY(ffi_observed_difference, 3)  \
  ENTRY(ffi_ends, 1)                 \
  ENTRY(ffi_unobserved_end, 2)       \
  ENTRY(ffi_next_times, 1)           \
  ENTRY(ffi_inverse, 3)              \
  ENTRY(ffi_shares, 1)               \
  ENTRY(ffi_derivative, 2)           \
  ENTRY(ffi_cumulation, 2)           \
  ENTRY(ffi_crossing, 8)             \
  ENTRY(ffi_reduce, 8)               \
  ENTRY(ffi_combinations, 6)         \
  ENTRY(ffi_quantiles, 6)            \
  ENTRY(ffi_variance, 4)             \
  ENTRY(ffi_diagram_columns, 1)      \
  ENTRY(ffi_diagram_curves, 5)       \
  ENTRY(ffi_tents, 6)                \
  ENTRY(ffi_homological_kernels, 4)  \
  /* Numbers from functions */       \
  ENTRY(ffi_measure, 7)              \
  ENTRY(ffi_depths, 6)               \
  ENTRY(ffi_evaluate, 7)             \
  ENTRY(ffi_integrate_windows, 5)    \
  ENTRY(ffi_evaluate_each, 5)        \
  ENTRY(ffi_unobserved_each, 4)      \
  ENTRY(ffi_extremes, 4)             \
  ENTRY(ffi_running, 8)              \
  ENTRY(ffi_permuted_sums, 5)        \
  ENTRY(ffi_permuted_means, 5)       \
  ENTRY(ffi_segment_reduce, 4)       \
  ENTRY(ffi_reduce_by_key, 4)        \
  ENTRY(ffi_times_vectors, 7)        \
  ENTRY(ffi_interval_expand, 3)      \
  ENTRY(ffi_interval_move, 4)        \
  ENTRY(ffi_visible_pieces, 2)       \
  ENTRY(ffi_raster, 5)               \
  /* Clusters */                     \
  ENTRY(ffi_content_order, 1)        \
  ENTRY(ffi_sort_events, 4)          \
  ENTRY(ffi_sweep_centers, 6)        \
  ENTRY(ffi_store_floats, 4)         \
  ENTRY(ffi_swap_medoids, 6)         \
  /* What there is in every build */ \
  ENTRY(ffi_cores, 0)                \
  ENTRY(ffi_poll, 0)                 \
  ENTRY(ffi_available, 0)            \
  ENTRY(ffi_cuda_problem, 1)         \
  ENTRY(ffi_cuda_info, 1)            \
  ENTRY(ffi_cuda_limit_idle, 1)      \
  ENTRY(ffi_cuda_release, 0)         \
  GLUE_TESTING_ENTRIES(ENTRY)

typedef SEXP glue_entry_0(void), glue_entry_1(SEXP), glue_entry_2(SEXP, SEXP),
  glue_entry_3(SEXP, SEXP, SEXP), glue_entry_4(SEXP, SEXP, SEXP, SEXP),
  glue_entry_5(SEXP, SEXP, SEXP, SEXP, SEXP), glue_entry_6(SEXP, SEXP, SEXP, SEXP, SEXP, SEXP),
  glue_entry_7(SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP),
  glue_entry_8(SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP);

#define GLUE_DECLARE(name, arguments) glue_entry_##arguments name;
GLUE_ENTRIES(GLUE_DECLARE)

/* ---- Answers (glue/r-answers.c) ---- */

/* An element of a named list: of `type` as R knows it, VECSXP for any `value`. */
struct glue_field {
  const char *name;
  SEXPTYPE type;
  union {
    double number;
    int integer;
    const char *text;
    SEXP value;
  };
};

#define GLUE_NUMBER(name_, x) \
  { .name = name_, .type = REALSXP, .number = (double)(x) }
#define GLUE_INTEGER(name_, x) \
  { .name = name_, .type = INTSXP, .integer = x }
#define GLUE_FLAG(name_, x) \
  { .name = name_, .type = LGLSXP, .integer = x }
#define GLUE_TEXT(name_, x) \
  { .name = name_, .type = STRSXP, .text = x }
#define GLUE_VALUE(name_, x) \
  { .name = name_, .type = VECSXP, .value = x }

/* A named list of such elements, whose values it protects. A value that is new is protected by
 * the caller as well, if making another value may allocate. */
SEXP glue_make_list(int length, const struct glue_field *fields);
#define GLUE_LIST(...)                                                                   \
  glue_make_list(sizeof((struct glue_field[]){__VA_ARGS__}) / sizeof(struct glue_field), \
                 (struct glue_field[]){__VA_ARGS__})

/* The result of an entry point, for answer_value() in R: list(value), or list(status, message)
 * if `status` is not PCF_OK. Protects `value` itself. */
SEXP glue_answer(SEXP value, enum pcf_status status, const struct pcf_error *error);

/* list(function, position, problem), counted from 1, from which R raises an error; and the
 * result of an entry point for a function that is not valid: list(argument, problem). */
SEXP glue_problem(int64_t function, int64_t position, const char *problem);
SEXP glue_problem_with(const char *argument, SEXP problem);
SEXP glue_fault(const char *argument, const struct pcf_fault *fault);

/* The name by which R knows a problem. */
const char *glue_problem_name(enum pcf_problem problem);

/* Returns the result of a step from the entry point, unless it is R_NilValue. */
#define GLUE_TRY(step)                           \
  do {                                           \
    SEXP problem_ = step;                        \
    if (problem_ != R_NilValue) return problem_; \
  } while (0)

/* ---- Memory for results ---- */

/* Space for n + 1 numbers, in memory that R frees when the .Call ends. */
int64_t *glue_counts(int64_t n);

/* A list of `count` functions: matrices of breakpoints[i] rows and the columns time and value
 * or, if they are linear, time, left and value, not filled; columns[i] is where the numbers of
 * function i begin. At most 2^31 - 1 breakpoints each. The caller protects it. */
SEXP glue_functions(int64_t count, const int64_t *breakpoints, int linear, double **columns);

/* Removes the first breakpoint of functions of such a list that begin at −∞ with the value 0,
 * which does not change them; the zero function then begins at time 0. */
void glue_drop_zero_starts(SEXP functions);

/* Doubles for `columns` numbers in a row for each of `rows` functions; and the same with the
 * dimensions of a matrix. The caller protects it. */
SEXP glue_rows(R_xlen_t rows, R_xlen_t columns);
SEXP glue_matrix(R_xlen_t rows, R_xlen_t columns);

/* The number of elements of such a matrix; an error if it is too large for R. */
R_xlen_t glue_length(R_xlen_t rows, R_xlen_t columns);

/* Sets the elements of a named list, in its order, as attributes of a new value; in R this
 * would copy the value. NULL elements are left out. `attributes` must be one or empty. */
void glue_set_attributes(SEXP value, SEXP attributes);

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

/* The place of one string among `count` choices. */
int glue_choice(SEXP x, const char *name, const char *const *choices, int count);

/* From less than to, neither of them NaN; and c(from, to) of R. */
void glue_check_window(double from, double to);
const double *glue_window(SEXP x);

/* The elements of a vector of doubles; of integers; of integers or doubles. It must have
 * `length` elements, or any number if that is -1. */
const double *glue_doubles(SEXP x, const char *name, R_xlen_t length);
const int *glue_integers(SEXP x, const char *name, R_xlen_t length);
void glue_check_numbers(SEXP x, const char *name, R_xlen_t length);

/* So many integers from 0 to `count` - 1. */
const int *glue_places(SEXP x, const char *name, R_xlen_t length, int64_t count);

/* Like glue_doubles(), for numbers that must be finite. */
const double *glue_finite(SEXP x, const char *name, R_xlen_t length);

/* Is it a vector with two dimensions, which match its length? Objects from damaged files may
 * have others. */
int glue_is_matrix(SEXP x, int *rows, int *columns);

/* The number of columns of a matrix of finite doubles with so many rows. */
int64_t glue_weights(SEXP matrix, const char *name, int64_t rows);

/* The numbers 1 … n in any order, counted from 0 in C, in memory that R frees when the .Call
 * ends; NULL for R_NilValue, which leaves them in order. */
const int64_t *glue_order(SEXP x, const char *name, R_xlen_t n);

/* Doubles in increasing order, repeated ones allowed, none of them NaN. */
const double *glue_increasing(SEXP x, const char *name);

/* A list; an element of a list by its name; and the same as one of the above. */
void glue_check_list(SEXP x, const char *name);
SEXP glue_element(SEXP list, const char *name);
double glue_number_of(SEXP list, const char *name);
int64_t glue_count_of(SEXP list, const char *name, int64_t least, int64_t most);
int glue_flag_of(SEXP list, const char *name);
const char *glue_text_of(SEXP list, const char *name);
int glue_choice_of(SEXP list, const char *name, const char *const *choices, int count);

/* The settings of a run, as run_settings() in R gives them. */
struct pcf_settings glue_settings(SEXP settings);

/* A call on single functions. `settings`: R_NilValue for the CPU, or those of a run that is on
 * a GPU if its device is "cuda", or if pcf_single_choose() finds that faster. */
struct pcf_single glue_single(enum pcf_single_operation operation, void *call, SEXP threads,
                              SEXP settings);

/* Is the call small enough for R's own thread? See pcf_is_small(). */
int glue_is_small(const struct pcf_single *single, int64_t elements, int64_t segments);

/* ---- Running work (glue/r-run.c) ---- */

/* Work that another thread does, and that must not touch R. It should end soon, with any
 * status, once `*stop` is not 0. */
typedef enum pcf_status glue_work(void *context, const atomic_int *stop,
                                  struct pcf_error *error);

/* Defines work that is one call, which sees the context, a struct of that type, as `it`, and
 * `stop` and `error`. */
#define GLUE_WORK(name, type, call)                                                         \
  static enum pcf_status name(void *it_, const atomic_int *stop, struct pcf_error *error) { \
    struct type *it = it_;                                                                  \
    return call;                                                                            \
  }

/* In a loop on R's thread over k = 0, 1, …: checks for interrupts now and then. May jump. */
static inline void glue_poll(int64_t k) {
  enum { AT_ONCE = 1 << 20 };
  if (k % AT_ONCE == AT_ONCE - 1) R_CheckUserInterrupt();
}

/* Runs `work` on a thread of its own, and waits for it as glue_wait() does: it may jump, when
 * the thread has ended. Allocate what R owns before; memory that is to outlive the work comes
 * from R_alloc(), or is freed by R_ExecWithCleanup(). Work that is `small`, done before another
 * thread would start, runs on the calling thread; a single pass over functions is small below
 * so many breakpoints. */
enum { GLUE_FEW_BREAKPOINTS = 20000 };
enum pcf_status glue_run(int small, glue_work *work, void *context, struct pcf_error *error);

/* The same for work that is not small and tells what part of it is done. */
enum pcf_status glue_run_in_parts(glue_work *work, void *context, const atomic_int *thousandths,
                                  struct pcf_error *error);

/* glue_run() for work that fills `value`, which it protects; returns the answer. */
SEXP glue_run_and_answer(int small, glue_work *work, void *context, SEXP value);

/* The namespace of the package, which is loaded while its C code runs. */
SEXP glue_namespace(void);

/* Work on other threads, for which R's thread waits. */
struct glue_waiting {
  void *work;
  int (*wait)(void *work, double seconds); /* up to so long; returns whether it has ended */
  /* Asks it to end early, if it has not ended, waits for its end, and frees what it held. */
  void (*end)(void *work);
  void (*draw)(void *work);  /* shows its progress with R, also at last; or NULL */
  void (*begin)(void *data); /* is called first of all, with `data`; or NULL */
  void *data;
};

/* Waits for work that has been started, and ends it. Meanwhile R handles interrupts, time
 * limits and events, and draws. If one of these jumps, as interrupts and errors do, the work is
 * stopped, and the jump continues when the work has ended. */
void glue_wait(struct glue_waiting *waiting);

/* ---- Functions that a call makes (glue/r-functions.c) ----
 *
 * They come to R in two ways. Where they can be counted, their breakpoints are counted first,
 * then R allocates them, then threads fill them. Where counting costs as much as computing,
 * they are curves, from which threads copy them.
 */

struct glue_making {
  int64_t count, *breakpoints; /* of each result */
  double **result;
  int threads, small;
  int linear;              /* are the results piecewise linear? */
  int drop_zero_starts;    /* may the start of a function be redundant? */
  struct pcf_place *fault; /* the first invalid number, returned with the functions */
  SEXP operand[2];         /* lists of functions that are not checked, or NULL */
  const char *argument[2];
};

/* So many functions, with room for their breakpoints. */
struct glue_making glue_make_many(int64_t count, int threads, int small);

/* The answer. `count` notes the breakpoints of the results, or is NULL where they are known;
 * `fill` fills them. */
SEXP glue_make(struct glue_making *making, glue_work *count, glue_work *fill, void *context);

/* The answer with functions that are written one by one. */
SEXP glue_make_each(struct glue_making making, struct pcf_unwritten functions);

/* R_NilValue, or the answer that names the first invalid function of an operand. */
SEXP glue_check_operands(const struct glue_making *making);

/* After a failure: the same, or the error. */
SEXP glue_make_failed(const struct glue_making *making, enum pcf_status status,
                      const struct pcf_error *error);

/* A list of the functions of curves, complete where `status` is PCF_OK. It may jump, and leaves
 * the curves to the caller, who protects the list. */
struct pcf_curves;
SEXP glue_curves(const struct pcf_curves *curves, int threads, int small,
                 enum pcf_status *status, struct pcf_error *error);

/* The answer with these functions, without needless starts. */
SEXP glue_give_curves(const struct pcf_curves *curves, int threads, int small);

/* ---- Vectors of R whose memory is allocated before R makes them ----
 *
 * Threads write to it while R collects garbage, which it does before it makes a large vector.
 */

struct glue_reserved;

/* Memory for that many doubles; or NULL if there are so few that it is not worth it, or so many
 * that R should collect garbage first, or if the system does not provide such memory. */
struct glue_reserved *glue_reserve(int64_t length);

double *glue_reserved_numbers(const struct glue_reserved *reserved);

/* Makes a vector of the numbers, which owns the memory from then on; collects garbage first if
 * there may be much of such vectors. On R's thread. */
SEXP glue_reserved_vector(struct glue_reserved *reserved);

/* Frees the memory unless a vector owns it. */
void glue_unreserve(struct glue_reserved *reserved);

/* Work that fills a vector of that many doubles from *numbers on, which is set before. */
struct glue_filling {
  R_xlen_t length;
  double **numbers;
  glue_work *work;
  void *context;
  int small; /* see glue_run() */
  enum pcf_status status;
  struct pcf_error error;
  struct glue_reserved *reserved;
  SEXP holder;
};

/* Does the work, and returns the vector. R allocates a large vector meanwhile. */
SEXP glue_fill(struct glue_filling *filling);

/* The number of vectors whose memory the package has to free. */
int glue_reserved_vectors(void);

/* ---- Collections (glue/r-collections.c) ---- */

/* The families that an argument may be of: step functions alone, which are two-column double
 * matrices, or also piecewise linear functions, which have three columns. */
enum glue_family { GLUE_STEPS, GLUE_EITHER };

/* Views a list of such matrices as a collection. The pointers live in memory that R frees when
 * the .Call ends; the matrices belong to R. What is known about functions on GPUs is used as
 * long as they are the same, element by element. Returns R_NilValue or, if an element is not
 * such a matrix, the result of the entry point. */
SEXP glue_view(SEXP x, const char *argument, enum glue_family family,
               struct pcf_collection *collection);

/* Views `x` like glue_view() and checks all its functions on several threads; they may have
 * missing values. `range` (or NULL) is widened to it. Returns R_NilValue, or the result of the
 * entry point. */
SEXP glue_check(SEXP x, const char *argument, enum glue_family family, int threads,
                struct pcf_collection *collection, struct pcf_range *range);

/* The same for the argument `weight`, which must be one function. */
SEXP glue_check_weight(SEXP weight, struct pcf_collection *collection);

/* Is one pass over the collection, and over so many `more` numbers, done before another thread
 * would start? */
int glue_is_short(const struct pcf_collection *x, double more);

/* ---- Others ---- */

/* list(starts, row, weight), column by column: starts[j] … are counted from 0, and `row` is
 * that of each entry, from 0, or NULL for all. In memory that R frees (glue/r-sparse.c). */
struct pcf_matrix;
struct pcf_matrix glue_columns_of(SEXP matrix, int64_t rows, int64_t columns);

/* list(kind, rows, columns, first, end, storage): the kind "dist", "symmetric" or "dense", the
 * columns counted from 1 (glue/r-disk.c). */
struct pcf_layout;
struct pcf_layout glue_layout(SEXP layout);

/* Makes the class of vectors whose numbers lie in a file known to R (glue/r-stored.c). */
void glue_init_stored(DllInfo *dll);

/* The backend, or, where a test makes it fail, a copy of it that fails (glue/r-testing.c). */
#ifdef PCF_TESTING
const struct pcf_backend *glue_provoked(const struct pcf_backend *backend);
#else
static inline const struct pcf_backend *glue_provoked(const struct pcf_backend *backend) {
  return backend;
}
#endif
