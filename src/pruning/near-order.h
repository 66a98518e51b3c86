/* An order of points in which near ones lie in the same band. */
#pragma once

#include "base/error.h"

#include <stdatomic.h>
#include <stdint.h>

/* Fills `order` with the numbers 0 … count - 1 of the points in that order: all points are cut
 * in two, at whole bands and across the direction in which they are spread most, then both
 * halves, and so on. Coordinate c of point i is point[i * coordinates + c]. In time count log
 * count; the order depends on the points alone. PCF_ERROR_MEMORY; PCF_ERROR_INTERRUPTED after a
 * non-zero `stop`. */
enum pcf_status pcf_near_order(const float *point, int64_t count, int coordinates, int threads,
                               const atomic_int *stop, int32_t *order, struct pcf_error *error);
