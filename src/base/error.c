#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

enum pcf_status pcf_fail(struct pcf_error *error, enum pcf_status status, const char *format,
                         ...) {
  if (error) {
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
  }
  return status;
}
