/* The vector code of the tree of depths for the instruction set ISA. Included after its vector
 * operations, in double precision. */
#include "base/hints.h"
#include "depth/settling.h"

#define EACH_LANE(k, count) for (long k = 0; k < (count); k += LANES)

static TARGET void settle_squares(double *x, double *sum, double time, double by, double once,
                                  double square) {
  V times = v_set1(time), added = v_set1(by), twice = v_set1(2 * once), rest = v_set1(square);
  EACH_LANE(k, PCF_FAN) {
    V value = v_load(x + k);
    V more = v_add(v_mul(value, v_add(v_mul(value, times), twice)), rest);
    v_store(sum + k, v_add(v_load(sum + k), more));
    v_store(x + k, v_add(value, added));
  }
}

static TARGET void settle_sizes(double *x, double *sum, double time, double by, double once,
                                double sign) {
  V times = v_set1(time), added = v_set1(by), integral = v_set1(once), signs = v_set1(sign);
  EACH_LANE(k, PCF_FAN) {
    V value = v_load(x + k), now = v_add(value, added);
    V more =
      sign == 0 ? v_mul(v_abs(now), times) : v_mul(v_add(v_mul(value, times), integral), signs);
    v_store(sum + k, v_add(v_load(sum + k), more));
    v_store(x + k, now);
  }
}

static TARGET void settle_blocks(double *more, double *once, double *squared, double time,
                                 double by, double integral, double square) {
  V times = v_set1(time), added = v_set1(by), all = v_set1(integral), rest = v_set1(square);
  EACH_LANE(k, PCF_FAN) {
    V own = v_load(more + k), over = v_add(v_mul(own, times), all);
    V squares = v_add(v_mul(own, v_add(over, all)), rest);
    v_store(squared + k, v_add(v_load(squared + k), squares));
    v_store(once + k, v_add(v_load(once + k), over));
    v_store(more + k, v_add(own, added));
  }
}

static TARGET void pass_groups(const double *more, double *once, double *squared, long count,
                               double time) {
  V times = v_set1(time);
  EACH_LANE(k, count) {
    V own = v_load(more + k), by = v_mul(own, times);
    v_store(once + k, v_add(v_load(once + k), by));
    v_store(squared + k, v_add(v_load(squared + k), v_mul(own, by)));
  }
}

#define SETTLING(isa) SETTLING_2(isa)
#define SETTLING_2(isa) pcf_settling_##isa
const struct pcf_settling SETTLING(ISA) = {settle_squares, settle_sizes, settle_blocks,
                                           pass_groups};
