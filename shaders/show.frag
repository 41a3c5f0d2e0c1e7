// Shows a picture as it is: its bytes are sRGB-encoded, and so is the window.
#version 450 core
in vec2 place;
layout(binding = 0) uniform sampler2D picture;
layout(location = 0) out vec4 pixel;

void main() { pixel = vec4(texture(picture, place).rgb, 1.0); }
