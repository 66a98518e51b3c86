/* The instruction sets that vector code is compiled for; which one runs is chosen at run time.
 * Each room that has vector code has a template of it, and src/instructions/ has a file for
 * each set that compiles all of them. */
#ifndef PCF_INSTRUCTIONS_H
#define PCF_INSTRUCTIONS_H

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
/* Where the compiler's own baseline has vectors, nothing is compiled below it, but for tests.
 */
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

/* For tests: no better set than this one is available from now on. */
void pcf_allow_instructions(enum pcf_instructions best);

/* The vector code of all rooms. */
struct pcf_code {
  const struct pcf_kernels *kernels;     /* pairs/kernels.h */
  const struct pcf_sorters *sorters;     /* collections/sorting.h */
  const struct pcf_gaps *gaps;           /* pruning/gaps.h */
  const struct pcf_l1_passes *l1_passes; /* pairs/product-l1.h */
};

extern const struct pcf_code pcf_code_avx512, pcf_code_avx2, pcf_code_sse2, pcf_code_neon,
  pcf_code_scalar;

/* That for a set that is available, and for the best one. */
const struct pcf_code *pcf_code_of(enum pcf_instructions set);
const struct pcf_code *pcf_best_code(void);

#endif
