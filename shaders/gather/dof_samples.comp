// Copies the picture's samples into a buffer, for the scan library to read: rows of four-channel pixels, each row
// padded to a multiple of 16 bytes, which is what one thread writes. Reading a texture back costs OpenGL itself
// twenty times as long.
//   SIXTEEN_BITS     samples have 16 bits, not 8
#version 450 core
layout(local_size_x = 32, local_size_y = 8) in;

layout(binding = 0) uniform sampler2D color;
layout(std430, binding = 1) writeonly buffer Samples { uvec4 samples[]; };
uniform ivec2 size;  // the picture's

#ifdef SIXTEEN_BITS
const int kPixels = 2;
#else
const int kPixels = 4;
#endif

vec4 pixel(int x, int y) { return texelFetch(color, ivec2(min(x, size.x - 1), y), 0); }

void main() {
  int x = int(gl_GlobalInvocationID.x) * kPixels, y = int(gl_GlobalInvocationID.y);
  if (x >= size.x || y >= size.y) return;
#ifdef SIXTEEN_BITS
  vec4 a = pixel(x, y), b = pixel(x + 1, y);
  uvec4 words = uvec4(packUnorm2x16(a.rg), packUnorm2x16(a.ba), packUnorm2x16(b.rg), packUnorm2x16(b.ba));
#else
  uvec4 words = uvec4(packUnorm4x8(pixel(x, y)), packUnorm4x8(pixel(x + 1, y)), packUnorm4x8(pixel(x + 2, y)),
                      packUnorm4x8(pixel(x + 3, y)));
#endif
  samples[y * ((size.x + kPixels - 1) / kPixels) + x / kPixels] = words;
}
