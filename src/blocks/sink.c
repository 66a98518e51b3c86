#include "blocks/sink.h"

#include <string.h>

/* ---- Scaling back ---- */

double pcf_common_factor(const struct pcf_scale *scale) {
  double factor = ldexp(scale->factor, scale->exponent);
  int own = scale->row_exponents || scale->column_exponents;
  return !own && isnormal(factor) ? factor : 0;
}

void pcf_scale_back(const struct pcf_scale *scale, int64_t row, int64_t column,
                    const void *from, int64_t count, double *to) {
  const float *single = from;
  const double *wide = from;
  double factor = pcf_common_factor(scale);
  if (!factor) {
    for (int64_t i = 0; i < count; i++) {
      double number = pcf_load_scalar(from, i, scale->precision);
      to[i] = pcf_unscaled(scale, number, row + i, column);
    }
  } else if (scale->precision != PCF_DOUBLE) {
    for (int64_t i = 0; i < count; i++) to[i] = (double)single[i] * factor;
  } else if (factor == 1) {
    memcpy(to, wide, (size_t)count * sizeof *to);
  } else {
    for (int64_t i = 0; i < count; i++) to[i] = wide[i] * factor;
  }
  if (scale->revise) scale->revise(scale->context, to, row, count, column);
}

/* ---- The functions of a sink ---- */

enum pcf_status pcf_sink_begin(struct pcf_sink *sink, enum pcf_mode mode,
                               const struct pcf_scale *scale, int workers,
                               struct pcf_error *error) {
  sink->mode = mode;
  sink->scale = *scale;
  sink->workers = workers;
  return sink->type->begin ? sink->type->begin(sink, error) : PCF_OK;
}

enum pcf_status pcf_sink_consume(struct pcf_sink *sink, int worker,
                                 const struct pcf_finished *finished, struct pcf_team *team,
                                 struct pcf_error *error) {
  return sink->type->consume ? sink->type->consume(sink, worker, finished, team, error)
                             : PCF_OK;
}

enum pcf_status pcf_sink_finish(struct pcf_sink *sink, struct pcf_error *error) {
  return sink->type->finish ? sink->type->finish(sink, error) : PCF_OK;
}

/* ---- What it prefers ---- */

struct pcf_preferences pcf_sink_preferences(const struct pcf_sink *sink) {
  struct pcf_preferences preferences = {0};
  if (sink && sink->type->prefer) sink->type->prefer(sink, &preferences);
  if (!preferences.tall) preferences.tall = 1;
  if (!preferences.effort) preferences.effort = 1;
  return preferences;
}
