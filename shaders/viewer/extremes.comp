// Finds the least and the greatest disparity of a picture. Disparities are never negative, and so ordered
// like their bits.
#version 450 core
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) uniform sampler2D disparity;
layout(std430, binding = 0) buffer Extremes { uint least, greatest; };

shared uint of_group[2];

void main() {
  if (gl_LocalInvocationIndex == 0u) {
    of_group[0] = 0xffffffffu;
    of_group[1] = 0u;
  }
  barrier();
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (all(lessThan(pixel, textureSize(disparity, 0)))) {
    uint bits = floatBitsToUint(texelFetch(disparity, pixel, 0).r);
    atomicMin(of_group[0], bits);
    atomicMax(of_group[1], bits);
  }
  barrier();
  if (gl_LocalInvocationIndex == 0u) {
    atomicMin(least, of_group[0]);
    atomicMax(greatest, of_group[1]);
  }
}
