/* ffi_store(): writes a matrix of pairs to a file; and the other entry points for such
 * files. */
#include "glue/r-pairs.h"

#include "base/hash.h"
#include "base/memory.h"
#include "collections/digest.h"
#include "disk/whole.h"
#include "sinks/join.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct pcf_layout glue_layout(SEXP layout) {
  static const char *const kinds[] = {"dist", "symmetric", "dense"};
  static const enum pcf_mode modes[] = {PCF_LOWER_WITHOUT_DIAGONAL, PCF_LOWER_WITH_DIAGONAL,
                                        PCF_FULL};
  static const char *const storages[] = {"double", "single"};
  struct pcf_layout read = {
    .rows = glue_count_of(layout, "rows", 0, GLUE_MOST_ELEMENTS),
    .columns = glue_count_of(layout, "columns", 0, GLUE_MOST_ELEMENTS),
    .mode = modes[glue_choice_of(layout, "kind", kinds, 3)],
    .storage = (enum pcf_precision)glue_choice_of(layout, "storage", storages, 2)};
  read.end = glue_count_of(layout, "end", 0, read.columns);
  read.first = glue_count_of(layout, "first", 1, read.end + 1) - 1;
  if ((double)read.rows * (double)read.columns > (double)GLUE_MOST_ELEMENTS) {
    Rf_error("internal error: there are no vectors of so many numbers");
  }
  return read;
}

/* ---- Digests ---- */

struct digesting {
  const struct pcf_collection *x;
  int threads;
  uint64_t digest;
};

GLUE_WORK(digest_work, digesting, pcf_digest(it->x, it->threads, stop, &it->digest, error))

static SEXP hexadecimal(uint64_t digest) {
  char text[17];
  snprintf(text, sizeof text, "%016" PRIx64, digest);
  return Rf_mkString(text);
}

/* The digest of the bytes of a raw vector. */
SEXP ffi_hash(SEXP bytes) {
  if (TYPEOF(bytes) != RAWSXP) Rf_error("internal error: `bytes` must be raw");
  return hexadecimal(pcf_hash(RAW(bytes), (size_t)XLENGTH(bytes)));
}

/* The digest of a collection, in hexadecimal digits. */
SEXP ffi_digest(SEXP x, SEXP threads) {
  struct pcf_collection collection = {0};
  GLUE_TRY(glue_view(x, "x", GLUE_EITHER, &collection));
  struct digesting digesting = {&collection, glue_threads(threads), 0};
  struct pcf_error error = {0};
  enum pcf_status status = glue_run(0, digest_work, &digesting, &error);
  return glue_answer(hexadecimal(digesting.digest), status, &error);
}

/* ---- Locks ---- */

static SEXP lock_tag(void) {
  return Rf_install("pcfdist_lock");
}

static void free_lock(SEXP lock) {
  struct pcf_file *file = R_ExternalPtrAddr(lock);
  if (file) pcf_file_close(file);
  pcf_free(file);
  R_ClearExternalPtr(lock);
}

/* Makes the file if it is not there, and locks it until ffi_unlock(), or until the process
 * ends. Returns list(value), or list(status, message). The value is the lock; NULL where
 * another call has it, or has just removed the file. */
SEXP ffi_lock(SEXP path) {
  struct pcf_error error = {0};
  int locked = 0;
  SEXP lock = PROTECT(R_MakeExternalPtr(NULL, lock_tag(), R_NilValue));
  R_RegisterCFinalizerEx(lock, free_lock, TRUE);
  struct pcf_file *file = pcf_allocate(1, sizeof *file, &error);
  if (!file) Rf_error("%s", error.message);
  *file = PCF_NO_FILE;
  R_SetExternalPtrAddr(lock, file);
  enum pcf_status status = pcf_file_open(file, glue_text(path, "path"), PCF_FILE_WRITE, &error);
  if (!status) status = pcf_file_lock(file, &locked, &error);
  if (locked) locked = pcf_file_is_in_place(file);
  if (!locked) free_lock(lock);
  SEXP answer = glue_answer(locked ? lock : R_NilValue, status, &error);
  UNPROTECT(1);
  return answer;
}

SEXP ffi_unlock(SEXP lock) {
  if (TYPEOF(lock) != EXTPTRSXP || R_ExternalPtrTag(lock) != lock_tag()) {
    Rf_error("internal error: `lock` must be a lock");
  }
  free_lock(lock);
  return R_NilValue;
}

/* ---- Storing ---- */

struct storing {
  struct glue_pairs of;
  struct pcf_disk_request request;
  struct pcf_disk_sink *disk;
};

static enum pcf_status open_disk(void *storing_, const atomic_int *stop,
                                 struct pcf_error *error) {
  struct storing *storing = storing_;
  int threads = storing->of.job.settings.threads;
  storing->disk = pcf_disk_open(&storing->request, threads, stop, error);
  return storing->disk ? PCF_OK : error->status;
}

/* Runs the pairs into the file. */
static SEXP store_and_answer(void *storing_) {
  struct storing *storing = storing_;
  struct glue_pairs *of = &storing->of;
  of->status = glue_run(0, open_disk, storing, &of->error);
  if (!of->status) {
    of->job.sink = pcf_disk_as_sink(storing->disk);
    glue_pairs_run(of, NULL);
  }
  return glue_pairs_answer(of, R_NilValue);
}

static void free_storing(void *storing_) {
  struct storing *storing = storing_;
  glue_pairs_free(&storing->of);
  pcf_disk_close(storing->disk);
}

/* Does the file have exactly the pairs that are computed? */
static void check_layout(const struct pcf_layout *layout, const struct pcf_request *request) {
  if (request->mode != layout->mode || layout->rows != request->x->count ||
      layout->columns != pcf_columns_of(request)->count) {
    Rf_error("internal error: `layout` does not go with the functions");
  }
}

static struct pcf_disk_request read_request(SEXP file) {
  return (struct pcf_disk_request){.path = glue_text_of(file, "path"),
                                   .header = glue_text_of(file, "header"),
                                   .layout = glue_layout(glue_element(file, "layout")),
                                   .own = glue_flag_of(file, "own")};
}

/* `file` is list(path, header, layout, own). Returns list(value, report), where `value` is
 * NULL; or list(argument, problem), or list(status, message). */
SEXP ffi_store(SEXP x, SEXP y, SEXP request, SEXP settings, SEXP file) {
  struct storing storing = {.disk = NULL};
  GLUE_TRY(glue_pairs_read(&storing.of, x, y, request, settings, 1));
  storing.request = read_request(file);
  check_layout(&storing.request.layout, &storing.of.pairs.request);
  return R_ExecWithCleanup(store_and_answer, &storing, free_storing, &storing);
}

/* ---- Headers ---- */

struct heading {
  const char *path, *words;
  char *header;
};

static SEXP read_header(void *heading_) {
  struct heading *heading = heading_;
  struct pcf_error error = {0};
  enum pcf_status status =
    pcf_record_header(heading->path, heading->words, &heading->header, &error);
  if (!status && strlen(heading->header) > INT_MAX) {
    status = pcf_fail(&error, PCF_ERROR_FILE, "\"%s\" is too long", heading->path);
  }
  if (status) return glue_answer(R_NilValue, status, &error);
  SEXP text = Rf_ScalarString(Rf_mkCharCE(heading->header, CE_UTF8));
  return glue_answer(text, PCF_OK, NULL);
}

static void free_header(void *heading_) {
  struct heading *heading = heading_;
  pcf_free(heading->header);
}

/* The header of a text file that begins with `words`: list(value), or list(status, message). */
SEXP ffi_read_header(SEXP path, SEXP words) {
  struct heading heading = {glue_text(path, "path"), glue_text(words, "words"), NULL};
  return R_ExecWithCleanup(read_header, &heading, free_header, &heading);
}

/* ---- Joining ---- */

struct joining {
  struct pcf_disk_request request;
  struct pcf_disk_request *part;
  int64_t parts;
  int threads;
};

GLUE_WORK(join_work, joining,
          pcf_disk_join(&it->request, it->part, it->parts, it->threads, stop, error))

/* `file` is list(path, header, layout, own), `parts` a list of such. Returns list(value) or
 * list(status, message). */
SEXP ffi_join(SEXP file, SEXP parts, SEXP threads) {
  struct joining joining = {.request = read_request(file), .threads = glue_threads(threads)};
  glue_check_list(parts, "parts");
  joining.parts = XLENGTH(parts);
  joining.part =
    (struct pcf_disk_request *)R_alloc((size_t)joining.parts, sizeof *joining.part);
  for (R_xlen_t k = 0; k < XLENGTH(parts); k++) {
    joining.part[k] = read_request(VECTOR_ELT(parts, k));
  }
  return glue_run_and_answer(0, join_work, &joining, R_NilValue);
}

/* ---- Files of jobs ---- */

struct saving {
  SEXP object;
  struct pcf_whole whole;
  enum pcf_status status;
  struct pcf_error error;
};

/* R has no way to end early without an error, so that the rest is dropped after a failure. */
static void save_bytes(R_outpstream_t stream, void *bytes, int count) {
  struct saving *saving = stream->data;
  if (saving->status) return;
  saving->status = pcf_whole_add(&saving->whole, bytes, (size_t)count, &saving->error);
}

static void save_character(R_outpstream_t stream, int character) {
  char byte = (char)character;
  save_bytes(stream, &byte, 1);
}

static SEXP save(void *saving_) {
  struct saving *saving = saving_;
  struct R_outpstream_st stream;
  R_InitOutPStream(&stream, saving, R_pstream_binary_format, 0, save_character, save_bytes,
                   NULL, R_NilValue);
  if (!saving->status) R_Serialize(saving->object, &stream);
  if (!saving->status) saving->status = pcf_whole_end(&saving->whole, &saving->error);
  return glue_answer(R_NilValue, saving->status, &saving->error);
}

static void close_saved(void *saving_) {
  pcf_whole_close(&((struct saving *)saving_)->whole);
}

/* Serializes an object into a new file, see disk/whole.h. list(value = NULL), or list(status,
 * message). */
SEXP ffi_write_whole(SEXP object, SEXP path) {
  struct saving saving = {.object = object};
  saving.status =
    pcf_whole_begin(&saving.whole, glue_text(path, "path"), PCF_FILE_OWN, &saving.error);
  return R_ExecWithCleanup(save, &saving, close_saved, &saving);
}

struct loading {
  const char *path;
  struct pcf_file file;
  int64_t bytes;
  char *to;
};

GLUE_WORK(load_work, loading,
          pcf_whole_read(&it->file, PCF_FILE_OWN, it->to, it->bytes, stop, error))

static SEXP load(void *loading_) {
  enum { FEW = 1 << 20 };
  struct loading *loading = loading_;
  struct pcf_error error = {0};
  enum pcf_status status =
    pcf_whole_open(&loading->file, loading->path, &loading->bytes, &error);
  if (status) return glue_answer(R_NilValue, status, &error);
  SEXP bytes = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)loading->bytes));
  loading->to = (char *)RAW(bytes);
  SEXP answer = glue_run_and_answer(loading->bytes < FEW, load_work, loading, bytes);
  UNPROTECT(1);
  return answer;
}

static void close_loaded(void *loading_) {
  pcf_file_close(&((struct loading *)loading_)->file);
}

/* The serialized object of such a file: list(value), a raw vector, or list(status, message). */
SEXP ffi_read_whole(SEXP path) {
  struct loading loading = {.path = glue_text(path, "path"), .file = PCF_NO_FILE};
  return R_ExecWithCleanup(load, &loading, close_loaded, &loading);
}

/* Writes a raw vector into a new file. */
SEXP ffi_write_new(SEXP bytes, SEXP path) {
  struct pcf_error error = {0};
  struct pcf_file file;
  if (TYPEOF(bytes) != RAWSXP) Rf_error("internal error: `bytes` must be raw");
  enum pcf_status status = pcf_file_open(&file, glue_text(path, "path"), PCF_FILE_NEW, &error);
  if (!status) status = pcf_file_write(&file, RAW(bytes), (size_t)XLENGTH(bytes), -1, &error);
  if (!status) status = pcf_file_end(&file, &error);
  pcf_file_close(&file);
  return glue_answer(R_NilValue, status, &error);
}

/* Fails if others may have written the files in the folder of this path. */
SEXP ffi_check_folder(SEXP path) {
  struct pcf_error error = {0};
  enum pcf_status status = pcf_file_check_folder(glue_text(path, "path"), &error);
  return glue_answer(R_NilValue, status, &error);
}
