/* What tests ask of the glue. */
#ifndef PCF_R_TESTING_H
#define PCF_R_TESTING_H

#include "blocks/device.h"

/* The backend, or, where a test wants it to fail, a double of it that does. */
const struct pcf_backend *glue_provoked(const struct pcf_backend *backend);

#endif
