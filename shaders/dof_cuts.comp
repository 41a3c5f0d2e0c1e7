// Cuts the depth of a picture into layers, by the extremes of its circles.
#version 450 core
layout(local_size_x = 1) in;
#include "filters/dof/layers_formula.h"
#include "nearest.glsl"

layout(std430, binding = 3) writeonly buffer Cuts { LayerCuts cuts; };
uniform int layers;

void main() { cuts = layer_cuts(layers, from_ordered(~extremes[0]), from_ordered(extremes[1])); }
