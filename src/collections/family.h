/* Families of functions: step functions and piecewise linear ones. C and CUDA read this file.
 */
#pragma once

#include "base/host-device.h"

/* Their numbers; `linear` in other structs is one of them. */
enum { PCF_STEPS, PCF_LINES, PCF_FAMILIES };

/* What a family is made of. */
struct pcf_function_family {
  const char *name; /* of its functions */
  int columns; /* of their matrices: times, left limits where there are three, and values */
  int scalars; /* of what begins at an event: a value and, of lines, a slope */
  int rows;    /* of values for each stretch of a shared grid */
};

PCF_CONSTANT struct pcf_function_family pcf_family_of(int number) {
  const struct pcf_function_family steps = {"step functions", 2, 1, 1};
  const struct pcf_function_family lines = {"piecewise linear functions", 3, 2, 2};
  return number == PCF_LINES ? lines : steps;
}
