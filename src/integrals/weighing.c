#include "integrals/weighing.h"

enum pcf_status pcf_weighing_make(struct pcf_weighing *weighing, const struct pcf_collection *x,
                                  const struct pcf_collection *y,
                                  const struct pcf_collection *w, double from, double to,
                                  int partial, int threads, const atomic_int *stop,
                                  struct pcf_error *error) {
  *weighing = (struct pcf_weighing){0};
  struct pcf_cutting cutting = {.weight = &weighing->weight, .x = x};
  enum pcf_status status = pcf_weight_make(&weighing->weight, w, from, to, error);
  if (!status) {
    status = pcf_weight_room(&weighing->scaled, weighing->weight.pieces, error);
  }
  if (status) return status;
  cutting.partial = partial && pcf_weight_most(&weighing->weight) > 0;
  status =
    pcf_owned_functions_make(&weighing->x, pcf_cut_functions(&cutting), threads, stop, error);
  if (status || !y) return status;
  cutting.x = y;
  return pcf_owned_functions_make(&weighing->y, pcf_cut_functions(&cutting), threads, stop,
                                  error);
}

void pcf_weighing_free(struct pcf_weighing *weighing) {
  pcf_weight_free(&weighing->weight);
  pcf_weight_free(&weighing->scaled);
  pcf_owned_functions_free(&weighing->x);
  pcf_owned_functions_free(&weighing->y);
}
