/* The arithmetic of the operations on numbers of the type SCALAR; see operation.h. */

/* What a stretch with the values a and b adds for each unit of its length; where the operation
 * takes powers, |a − b|, of which the caller takes the power. */
PCF_HOST_DEVICE SCALAR NAME(combine)(int operation, SCALAR a, SCALAR b) {
#define PCF_COMBINED_OF(argument, this, name, combined, ...) \
  case this: return (SCALAR)(combined);
  PCF_BY_OPERATION(operation, PCF_COMBINED_OF, 0);
}

/* The sign of pcf_combine(), by the values: the product may underflow. */
PCF_HOST_DEVICE int NAME(sign)(int operation, SCALAR a, SCALAR b) {
#define PCF_SIGN_OF(argument, this, name, combined, sign, ...) \
  case this: return sign;
  PCF_BY_OPERATION(operation, PCF_SIGN_OF, 0);
}

/* Adds a bounded stretch. */
PCF_HOST_DEVICE SCALAR NAME(accumulate)(int operation, SCALAR sum, SCALAR length,
                                        SCALAR combined) {
  if (!pcf_is_supremum(operation)) return sum + length * combined;
  combined = length > 0 ? combined : 0;
  return combined > sum ? combined : sum;
}

/* Puts the sums, or suprema, of two parts of a pair together. */
PCF_HOST_DEVICE SCALAR NAME(join)(int operation, SCALAR x, SCALAR y) {
  if (!pcf_is_supremum(operation)) return x + y;
  return x > y ? x : y;
}

/* What an unbounded stretch with the values a and b comes to: 0, ∞ or −∞, or the value of a
 * supremum. */
PCF_HOST_DEVICE SCALAR NAME(unbounded)(int operation, SCALAR a, SCALAR b) {
  if (pcf_is_supremum(operation)) return PCF_KNOWN(NAME(combine)(operation, a, b));
  int sign = NAME(sign)(operation, a, b);
  return sign ? sign * (SCALAR)INFINITY : 0;
}

/* Adds the stretch that ends the window, whose length may be ∞. Of operations that
 * take powers `combined` is the power. */
PCF_HOST_DEVICE SCALAR NAME(add_tail)(int operation, SCALAR sum, SCALAR length, SCALAR a,
                                      SCALAR b, SCALAR combined) {
  SCALAR tail = length < (SCALAR)INFINITY ? NAME(accumulate)(operation, 0, length, combined)
                                          : NAME(unbounded)(operation, a, b);
  return isinf(tail) ? tail : NAME(join)(operation, sum, tail);
}

/* The result from the integral or supremum; of operations that take powers in multiples
 * of the supremum. */
PCF_HOST_DEVICE SCALAR NAME(finish)(int operation, SCALAR sum, double p) {
  double root = pcf_root(operation, p);
  if (pcf_is_supremum(operation) || root == 1) return sum;
  return pcf_takes_powers(operation) ? scalar_pow(sum, (SCALAR)(1 / root)) : (SCALAR)sqrt(sum);
}

#undef SCALAR
#undef NAME
#undef scalar_pow
