// The ends of a picture's layers, as layers/cuts.comp finds them: read as constants.
//   LAYERS           how many there may be
#include "filters/dof/layers_formula.h"

layout(std140, binding = 2) uniform Cuts { LayerCuts cuts; };
