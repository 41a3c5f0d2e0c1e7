// The colours that layers are shown in. Stated once for C++ and GLSL.
#ifndef SCANLENS_APP_VIEWER_MODEL_LAYER_COLOR_FORMULA_H
#define SCANLENS_APP_VIEWER_MODEL_LAYER_COLOR_FORMULA_H

#include "filters/dof/layers_formula.h"

#ifdef __cplusplus
namespace scanlens {
#endif

/// The place of a pixel's colour in turbo's, from 0 to 1: red in front, blue behind, and between two layers
/// where it is in both.
SCANLENS_SHARED float layer_color(LayerShare share, int cuts) {
  float layer = float(share.layer) + float(share.behind) / float(kShareSteps);
  return 0.9f - 0.8f * layer / float(cuts > 1 ? cuts : 1);
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
