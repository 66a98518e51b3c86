/* Persistence diagrams from R: lists of double matrices with the columns birth and death, or
 * dimension, birth and death. */
#include "glue/glue.h"

#include "collections/curves.h"
#include "diagrams/diagram.h"
#include "diagrams/homological-kernel.h"
#include "diagrams/landscape.h"
#include "diagrams/silhouette.h"

#include <limits.h>
#include <math.h>

/* Diagrams are processed together until they have this many bars: enough to keep threads busy,
 * few enough to stay in the caches. Large diagrams are as many as threads, if that does not
 * take much memory. */
static const int64_t bars_at_once = 1 << 18, most_at_once = 1 << 22;

static SEXP read_diagrams(SEXP x, SEXP dimension, SEXP infinite, struct pcf_diagrams *diagrams);
static SEXP problem_with(const struct pcf_bar_fault *fault, int64_t first);

/* ---- Curves ---- */

struct building {
  struct pcf_diagrams all, taken; /* those of the call, and those that are processed together */
  int64_t *room;
  struct pcf_curve_space space;
  struct pcf_curves curves;
  int threads;
  struct pcf_bar_fault fault;
};

GLUE_WORK(build_work, building,
          pcf_build_curves(&it->taken, &it->space, it->threads, stop, &it->fault, &it->curves,
                           error))

/* Takes the diagrams, from this one on, that are processed together. */
static void take(struct building *building, int64_t first) {
  const struct pcf_diagram *diagrams = building->all.diagrams + first;
  int64_t count = building->all.count - first, taken = 0, *room = building->room;
  enum pcf_curve curve = building->all.rule.curve;
  room[0] = 0;
  for (int64_t bars = 0; taken < count; taken++) {
    if (bars >= (taken < building->threads ? most_at_once : bars_at_once)) break;
    bars += diagrams[taken].bars;
    room[taken + 1] = room[taken] + pcf_curve_room(&diagrams[taken], curve);
  }
  building->taken = (struct pcf_diagrams){diagrams, taken, building->all.rule};
}

/* Allocates memory of R that is large enough for all diagrams that are taken together. */
static void make_room(struct building *building) {
  int64_t count = building->all.count, most_room = 0;
  building->room = glue_counts(count);
  for (int64_t first = 0; first < count; first += building->taken.count) {
    take(building, first);
    int64_t room = building->room[building->taken.count];
    if (room > most_room) most_room = room;
  }
  building->space = (struct pcf_curve_space){
    building->room, (double *)R_alloc((size_t)most_room, sizeof(double)),
    (double *)R_alloc((size_t)most_room, sizeof(double))};
}

/* Puts the functions of the taken diagrams into `list`, from `first` on. */
static enum pcf_status build_some(struct building *building, SEXP list, int64_t first,
                                  struct pcf_error *error) {
  enum pcf_status status = glue_run(0, build_work, building, error);
  if (status) return status;
  SEXP some = PROTECT(glue_curves(&building->curves, building->threads, 0, &status, error));
  for (int64_t i = 0; i < building->taken.count; i++) {
    SET_VECTOR_ELT(list, (R_xlen_t)(first + i), VECTOR_ELT(some, (R_xlen_t)i));
  }
  UNPROTECT(1);
  return status;
}

static void free_curves(void *building) {
  pcf_curves_free(&((struct building *)building)->curves);
}

static SEXP build(void *building_) {
  struct building *building = building_;
  struct pcf_error error = {0};
  enum pcf_status status = PCF_OK;
  int64_t first = 0, count = building->all.count;
  SEXP list = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count));
  for (; first < count; first += building->taken.count) {
    take(building, first);
    status = build_some(building, list, first, &error);
    if (status) break;
    free_curves(building);
  }
  SEXP answer = building->fault.problem ? problem_with(&building->fault, first)
                                        : glue_answer(list, status, &error);
  UNPROTECT(1);
  return answer;
}

SEXP ffi_diagram_curves(SEXP x, SEXP curve, SEXP dimension, SEXP infinite, SEXP threads) {
  struct building building = {.threads = glue_threads(threads)};
  struct pcf_diagrams *all = &building.all;
  all->rule.curve = (enum pcf_curve)glue_count(curve, "curve", 0, PCF_ACCUMULATED_PERSISTENCE);
  GLUE_TRY(read_diagrams(x, dimension, infinite, all));
  make_room(&building);
  return R_ExecWithCleanup(build, &building, free_curves, &building);
}

static SEXP problem_with(const struct pcf_bar_fault *fault, int64_t first) {
  static const char *const names[] = {
    [PCF_BAR_VALID] = "valid",
    [PCF_BAR_MISSING] = "missing",
    [PCF_BAR_BIRTH_INFINITE] = "birth_infinite",
    [PCF_BAR_REVERSED] = "reversed",
    [PCF_BAR_DIMENSION] = "dimension",
    [PCF_BAR_OTHER_DIMENSION] = "other_dimension",
    [PCF_BAR_OVERFLOW] = "overflow",
    [PCF_BAR_ENDLESS] = "endless",
  };
  SEXP problem = glue_problem(first + fault->diagram, fault->bar, names[fault->problem]);
  return glue_problem_with("x", problem);
}

/* ---- Landscapes and silhouettes ---- */

struct tents {
  struct glue_making of; /* landscapes */
  struct pcf_diagrams x;
  struct pcf_landscapes landscapes;
  struct pcf_curves silhouettes;
  double power;
  int threads;
  struct pcf_bar_fault fault;
};

GLUE_WORK(count_landscapes, tents,
          pcf_landscapes_count(&it->landscapes, it->threads, stop, &it->fault, error))
GLUE_WORK(fill_landscapes, tents,
          pcf_landscapes_fill(&it->landscapes, it->of.result, it->threads, stop, error))
GLUE_WORK(build_silhouettes, tents,
          pcf_build_silhouettes(&it->x, it->power, it->threads, stop, &it->fault,
                                &it->silhouettes, error))

static SEXP make_landscapes(void *tents_) {
  struct tents *tents = tents_;
  struct pcf_error error = {0};
  enum pcf_status status = glue_run(0, count_landscapes, tents, &error);
  if (tents->fault.problem) return problem_with(&tents->fault, 0);
  if (status) return glue_answer(R_NilValue, status, &error);
  tents->of = glue_make_many(tents->x.count * tents->landscapes.levels, tents->threads, 0);
  tents->of.linear = 1;
  pcf_landscapes_vertices(&tents->landscapes, tents->of.breakpoints);
  return glue_make(&tents->of, NULL, fill_landscapes, tents);
}

static SEXP make_silhouettes(void *tents_) {
  struct tents *tents = tents_;
  struct pcf_error error = {0};
  enum pcf_status status = glue_run(0, build_silhouettes, tents, &error);
  if (tents->fault.problem) return problem_with(&tents->fault, 0);
  if (status) return glue_answer(R_NilValue, status, &error);
  return glue_give_curves(&tents->silhouettes, tents->threads, 0);
}

static void free_tents(void *tents_) {
  struct tents *tents = tents_;
  pcf_landscapes_free(&tents->landscapes);
  pcf_curves_free(&tents->silhouettes);
}

/* The landscapes, of that many levels each, 0 for all of the diagram with most; or, where
 * `power` is not NULL, the silhouettes. The functions of all diagrams for one level lie
 * together. */
SEXP ffi_tents(SEXP x, SEXP levels, SEXP power, SEXP dimension, SEXP infinite, SEXP threads) {
  struct tents tents = {.threads = glue_threads(threads)};
  tents.landscapes.x = &tents.x;
  if (power == R_NilValue) tents.landscapes.levels = glue_count(levels, "levels", 0, INT_MAX);
  else tents.power = glue_number(power, "power");
  GLUE_TRY(read_diagrams(x, dimension, infinite, &tents.x));
  return R_ExecWithCleanup(power == R_NilValue ? make_landscapes : make_silhouettes, &tents,
                           free_tents, &tents);
}

/* ---- Homological kernels ---- */

struct kernels {
  const struct pcf_two_metrics *x;
  int64_t count;
  int threads;
};

GLUE_WORK(build_kernels, kernels,
          pcf_homological_kernels(it->x, it->count, it->threads, stop, error))

/* A diagram whose births and deaths are to be filled. */
static SEXP new_kernel(struct pcf_two_metrics *x) {
  int bars = (int)x->points - 1;
  SEXP diagram = Rf_allocMatrix(REALSXP, bars, 3);
  for (int k = 0; k < bars; k++) REAL(diagram)[k] = 0;
  x->births = REAL(diagram) + bars;
  x->deaths = x->births + bars;
  return diagram;
}

/* Lists of the distances under both metrics, and the numbers of points. */
SEXP ffi_homological_kernels(SEXP far, SEXP near, SEXP points, SEXP threads) {
  glue_check_list(far, "far");
  glue_check_list(near, "near");
  R_xlen_t count = XLENGTH(far);
  const double *size = glue_doubles(points, "points", count);
  if (XLENGTH(near) != count) Rf_error("internal error: `near` must be as long as `far`");
  struct pcf_two_metrics *x = (struct pcf_two_metrics *)R_alloc((size_t)count, sizeof *x);
  SEXP diagrams = PROTECT(Rf_allocVector(VECSXP, count));
  for (R_xlen_t i = 0; i < count; i++) {
    if (!(size[i] >= 1 && size[i] <= INT_MAX)) Rf_error("internal error: no `points`");
    R_xlen_t pairs = (R_xlen_t)(size[i] * (size[i] - 1) / 2);
    x[i] = (struct pcf_two_metrics){.far = glue_doubles(VECTOR_ELT(far, i), "far", pairs),
                                    .near = glue_doubles(VECTOR_ELT(near, i), "near", pairs),
                                    .points = (int64_t)size[i]};
    SET_VECTOR_ELT(diagrams, i, new_kernel(&x[i]));
  }
  struct kernels kernels = {x, count, glue_threads(threads)};
  SEXP answer = glue_run_and_answer(0, build_kernels, &kernels, diagrams);
  UNPROTECT(1);
  return answer;
}

/* ---- Viewing ---- */

/* Is it this word in lower case, except for the case? strcasecmp() depends on the locale. */
static int is_word(const char *text, const char *word) {
  while (*word && (*text == *word || *text == *word - 'a' + 'A')) text++, word++;
  return *text == *word;
}

/* Are the column names missing, or the expected ones (in upper or lower case)? */
static int columns_are(SEXP x, int columns) {
  static const char *const expected[] = {"dimension", "birth", "death"};
  SEXP names = Rf_getAttrib(x, R_DimNamesSymbol);
  if (names != R_NilValue) names = VECTOR_ELT(names, 1);
  if (names == R_NilValue) return 1;
  for (int k = 0; k < columns; k++) {
    if (!is_word(CHAR(STRING_ELT(names, k)), expected[3 - columns + k])) return 0;
  }
  return 1;
}

/* Returns 0 unless it is a double matrix with the right columns; 64-bit integers are none. */
static int view_diagram(SEXP x, struct pcf_diagram *diagram) {
  if (TYPEOF(x) != REALSXP || Rf_inherits(x, "integer64")) return 0;
  int bars, columns;
  if (!glue_is_matrix(x, &bars, &columns) || (columns != 2 && columns != 3) ||
      !columns_are(x, columns))
    return 0;
  const double *data = REAL_RO(x);
  const double *birth = columns == 3 ? data + bars : data;
  *diagram = (struct pcf_diagram){columns == 3 ? data : NULL, birth, birth + bars, bars};
  return 1;
}

/* Views all diagrams, in memory that R frees, under a rule for a curve. Where no dimension is
 * asked for, and the curve is that of one, it is the dimension of the first bar, and all must
 * have it. Returns R_NilValue, or what the entry point is to return: functions have at most
 * three breakpoints a bar, and matrices of R so many rows. */
static SEXP read_diagrams(SEXP x, SEXP dimension, SEXP infinite,
                          struct pcf_diagrams *diagrams) {
  struct pcf_curve_rule *rule = &diagrams->rule;
  glue_check_list(x, "x");
  struct pcf_diagram *all = (struct pcf_diagram *)R_alloc((size_t)XLENGTH(x), sizeof *all);
  int64_t most = 0;
  rule->dimension = glue_number(dimension, "dimension");
  rule->infinite = glue_number(infinite, "infinite");
  int any = ISNAN(rule->dimension) && rule->curve != PCF_EULER_CURVE;
  for (R_xlen_t i = 0; i < XLENGTH(x); i++) {
    struct pcf_diagram *diagram = &all[i];
    if (!view_diagram(VECTOR_ELT(x, i), diagram)) Rf_error("`x` must hold plain diagrams");
    if (diagram->bars > most) most = diagram->bars;
    glue_poll(i);
    if (any && !rule->no_other && diagram->dimension && diagram->bars > 0) {
      rule->dimension = diagram->dimension[0];
      rule->no_other = 1;
    }
  }
  diagrams->diagrams = all;
  diagrams->count = XLENGTH(x);
  if (most <= INT_MAX / 3) return R_NilValue;
  struct pcf_error error;
  enum pcf_status status =
    pcf_fail(&error, PCF_ERROR_ARGUMENT, "a diagram has more than %d bars", INT_MAX / 3);
  return glue_answer(R_NilValue, status, &error);
}

/* May there be finite or missing deaths that stand for infinity? */
static int has_odd_death(const struct pcf_diagram *diagram) {
  int64_t odd = 0;
  for (int64_t k = 0; k < diagram->bars; k++) {
    odd += !(diagram->death[k] < 3.4e38) & (diagram->death[k] != INFINITY);
  }
  return odd > 0;
}

/* Which elements of a list are diagrams in the form that ffi_diagram_curves() takes: the number
 * of their columns, negative where deaths may stand for infinity; 0 for others. */
SEXP ffi_diagram_columns(SEXP x) {
  glue_check_list(x, "x");
  R_xlen_t count = XLENGTH(x);
  SEXP columns = PROTECT(Rf_allocVector(INTSXP, count));
  for (R_xlen_t i = 0; i < count; i++) {
    struct pcf_diagram diagram;
    int plain = view_diagram(VECTOR_ELT(x, i), &diagram);
    glue_poll(i);
    int count = !plain ? 0 : diagram.dimension ? 3 : 2;
    INTEGER(columns)[i] = plain && has_odd_death(&diagram) ? -count : count;
  }
  UNPROTECT(1);
  return columns;
}
