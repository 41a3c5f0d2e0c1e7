// Where the layers of a picture end, as layers/cuts.comp finds it: read as constants.
//   LAYERS           how many there may be
#include "filters/dof/layers_formula.h"

layout(std140, binding = 2) uniform Cuts { LayerCuts cuts; };
