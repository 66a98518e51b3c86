/* Values of lines at many times. */
#pragma once

#include <stdint.h>

/* Straight lines, of which line k goes from (time[k], value[k]) to (time[k + 1], left[k + 1]).
 */
struct pcf_polyline {
  const double *time, *value, *left;
};

/* Places of which each is on a line. */
enum { PCF_MOST_PLACES = 257 };
struct pcf_line_places {
  int64_t count;
  int32_t line[PCF_MOST_PLACES + 1], place[PCF_MOST_PLACES + 1];
};

/* Sets left[place] and value[place] to what the line is at the time at[place], which is between
 * its ends. It is computed to about 100 bits, and rounded once; but plainly where numbers are
 * too large for exact products. */
void pcf_set_line_values(struct pcf_polyline lines, struct pcf_line_places *places,
                         const double *at, double *left, double *value);
