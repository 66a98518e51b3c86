/* Writing around the caches, for results that are larger than any of them: what is not read
 * before it is written need not be fetched. */
#ifndef PCF_STREAM_H
#define PCF_STREAM_H

#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* to[i] = from[i] * factor. Other threads see it after pcf_stream_end(). The analyzer does not
 * see that what is written from here was filled before. */
/* NOLINTBEGIN(clang-analyzer-core.*) */
static inline void pcf_stream_doubles(double *to, const double *from, double factor,
                                      int64_t count) {
  int64_t i = 0;
#if defined(__SSE2__)
  __m128d factors = _mm_set1_pd(factor);
  if (count > 0 && (uintptr_t)to % 16) to[0] = from[0] * factor, i = 1;
  for (; i + 1 < count; i += 2) {
    _mm_stream_pd(to + i, _mm_mul_pd(_mm_loadu_pd(from + i), factors));
  }
#endif
  for (; i < count; i++) to[i] = from[i] * factor;
}

/* The same for a few numbers whose neighbours others write: of lines that are shared with them
 * the caches put the parts together. */
static inline void pcf_stream_lines(double *to, const double *from, int64_t count) {
  enum { BYTES = 64, NUMBERS = BYTES / sizeof *to };
  int64_t head = (int64_t)(-(uintptr_t)to % BYTES / sizeof *to);
  if (head > count) head = count;
  int64_t body = (count - head) / NUMBERS * NUMBERS;
  for (int64_t i = 0; i < head; i++) to[i] = from[i];
  pcf_stream_doubles(to + head, from + head, 1, body);
  for (int64_t i = head + body; i < count; i++) to[i] = from[i];
}
/* NOLINTEND(clang-analyzer-core.*) */

static inline void pcf_stream_floats(double *to, const float *from, double factor,
                                     int64_t count) {
  int64_t i = 0;
#if defined(__SSE2__)
  __m128d factors = _mm_set1_pd(factor);
  if (count > 0 && (uintptr_t)to % 16) to[0] = (double)from[0] * factor, i = 1;
  for (; i + 1 < count; i += 2) {
    __m128d two = _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(from + i))));
    _mm_stream_pd(to + i, _mm_mul_pd(two, factors));
  }
#endif
  for (; i < count; i++) to[i] = (double)from[i] * factor;
}

static inline void pcf_stream_end(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

#endif
