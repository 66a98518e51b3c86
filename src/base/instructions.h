/* The instruction sets that vector code is compiled for; which one runs is chosen at run time.
 * Each room that has vector code has a table of it for every set, made from a template. */
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

/* All sets, best first; a build has those of its processor, and always the last. */
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

/* A table of every room's vector code for set number k, or NULL where the build has none. */
#if PCF_HAS_X86
#define PCF_TABLES(prefix)                                                                     \
  {                                                                                            \
    [PCF_AVX512] = &prefix##_avx512, [PCF_AVX2] = &prefix##_avx2, [PCF_SSE2] = &prefix##_sse2, \
    [PCF_SCALAR] = &prefix##_scalar                                                            \
  }
#elif PCF_HAS_NEON
#define PCF_TABLES(prefix) \
  { [PCF_NEON] = &prefix##_neon, [PCF_SCALAR] = &prefix##_scalar }
#else
#define PCF_TABLES(prefix) \
  { [PCF_SCALAR] = &prefix##_scalar }
#endif

#endif
