#version 450 core
// Writes moments of the distance from the light, and coverage: averages of these can be taken by mipmaps and filters,
// where averages of compared depths cannot.
in vec3 shadow_place;

layout(location = 0) out vec4 moments;

void main() {
  float z = shadow_place.z;
  // The surface's slope adds this to the second moment inside a texel.
  float dx = dFdx(z), dy = dFdy(z);
  moments = vec4(z, z * z + min(0.25 * (dx * dx + dy * dy), 0.001), 0.0, 1.0);
}
