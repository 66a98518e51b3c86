#include "algebra/dividing.h"

#include "base/search.h"

static void divide_from(struct pcf_dividing *dividing, int64_t behind) {
  if (behind == dividing->behind) return;
  dividing->behind = behind;
  double divisor = behind > 0 ? dividing->steps->divisor[behind - 1] : 0;
  dividing->none = divisor == 0;
  if (divisor != 0) dividing->divisor = pcf_divisor_of(divisor, dividing->shift);
}

void pcf_divide_at(struct pcf_dividing *dividing, uint64_t key) {
  const struct pcf_divisor_steps *steps = dividing->steps;
  int64_t behind = dividing->behind;
  while (behind < steps->count && pcf_key_of(steps->time[behind]) <= key) behind++;
  divide_from(dividing, behind);
}

void pcf_divide_before(struct pcf_dividing *dividing, uint64_t key) {
  const struct pcf_divisor_steps *steps = dividing->steps;
  divide_from(dividing, pcf_first_from(steps->time, 0, steps->count, pcf_time_of(key)));
}
