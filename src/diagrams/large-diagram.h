/* The function of one large diagram, by all threads. */
#ifndef PCF_LARGE_DIAGRAM_H
#define PCF_LARGE_DIAGRAM_H

#include "diagrams/building.h"

/* Fills the room of the diagram and its number of breakpoints, unless there is a fault in it,
 * which is reported. Returns PCF_ERROR_MEMORY or PCF_ERROR_INTERRUPTED. */
enum pcf_status pcf_build_large_diagram(struct pcf_building *building, int64_t diagram,
                                        struct pcf_error *error);

#endif
