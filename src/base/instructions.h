/* The instruction sets that vector code is compiled for; which one runs is chosen at run time.
 * Each room that has vector code has a template of it, and src/instructions/ has a file for
 * each set that compiles all of them. */
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define PCF_HAS_X86 1
#else
#define PCF_HAS_X86 0
#endif
#if defined(__aarch64__) && defined(__GNUC__)
#define PCF_HAS_NEON 1
#else
#define PCF_HAS_NEON 0
#endif
/* Plain C is compiled only where the compiler's baseline has no vectors, and for tests. */
#if defined(PCF_SCALAR_KERNELS) || !(PCF_HAS_X86 || PCF_HAS_NEON)
#define PCF_HAS_SCALAR 1
#else
#define PCF_HAS_SCALAR 0
#endif

/* All sets, best first; a build has those of its architecture. */
enum pcf_instructions {
  PCF_AVX512,
  PCF_AVX2,
  PCF_SSE2,
  PCF_NEON,
  PCF_SCALAR,
  PCF_INSTRUCTION_SETS,
};

/* "avx512", "avx2", "sse2", "neon", "scalar". */
const char *pcf_instructions_name(enum pcf_instructions set);

/* The sets that this build and this processor have, best first. Returns how many. */
int pcf_available_instructions(enum pcf_instructions available[PCF_INSTRUCTION_SETS]);

/* Sets *set to that of the name, to the best one for NULL or "auto". Returns 0 where this
 * machine has none of that name. */
int pcf_find_instructions(const char *name, enum pcf_instructions *set);

/* The best one. */
enum pcf_instructions pcf_best_instructions(void);

/* For tests: no better set than this one is available from now on. */
void pcf_allow_instructions(enum pcf_instructions best);

/* ---- Tables of code ----
 *
 * The vector code of a room is in a struct, a table, one for each set. */

/* X(table, set, name of the set) for all sets of this build. */
#if PCF_HAS_X86
#define PCF_VECTOR_SETS(X, table) \
  X(table, PCF_AVX512, avx512) X(table, PCF_AVX2, avx2) X(table, PCF_SSE2, sse2)
#elif PCF_HAS_NEON
#define PCF_VECTOR_SETS(X, table) X(table, PCF_NEON, neon)
#else
#define PCF_VECTOR_SETS(X, table)
#endif
#if PCF_HAS_SCALAR
#define PCF_SETS(X, table) PCF_VECTOR_SETS(X, table) X(table, PCF_SCALAR, scalar)
#else
#define PCF_SETS(X, table) PCF_VECTOR_SETS(X, table)
#endif

#define PCF_DECLARE_TABLE(table, set, name) extern const struct table table##_##name;
#define PCF_CASE_OF_TABLE(table, set, name) \
  case set: return &table##_##name;

/* Declares the tables `struct table` of all sets, which src/instructions/ defines, and
 * table_of(set), that of a set which is available. */
#define PCF_TABLES(table)                                                   \
  PCF_SETS(PCF_DECLARE_TABLE, table)                                        \
  static inline const struct table *table##_of(enum pcf_instructions set) { \
    switch (set) {                                                          \
      PCF_SETS(PCF_CASE_OF_TABLE, table)                                    \
    default: return (const struct table *)0;                                \
    }                                                                       \
  }
