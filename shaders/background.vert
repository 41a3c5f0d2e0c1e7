#version 450 core
// Draws one triangle over the whole viewport, infinitely far.
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }
