// Colours the panels' triangles: plain areas and letters.
#version 450 core
in vec2 place;
in vec4 color;
layout(binding = 0) uniform sampler2D font;
layout(location = 0) out vec4 pixel;

void main() { pixel = color * texture(font, place); }
