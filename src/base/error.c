#include "base/error.h"

#include <ctype.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>

/* Writes decimals with a point, whatever the locale says. Names, which are quoted, stay. */
static void put_points(char *text) {
  char mark = localeconv()->decimal_point[0];
  int quoted = 0;
  for (char *at = text; mark != '.' && *at; at++) {
    if (*at == '"') quoted = !quoted;
    int inside = at > text && isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1]);
    if (*at == mark && !quoted && inside) *at = '.';
  }
}

enum pcf_status pcf_fail(struct pcf_error *error, enum pcf_status status, const char *format,
                         ...) {
  if (error) {
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    put_points(error->message);
  }
  return status;
}
