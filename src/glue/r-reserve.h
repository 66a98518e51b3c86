/* Vectors of R whose memory is there before R has made them: threads write into it while R
 * looks for garbage, which it does before it makes a large vector. */
#ifndef PCF_R_RESERVE_H
#define PCF_R_RESERVE_H

#include "glue/glue.h"

struct glue_reserved;

/* Memory for so many doubles, or NULL: for few it is not worth it, for very many R had better
 * look for garbage first, and not all systems have such memory. */
struct glue_reserved *glue_reserve(int64_t length);

double *glue_reserved_numbers(const struct glue_reserved *reserved);

/* Makes the vector around the numbers, which from then on has the memory. On R's thread. */
SEXP glue_reserved_vector(struct glue_reserved *reserved);

/* Frees what no vector has taken over. */
void glue_unreserve(struct glue_reserved *reserved);

/* Work that fills a vector of so many doubles from *numbers on, which is set before. */
struct glue_filling {
  R_xlen_t length;
  double **numbers;
  glue_work *work;
  void *context;
  int small; /* see glue_run_sized() */
  enum pcf_status status;
  struct pcf_error error;
  struct glue_reserved *reserved;
  SEXP holder;
};

/* Does the work, and returns the vector. A large one R makes meanwhile. */
SEXP glue_fill(struct glue_filling *filling);

/* How many vectors there are whose memory the package will have to free. */
int glue_reserved_vectors(void);

#endif
