/* Following a level from line to line. */
#pragma once

#include "reductions/level-path.h"

/* Finds a level as pcf_find_level() does, whose other arguments these are, at a cost of `count`
 * for each bend. *found becomes 0, and the path means nothing, for more than PCF_LEVEL_WALK
 * lines, and where rounding leaves open in which order lines cross, or whether they do: where
 * three of them meet, or two are the same. PCF_ERROR_MEMORY. */
enum { PCF_LEVEL_WALK = 64 };
enum pcf_status pcf_walk_level(struct pcf_level_path *path, double from, double to,
                               const struct pcf_level_line *line, int64_t count, int64_t k,
                               int *found, struct pcf_error *error);
