#version 450 core
// Control points pass through; the surface is made in teapot.tese.
layout(location = 0) in vec3 control_point;

out vec3 point;

void main() { point = control_point; }
