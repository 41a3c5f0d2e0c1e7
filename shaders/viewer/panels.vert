// Places the panels' triangles, whose corners are in pixels of the window from its upper left corner.
#version 450 core
layout(location = 0) in vec2 corner;
layout(location = 1) in vec2 place_in_font;
layout(location = 2) in vec4 corner_color;
uniform vec2 size;  // the window's
out vec2 place;
out vec4 color;

void main() {
  place = place_in_font;
  color = corner_color;
  gl_Position = vec4(2.0 * corner.x / size.x - 1.0, 1.0 - 2.0 * corner.y / size.y, 0.0, 1.0);
}
