#include "blocks/sink.h"

enum pcf_status pcf_sink_begin(struct pcf_sink *sink, enum pcf_mode mode,
                               const struct pcf_scale *scale, int workers,
                               struct pcf_error *error) {
  return sink->type->begin ? sink->type->begin(sink, mode, scale, workers, error) : PCF_OK;
}

enum pcf_status pcf_sink_consume(struct pcf_sink *sink, int worker,
                                 const struct pcf_finished *finished, struct pcf_team *team,
                                 struct pcf_error *error) {
  return sink->type->consume ? sink->type->consume(sink, worker, finished, team, error)
                             : PCF_OK;
}

enum pcf_status pcf_sink_merge(struct pcf_sink *sink, int worker, struct pcf_error *error) {
  return sink->type->merge ? sink->type->merge(sink, worker, error) : PCF_OK;
}

enum pcf_status pcf_sink_finish(struct pcf_sink *sink, struct pcf_error *error) {
  return sink->type->finish ? sink->type->finish(sink, error) : PCF_OK;
}
