/* Results in files: where numbers lie, which are there, and what a run writes. */
#include "check.h"
#include "runs.h"

#include "base/hash.h"
#include "base/memory.h"
#include "collections/digest.h"
#include "disk/coverage.h"
#include "disk/stored.h"
#include "sinks/disk.h"
#include "testing/device-failing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const enum pcf_mode kinds[] = {PCF_LOWER_WITHOUT_DIAGONAL, PCF_LOWER_WITH_DIAGONAL,
                                      PCF_FULL};
enum { KINDS = 3 };

static struct pcf_layout layout_of(enum pcf_mode kind, int64_t rows, int64_t columns) {
  return (struct pcf_layout){kind, rows, columns, 0, columns, PCF_DOUBLE};
}

/* ---- Hashes ---- */

/* As the reference implementation of XXH64 gives them. */
TEST(disk_hash_is_xxh64) {
  CHECK(pcf_hash("", 0) == UINT64_C(0xEF46DB3751D8E999));
  CHECK(pcf_hash("abc", 3) == UINT64_C(0x44BC2CF5AD770999));
  const char *text = "Nobody inspects the spammish repetition";
  CHECK(pcf_hash(text, strlen(text)) == UINT64_C(0xFBCEA83C8A378BF1));
}

TEST(disk_digest_sees_every_number) {
  struct functions *x = functions_random(&random, UNBOUNDED, 600, 1, 9);
  uint64_t one, two, other;
  CHECK(pcf_digest(&x->view, 1, NULL, &one, NULL) == PCF_OK);
  CHECK(pcf_digest(&x->view, 2, NULL, &two, NULL) == PCF_OK);
  CHECK(one == two);
  double *value = &values_of(x, 599)[0];
  *value = nextafter(*value, 9);
  CHECK(pcf_digest(&x->view, 2, NULL, &other, NULL) == PCF_OK);
  CHECK(other != one);
}

TEST(disk_digest_is_that_of_equal_numbers) {
  double na = pcf_missing(), no = pcf_double_of(UINT64_C(0xFFF0000000000000) | 1954);
  double plain[] = {0, na, 1, NAN, 2, 0, na}, other[] = {-0.0, no, 1, NAN, 2, -0.0, no};
  CHECK(pcf_hash_numbers(other, 7) == pcf_hash(plain, sizeof plain));
  CHECK(pcf_hash_numbers(plain, 7) == pcf_hash(plain, sizeof plain));
  CHECK(pcf_hash_numbers(other + 3, 1) != pcf_hash_numbers(other + 1, 1));
}

/* ---- Layouts ---- */

static bool is_held(const struct pcf_layout *layout, int64_t i, int64_t j) {
  if (j < layout->first || j >= layout->end) return false;
  return layout->mode != PCF_LOWER_WITHOUT_DIAGONAL || i > j;
}

/* Marks the places of the extents in their order; returns how many there are. */
static int64_t mark(const struct pcf_layout *layout, const struct pcf_rectangle *rectangle,
                    int *order) {
  int64_t numbers = 0;
  for (int64_t k = 0; k < pcf_layout_extents(layout, rectangle); k++) {
    struct pcf_extent extent = pcf_layout_extent(layout, rectangle, k);
    for (int64_t c = 0; c < extent.count; c++) order[extent.index + c] += 1;
    numbers += extent.count;
  }
  return numbers;
}

static void check_extents(const struct pcf_layout *layout,
                          const struct pcf_rectangle *rectangle) {
  int64_t length = pcf_layout_length(layout), place = 0, held = 0;
  int *times = zeroed(length + 1, sizeof *times);
  int64_t numbers = mark(layout, rectangle, times);
  for (int64_t j = 0; j < layout->columns; j++) {
    for (int64_t i = 0; i < layout->rows; i++) {
      if (!is_held(layout, i, j)) continue;
      int64_t row = i, column = j;
      if (layout->mode == PCF_LOWER_WITH_DIAGONAL && i < j) row = j, column = i;
      bool inside = row >= rectangle->row && row < rectangle->row + rectangle->rows &&
                    column >= rectangle->column &&
                    column < rectangle->column + rectangle->columns;
      held += inside;
      CHECK(times[place++] == inside);
    }
  }
  CHECK(place == length);
  CHECK(held == numbers);
  CHECK(pcf_layout_numbers(layout, rectangle) == numbers);
}

static struct pcf_rectangle random_rectangle(struct random *random, int64_t rows,
                                             int64_t columns) {
  struct pcf_rectangle rectangle = {.row = random_between(random, 0, rows - 1),
                                    .column = random_between(random, 0, columns - 1)};
  rectangle.rows = random_between(random, 1, rows - rectangle.row);
  rectangle.columns = random_between(random, 1, columns - rectangle.column);
  return rectangle;
}

TEST(disk_extents_are_the_numbers_of_a_rectangle) {
  for (int k = 0; k < 300; k++) {
    enum pcf_mode kind = kinds[k % KINDS];
    int64_t rows = random_between(&random, 1, 12);
    int64_t columns = kind == PCF_FULL ? random_between(&random, 1, 12) : rows;
    struct pcf_layout layout = layout_of(kind, rows, columns);
    if (kind != PCF_LOWER_WITH_DIAGONAL) {
      layout.first = random_between(&random, 0, columns);
      layout.end = random_between(&random, layout.first, columns);
    }
    struct pcf_rectangle rectangle = random_rectangle(&random, rows, columns);
    check_extents(&layout, &rectangle);
  }
}

TEST(disk_layouts_are_long) {
  struct pcf_layout layout = layout_of(PCF_LOWER_WITHOUT_DIAGONAL, 1000000, 1000000);
  CHECK(pcf_layout_length(&layout) == INT64_C(499999500000));
  struct pcf_rectangle last = {999999, 1, 999998, 1};
  CHECK(pcf_layout_extent(&layout, &last, 0).index == INT64_C(499999499999));
}

/* ---- Coverage ---- */

TEST(disk_coverage_of_small_matrices_is_exact) {
  enum { N = 12 };
  for (int k = 0; k < 200; k++) {
    struct pcf_layout layout = layout_of(kinds[k % KINDS], N, N);
    SCOPED(pcf_coverage) coverage;
    bool covered[N][N] = {{false}};
    REQUIRE(pcf_coverage_start(&coverage, &layout, NULL) == PCF_OK);
    for (int r = 0; r < 6; r++) {
      struct pcf_rectangle added = random_rectangle(&random, N, N);
      pcf_coverage_add(&coverage, &added);
      for (int64_t i = 0; i < added.rows; i++)
        for (int64_t j = 0; j < added.columns; j++)
          covered[added.row + i][added.column + j] = true;
      struct pcf_rectangle asked = random_rectangle(&random, N, N);
      bool all = true;
      for (int64_t i = asked.row; i < asked.row + asked.rows; i++) {
        for (int64_t j = asked.column; j < asked.column + asked.columns; j++) {
          bool held = layout.mode == PCF_LOWER_WITHOUT_DIAGONAL ? i > j
                      : layout.mode == PCF_LOWER_WITH_DIAGONAL  ? i >= j
                                                                : true;
          all = all && (covered[i][j] || !held);
        }
      }
      CHECK(pcf_coverage_has(&coverage, &asked) == all);
    }
  }
}

TEST(disk_coverage_of_large_matrices_claims_too_little) {
  struct pcf_layout layout = layout_of(PCF_FULL, 20001, 20001);
  SCOPED(pcf_coverage) coverage;
  REQUIRE(pcf_coverage_start(&coverage, &layout, NULL) == PCF_OK);
  CHECK(coverage.side > 1);
  struct pcf_rectangle part = {0, 512, 1, 511}, whole = {0, 512, 512, 512};
  struct pcf_rectangle corner = {19968, 33, 19968, 33}, first = {0, 32, 0, 32};
  pcf_coverage_add(&coverage, &part);
  pcf_coverage_add(&coverage, &whole);
  CHECK(pcf_coverage_has(&coverage, &whole));
  CHECK(!pcf_coverage_has(&coverage, &part));
  CHECK(!pcf_coverage_has(&coverage, &first));
  CHECK(!pcf_coverage_has(&coverage, &corner));
  pcf_coverage_add(&coverage, &corner);
  CHECK(pcf_coverage_has(&coverage, &corner));
}

/* Of small matrices, and of large ones, where squares do not tell. */
TEST(disk_records_that_are_there_twice_count_once) {
  for (int64_t n = 101; n <= 20001; n += 19900) {
    struct pcf_layout layout = layout_of(PCF_FULL, 2 * n, 2 * n);
    struct pcf_record quarters[] = {{{n, n, n, n}, 4},
                                    {{0, n, 0, n}, 1},
                                    {{n, n, 0, n}, 3},
                                    {{0, n, n, n}, 2},
                                    {{0, n, 0, n}, 1}};
    struct pcf_records records = {4, quarters, 0};
    int all = 0;
    CHECK(!pcf_records_are_all(&records, &layout, &all, NULL) && all);
    records.count = 5;
    CHECK(!pcf_records_are_all(&records, &layout, &all, NULL) && all);
    records.count = 4;
    quarters[0] = quarters[3];
    CHECK(!pcf_records_are_all(&records, &layout, &all, NULL) && !all);
  }
}

/* ---- Files ---- */

static const char *const header = "Of: a test\n";
static const struct pcf_scale plain = {.precision = PCF_DOUBLE, .factor = 1};

/* The names of a file of results, in a folder of its own. */
struct place {
  char folder[512], path[528], part[544], text[544];
};

static struct place new_place(void) {
  struct place place;
  CHECK(check_folder(place.folder, sizeof place.folder));
  snprintf(place.path, sizeof place.path, "%s/d", place.folder);
  snprintf(place.part, sizeof place.part, "%s.part", place.path);
  snprintf(place.text, sizeof place.text, "%s.dcf", place.path);
  return place;
}

static void clear_place(const struct place *place) {
  pcf_file_remove(place->path);
  pcf_file_remove(place->part);
  pcf_file_remove(place->text);
  CHECK(rmdir(place->folder) == 0); /* nothing else was left */
}

static struct pcf_disk_sink *open_at(const struct place *place, const struct pcf_layout *layout,
                                     struct pcf_error *error) {
  struct pcf_disk_request request = {.path = place->path, .header = header, .layout = *layout};
  return pcf_disk_open(&request, 2, NULL, error);
}

static enum pcf_status read_records(struct pcf_records *records, const char *path,
                                    const char *due, const struct pcf_layout *layout) {
  struct pcf_file file;
  *records = (struct pcf_records){0};
  enum pcf_status status = pcf_file_open(&file, path, PCF_FILE_READ, NULL);
  if (!status) status = pcf_records_read(records, &file, due, layout, NULL);
  pcf_file_close(&file);
  return status;
}

/* Has the file the numbers? */
static bool has_numbers(const struct place *place, const struct pcf_layout *layout,
                        const double *result) {
  struct pcf_stored stored;
  bool same = pcf_stored_open(&stored, place->path, PCF_FILE_READ, layout, NULL) == PCF_OK;
  same = same && pcf_stored_check(&stored, header, 2, NULL, NULL) == PCF_OK;
  for (int64_t k = 0; same && k < stored.length; k++) {
    double due = layout->storage == PCF_DOUBLE ? result[k] : (double)(float)result[k];
    same = pcf_stored_number(&stored, k) == due;
  }
  pcf_stored_close(&stored);
  return same;
}

/* Runs into a file, going on with it after failures; returns how often it failed. */
static int run_to_the_end(const struct place *place, const struct pcf_layout *layout,
                          const struct asked *request, long steps) {
  for (int failures = 0;; failures++) {
    struct pcf_error error = {0};
    struct pcf_disk_sink *disk = open_at(place, layout, &error);
    if (!CHECK(disk != NULL)) return -1;
    pcf_file_provoke_at(steps, PCF_FILE_DISK_FULL);
    enum pcf_status status =
      run_into(pcf_disk_as_sink(disk), request, &pcf_cpu_backend, NULL, &error);
    pcf_file_provoke_at(0, PCF_FILE_DISK_FULL);
    pcf_disk_close(disk);
    if (!status) return failures;
    if (!CHECK(status == PCF_ERROR_FILE) || failures > 1000) return -1;
  }
}

static struct asked small_request(enum pcf_mode kind, const struct functions *x) {
  struct question question = {kind == PCF_LOWER_WITH_DIAGONAL ? PCF_INNER : PCF_L1, 1, 0, 5};
  struct asked request = request_of(&question, kind, x, kind == PCF_FULL ? x : NULL);
  request.settings.block_side = 32;
  request.settings.threads = 2;
  request.pairs.width = 32;
  request.pairs.method = "sweep";
  return request;
}

TEST(disk_files_have_the_numbers_of_matrices) {
  struct functions *x = functions_random(&random, PAPER, 150, 2, 9);
  for (int k = 0; k < 2 * KINDS; k++) {
    struct asked request = small_request(kinds[k / 2], x);
    struct outcome due = run_request(&request, kinds[k / 2], &pcf_cpu_backend);
    struct pcf_layout layout = layout_of(kinds[k / 2], 150, 150);
    layout.storage = k % 2 ? PCF_SINGLE_PRECISION : PCF_DOUBLE;
    struct place place = new_place();
    CHECK(run_to_the_end(&place, &layout, &request, 0) == 0);
    CHECK(has_numbers(&place, &layout, due.result));
    clear_place(&place);
    /* Until it hears of a failure, another thread may write all that is left. */
    for (int threads = 1; threads <= 2; threads++) {
      struct place again = new_place();
      request.settings.threads = threads;
      CHECK(run_to_the_end(&again, &layout, &request, 100) > (threads == 1));
      CHECK(has_numbers(&again, &layout, due.result));
      clear_place(&again);
    }
  }
}

/* Blocks of the backend that are wider than those of the file, and devices that run out of
 * memory, give the same. */
TEST(disk_files_take_blocks_of_any_device) {
  struct functions *x = functions_random(&random, PAPER, 150, 2, 9);
  for (int k = 0; k < KINDS; k++) {
    struct asked request = small_request(kinds[k], x);
    request.settings.block_side = 128;
    struct outcome due = run_request(&request, kinds[k], &pcf_cpu_backend);
    struct pcf_layout layout = layout_of(kinds[k], 150, 150);
    const struct pcf_backend *const devices[] = {
      deferring_backend(&pcf_cpu_backend, 3, 2),
      pcf_exhausted_backend(&pcf_cpu_backend, 12, 1),
    };
    for (int d = 0; d < 2; d++) {
      struct place place = new_place();
      struct pcf_error error = {0};
      struct pcf_disk_sink *disk = open_at(&place, &layout, &error);
      REQUIRE(disk != NULL);
      struct pcf_sink *sink = pcf_disk_as_sink(disk);
      CHECK(run_into(sink, &request, devices[d], NULL, &error) == PCF_OK);
      pcf_disk_close(disk);
      CHECK(has_numbers(&place, &layout, due.result));
      clear_place(&place);
    }
  }
}

/* Columns of the file are its longest pieces; a symmetric matrix is written by rows, too. */
TEST(disk_blocks_are_tall_but_those_of_symmetric_matrices) {
  enum { N = 600 };
  struct functions *x = functions_random(&random, PAPER, N, 2, 4);
  for (int k = 0; k < KINDS; k++) {
    struct asked request = small_request(kinds[k], x);
    request.settings.block_side = 0;
    struct outcome due = run_request(&request, kinds[k], &pcf_cpu_backend);
    struct pcf_layout layout = layout_of(kinds[k], N, N);
    struct place place = new_place();
    CHECK(run_to_the_end(&place, &layout, &request, 0) == 0);
    struct pcf_records records;
    REQUIRE(!read_records(&records, place.text, header, &layout));
    int64_t rows = 0, columns = 0;
    for (int64_t r = 0; r < records.count; r++) {
      const struct pcf_rectangle *of = &records.record[r].rectangle;
      if (of->rows > rows) rows = of->rows;
      if (of->columns > columns) columns = of->columns;
    }
    CHECK(kinds[k] == PCF_LOWER_WITH_DIAGONAL ? rows == columns : rows >= 8 * columns);
    CHECK(has_numbers(&place, &layout, due.result));
    pcf_records_free(&records);
    clear_place(&place);
  }
}

/* Keeps the shape of the first block, and ends the run. */
struct shape_sink {
  struct pcf_sink sink;
  const struct pcf_sink *like; /* it prefers what this one does */
  int64_t rows, columns;
};

static void prefer_shape(const struct pcf_sink *sink, struct pcf_preferences *preferences) {
  const struct shape_sink *shape = (const struct shape_sink *)sink;
  shape->like->type->prefer(shape->like, preferences);
  preferences->has = NULL;
}

static enum pcf_status keep_shape(struct pcf_sink *sink, int worker,
                                  const struct pcf_finished *finished, struct pcf_team *team,
                                  struct pcf_error *error) {
  struct shape_sink *shape = (struct shape_sink *)sink;
  (void)worker;
  (void)team;
  shape->rows = finished->block->rows;
  shape->columns = finished->block->columns;
  return pcf_fail(error, PCF_ERROR_FILE, "that is enough");
}

/* Short pieces take the system longer; and every thread has a block. */
static void check_first_block(const struct functions *x, enum pcf_precision precision) {
  enum { PIECE = 1 << 16, MOST = 1 << 24 };
  struct asked request = small_request(PCF_LOWER_WITHOUT_DIAGONAL, x);
  request.settings = (struct pcf_settings){.threads = 1};
  request.pairs.precision = precision;
  struct place place = new_place();
  struct pcf_layout layout =
    layout_of(PCF_LOWER_WITHOUT_DIAGONAL, x->view.count, x->view.count);
  layout.storage = precision;
  struct pcf_disk_request sparse = {
    .path = place.path, .header = header, .layout = layout, .grows = 1};
  struct pcf_error error = {0};
  struct pcf_disk_sink *disk = pcf_disk_open(&sparse, 1, NULL, &error);
  REQUIRE(disk != NULL);
  struct pcf_sink_type type = {.prefer = prefer_shape, .consume = keep_shape};
  struct shape_sink shape = {.sink = {.type = &type}, .like = pcf_disk_as_sink(disk)};
  CHECK(run_into(&shape.sink, &request, &pcf_cpu_backend, NULL, &error) == PCF_ERROR_FILE);
  int64_t bytes = shape.rows * (int64_t)pcf_scalar_size(precision);
  CHECK(bytes >= PIECE);
  CHECK(bytes * shape.columns <= MOST);
  pcf_disk_close(disk);
  clear_place(&place);
}

TEST(disk_blocks_have_long_pieces_and_little_memory) {
  struct functions *x = functions_random(&random, PAPER, 17000, 2, 2);
  check_first_block(x, PCF_DOUBLE);
  check_first_block(x, PCF_SINGLE_PRECISION);
}

static double number_at(int64_t i, int64_t j) {
  return (double)(10000 * i + j);
}

/* Hands a block to a sink, with its numbers in a wider stride, and a team if there is one. */
static enum pcf_status consume(struct pcf_sink *sink, const struct pcf_rectangle *of,
                               struct pcf_team *team, struct pcf_error *error) {
  int64_t stride = of->rows + 3;
  double *data = kept(malloc((size_t)(stride * of->columns) * sizeof *data));
  struct pcf_block block = {.rectangle = *of, .parts = 1};
  struct pcf_finished finished = {.block = &block, .data = data, .stride = stride};
  for (int64_t k = 0; k < stride * of->columns; k++) {
    data[k] = number_at(of->row + k % stride, of->column + k / stride);
  }
  enum pcf_status status = pcf_sink_consume(sink, 0, &finished, team, error);
  return status;
}

/* A block that is too large to be one strip, and columns of a band. */
TEST(disk_large_blocks_are_written_in_strips) {
  enum { ROWS = 3000, COLUMNS = 500 };
  struct pcf_rectangle all = {0, ROWS, 0, COLUMNS};
  for (int threads = 1; threads <= 2; threads++) {
    struct pcf_layout layout = layout_of(PCF_FULL, ROWS, COLUMNS);
    layout.first = 7 * (threads - 1);
    layout.end = COLUMNS - 9 * (threads - 1);
    struct place place = new_place();
    struct pcf_error error = {0};
    struct pcf_disk_sink *disk = open_at(&place, &layout, &error);
    REQUIRE(disk != NULL);
    struct pcf_sink *sink = pcf_disk_as_sink(disk);
    struct pcf_team *team = threads > 1 ? pcf_team_start(threads, NULL) : NULL;
    CHECK(pcf_sink_begin(sink, PCF_FULL, &plain, 1, &error) == PCF_OK);
    CHECK(consume(sink, &all, team, &error) == PCF_OK);
    CHECK(pcf_sink_finish(sink, &error) == PCF_OK);
    pcf_team_end(team);
    pcf_disk_close(disk);
    struct pcf_records records;
    CHECK(read_records(&records, place.text, header, &layout) == PCF_OK);
    CHECK(records.count > 1);
    pcf_records_free(&records);
    double *due = kept(malloc((size_t)pcf_layout_length(&layout) * sizeof *due));
    for (int64_t k = 0; k < pcf_layout_length(&layout); k++) {
      due[k] = number_at(k % ROWS, layout.first + k / ROWS);
    }
    CHECK(has_numbers(&place, &layout, due));
    clear_place(&place);
  }
}

TEST(disk_files_are_locked) {
  struct pcf_layout layout = layout_of(PCF_FULL, 5, 5);
  struct place place = new_place();
  struct pcf_error error = {0};
  struct pcf_disk_sink *disk = open_at(&place, &layout, &error);
  REQUIRE(disk != NULL);
  CHECK(open_at(&place, &layout, &error) == NULL);
  CHECK(error.status == PCF_ERROR_FILE && strstr(error.message, "in use") != NULL);
  pcf_disk_close(disk);
  disk = open_at(&place, &layout, &error);
  CHECK(disk != NULL);
  pcf_disk_close(disk);
  clear_place(&place);
}

TEST(disk_headers_must_be_the_same) {
  struct pcf_layout layout = layout_of(PCF_FULL, 5, 5);
  struct place place = new_place();
  struct pcf_error error = {0};
  pcf_disk_close(open_at(&place, &layout, &error));
  struct pcf_disk_request other = {
    .path = place.path, .header = "Of: others\n", .layout = layout};
  CHECK(pcf_disk_open(&other, 1, NULL, &error) == NULL);
  CHECK(error.status == PCF_ERROR_FILE);
  clear_place(&place);
}

/* ---- Names of others ---- */

static void write_bytes(const char *path, const char *bytes) {
  FILE *file = fopen(path, "wb");
  REQUIRE(file != NULL);
  fputs(bytes, file);
  fclose(file);
}

static bool has_bytes(const char *path, const char *bytes) {
  char found[256] = "";
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  size_t count = fread(found, 1, sizeof found - 1, file);
  fclose(file);
  return count == strlen(bytes) && memcmp(found, bytes, count) == 0;
}

TEST(disk_names_are_only_taken_where_they_are_free) {
  struct place place = new_place();
  struct pcf_error error = {0};
  write_bytes(place.part, "one");
  write_bytes(place.path, "two");
  CHECK(pcf_file_rename(place.part, place.path, &error) == PCF_ERROR_FILE);
  CHECK(has_bytes(place.part, "one") && has_bytes(place.path, "two"));
  pcf_file_remove(place.path);
  CHECK(pcf_file_rename(place.part, place.path, &error) == PCF_OK);
  CHECK(has_bytes(place.path, "one") && !pcf_file_exists(place.part));
  clear_place(&place);
}

/* What a call that was killed has left under the name that the text has at first is a beginning
 * of a text of the same results. */
TEST(disk_texts_that_are_begun_are_recognized) {
  static const char *const with_call = "Of: a test\nCall: f()\n";
  struct pcf_layout layout = layout_of(PCF_FULL, 5, 5);
  static const struct {
    const char *left;
    bool ours;
  } cases[] = {{"", true},
               {"Of: a", true},
               {"Of: a test\nCall: g()\nChecksum: 0123", true},
               {"precious", false},
               {"Of: another test\nCall: f()\n", false}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct place place = new_place();
    struct pcf_error error = {0};
    struct pcf_disk_request request = {
      .path = place.path, .header = with_call, .layout = layout};
    char begun[560];
    snprintf(begun, sizeof begun, "%s.new", place.text);
    write_bytes(begun, cases[k].left);
    struct pcf_disk_sink *disk = pcf_disk_open(&request, 1, NULL, &error);
    CHECK((disk != NULL) == cases[k].ours);
    CHECK(pcf_file_exists(begun) != cases[k].ours);
    CHECK(pcf_file_exists(place.part) == cases[k].ours);
    if (!disk) CHECK(has_bytes(begun, cases[k].left) && strstr(error.message, "not belong"));
    pcf_disk_close(disk);
    pcf_file_remove(begun);
    clear_place(&place);
  }
}

TEST(disk_headers_have_a_checksum) {
  static const char words[] = "Of: a";
  struct pcf_layout layout = layout_of(PCF_FULL, 5, 5);
  struct place place = new_place();
  struct pcf_error error = {0};
  struct pcf_records records;
  char *found = NULL, *text = pcf_record_begin(header, &error);
  REQUIRE(text != NULL);
  write_bytes(place.text, text);
  CHECK(pcf_record_header(place.text, words, &found, &error) == PCF_OK);
  CHECK(found && strcmp(found, header) == 0);
  pcf_free(found);
  CHECK(pcf_record_header(place.text, "By", &found, &error) == PCF_ERROR_FILE);
  pcf_free(found);
  for (size_t k = 0; k < strlen(text); k++) {
    text[k] ^= 1;
    write_bytes(place.text, text);
    CHECK(pcf_record_header(place.text, "", &found, &error) == PCF_ERROR_FILE);
    pcf_free(found);
    CHECK(read_records(&records, place.text, NULL, &layout) == PCF_ERROR_FILE);
    pcf_records_free(&records);
    text[k] ^= 1;
  }
  pcf_free(text);
  clear_place(&place);
}

TEST(disk_lines_of_blocks_have_a_checksum) {
  struct pcf_layout layout = layout_of(PCF_FULL, 50, 50);
  struct place place = new_place();
  struct pcf_error error = {0};
  struct pcf_records records;
  struct pcf_record record = {{10, 20, 30, 5}, UINT64_C(0x0123456789abcdef)};
  struct pcf_file file;
  char *begin = pcf_record_begin(header, &error), text[256];
  write_bytes(place.text, begin);
  REQUIRE(!pcf_file_open(&file, place.text, PCF_FILE_APPEND, &error));
  CHECK(!pcf_record_append(&file, &record, &error));
  CHECK(!pcf_file_read(&file, text, strlen(begin) + 46, 0, &error));
  pcf_file_close(&file);
  text[strlen(begin) + 46] = 0;
  CHECK(!read_records(&records, place.text, header, &layout) && records.count == 1);
  CHECK(!memcmp(&records.record[0].rectangle, &record.rectangle, sizeof record.rectangle));
  CHECK(records.record[0].checksum == record.checksum);
  pcf_records_free(&records);
  for (size_t k = strlen(begin); k < strlen(text); k++) {
    text[k] ^= 1;
    write_bytes(place.text, text);
    enum pcf_status status = read_records(&records, place.text, header, &layout);
    /* Without its end the line does not count. */
    CHECK(text[k + 1] ? status == PCF_ERROR_FILE : !status && records.count == 0);
    pcf_records_free(&records);
    text[k] ^= 1;
  }
  pcf_free(begin);
  clear_place(&place);
}

#ifndef _WIN32
TEST(disk_opens_only_ordinary_files) {
  struct place place = new_place();
  CHECK(mkfifo(place.path, 0600) == 0);
  const char *const others[] = {place.path, place.folder, "/dev/null"};
  for (int k = 0; k < 3; k++) {
    for (int use = PCF_FILE_READ; use <= PCF_FILE_APPEND; use++) {
      struct pcf_error error = {0};
      struct pcf_file file;
      CHECK(pcf_file_open(&file, others[k], (enum pcf_file_use)use, &error) == PCF_ERROR_FILE);
      pcf_file_close(&file);
    }
  }
  clear_place(&place);
}
#endif

/* Without memory nothing is lost, and nothing leaks. */
TEST(disk_files_need_memory) {
  struct pcf_layout layout = layout_of(PCF_LOWER_WITH_DIAGONAL, 40, 40);
  struct pcf_rectangle all = {0, 40, 0, 40};
  enum pcf_status status = PCF_ERROR_MEMORY;
  for (long k = 1; status == PCF_ERROR_MEMORY && k < 50; k++) {
    struct place place = new_place();
    struct pcf_error error = {0};
    pcf_memory_fail_at(k);
    struct pcf_disk_sink *disk = open_at(&place, &layout, &error);
    status = disk ? PCF_OK : error.status;
    struct pcf_sink *sink = disk ? pcf_disk_as_sink(disk) : NULL;
    if (!status) status = pcf_sink_begin(sink, PCF_LOWER_WITH_DIAGONAL, &plain, 1, &error);
    if (!status) status = consume(sink, &all, NULL, &error);
    if (!status) status = pcf_sink_finish(sink, &error);
    pcf_disk_close(disk);
    if (!status) CHECK(memory_failure_is_pending(k));
    pcf_memory_fail_at(0);
    clear_place(&place);
  }
  CHECK(status == PCF_OK);
}

TEST(disk_maps_are_private) {
  struct pcf_layout layout = layout_of(PCF_FULL, 3, 2);
  struct place place = new_place();
  struct pcf_error error = {0};
  struct pcf_rectangle all = {0, 3, 0, 2};
  struct pcf_disk_sink *disk = open_at(&place, &layout, &error);
  REQUIRE(disk != NULL);
  CHECK(pcf_sink_begin(pcf_disk_as_sink(disk), PCF_FULL, &plain, 1, &error) == PCF_OK);
  CHECK(consume(pcf_disk_as_sink(disk), &all, NULL, &error) == PCF_OK);
  CHECK(pcf_sink_finish(pcf_disk_as_sink(disk), &error) == PCF_OK);
  pcf_disk_close(disk);
  struct pcf_stored stored, again;
  int unchanged = 0;
  REQUIRE(pcf_stored_open(&stored, place.path, PCF_FILE_READ, &layout, &error) == PCF_OK);
  CHECK(pcf_stored_is_unchanged(&stored, &unchanged, &error) == PCF_OK && unchanged);
  ((double *)stored.numbers)[4] = -1;
  CHECK(pcf_stored_is_unchanged(&stored, &unchanged, &error) == PCF_OK && !unchanged);
  CHECK(pcf_stored_number(&stored, 4) == -1);
  double number = ((double *)stored.numbers)[5] = NAN, read[2];
  pcf_stored_read(&stored, 4, 2, read);
  CHECK(isnan(number) && read[0] == -1 && !memcmp(&read[1], &number, sizeof number));
  number = pcf_stored_number(&stored, 5);
  CHECK(isnan(number) && !pcf_is_missing(number));
  pcf_file_remove(place.path);
  CHECK(pcf_stored_again(&again, &stored, &error) == PCF_OK);
  CHECK(pcf_stored_number(&again, 4) == number_at(1, 1));
  pcf_stored_close(&again);
  pcf_stored_close(&stored);
  clear_place(&place);
}
