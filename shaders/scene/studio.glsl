// A large warm key light, a cool strip opposite and a room that is brighter above light the scene.
#include "scene/teapots_block.glsl"

const vec3 kKeyLight = vec3(3.65, 3.22, 2.66);
const vec3 kStripLight = vec3(0.30, 0.42, 0.58);
const vec3 kTowardsStrip = vec3(0.83, 0.42, -0.37);
const vec3 kSkyLight = vec3(0.33, 0.39, 0.48);
const vec3 kBounceLight = vec3(0.40, 0.34, 0.28);
const float kKeySize = 0.13;  // tangent of the key light's angular radius
const int kSearchTaps = 6;
const int kShadowTaps = 10;

layout(binding = 0) uniform sampler2DArray shadow_moments;

// Returns the picture's background, which the ground fades into: lit low and from the left, dark above.
vec3 backdrop(vec3 direction) {
  vec3 d = normalize(direction);
  vec3 low = mix(vec3(0.43, 0.455, 0.48), vec3(0.64, 0.555, 0.455), smoothstep(0.5, -0.5, d.x));
  vec3 high = mix(vec3(0.030, 0.060, 0.092), vec3(0.070, 0.092, 0.112), smoothstep(0.6, -0.6, d.x));
  return mix(low, high, smoothstep(-0.045, 0.105, d.y));
}

// Returns the light box around `axis`, seen along `direction`; edges as soft as `softness` (in tangents).
float soft_box(vec3 direction, vec3 axis, vec2 half_size, float softness) {
  float along = dot(direction, axis);
  if (along <= 0.0) return 0.0;
  vec3 side = normalize(cross(vec3(0.0, 1.0, 0.0), axis));
  vec2 place = vec2(dot(direction, side), dot(direction, cross(axis, side))) / along;
  vec2 inside = smoothstep(half_size + softness, half_size - softness, abs(place));
  return inside.x * inside.y;
}

// Returns what a glossy surface mirrors from above the horizon.
vec3 mirrored_room(vec3 direction, float roughness) {
  float up = direction.y;
  vec3 room = mix(vec3(0.34, 0.33, 0.32), vec3(0.30, 0.36, 0.44), smoothstep(0.0, 0.9, up));
  float softness = 0.015 + roughness * 0.35;
  room += 15.0 * vec3(1.0, 0.93, 0.82) * soft_box(direction, towards_key.xyz, vec2(0.30, 0.22), softness);
  room += 3.2 * vec3(0.80, 0.92, 1.0) * soft_box(direction, normalize(kTowardsStrip), vec2(0.12, 0.60), softness);
  return room;
}

// Vogel's spiral gives the points of a disc: turned by the golden angle from tap to tap, and ever farther out.
const mat2 kGoldenTurn = mat2(-0.7373688, 0.6754903, -0.6754903, -0.7373688);

// A point's light can come through this part of teapot i's shadow map: a disc of this radius around s.xy.
float shadow_reach(vec3 s) { return min(s.z * kKeySize, 0.35); }

// Returns the share of the key light that teapot `i` lets through to a point `s` in its shadow map: percentage-closer
// soft shadows (Fernando 2005) on variance shadow maps (Donnelly and Lauritzen 2006). The moments carry coverage, so
// that nothing but the teapot itself enters mean and variance. A tap reads the mip level whose texels are as far apart
// as the taps.
float lets_through(int i, vec3 s, float size_in_texels) {
  float reach = shadow_reach(s);
  // Whole levels do for the search, and cost half as much; in the shadow itself their steps would show.
  float lod = round(log2(max(reach * size_in_texels * 0.75, 1.0)));
  vec2 found = vec2(0.0);
  vec2 turn = vec2(1.0, 0.0);
  for (int tap = 0; tap < kSearchTaps; ++tap) {
    float from_middle = reach * sqrt((float(tap) + 0.5) / float(kSearchTaps));
    vec4 m = textureLod(shadow_moments, vec3(s.xy + from_middle * turn, i), lod);
    // Only what lies nearer to the light than the receiver blocks it.
    float nearer = clamp((s.z - m.r / max(m.a, 1e-6)) * 40.0, 0.0, 1.0);
    found += nearer * m.ra;
    turn = kGoldenTurn * turn;
  }
  float radius = clamp((s.z - found.x / max(found.y, 1e-6)) * kKeySize, 1.5 / size_in_texels, reach);
  lod = log2(max(radius * size_in_texels * 0.6, 1.0));
  float blocked = 0.0;
  turn = vec2(1.0, 0.0);
  for (int tap = 0; tap < kShadowTaps; ++tap) {
    float from_middle = radius * sqrt((float(tap) + 0.5) / float(kShadowTaps));
    vec4 m = textureLod(shadow_moments, vec3(s.xy + from_middle * turn, i), lod);
    vec2 moments = m.rg / max(m.a, 1e-6);
    float variance = max(moments.y - moments.x * moments.x, 4e-5);
    float behind = max(s.z - moments.x, 0.0);
    float lit = variance / (variance + behind * behind);
    blocked += m.a * (1.0 - smoothstep(0.12, 1.0, lit));
    turn = kGoldenTurn * turn;
  }
  return found.y < 1e-4 ? 1.0 : clamp(1.0 - blocked / float(kShadowTaps), 0.0, 1.0);
}

// Returns the share of the key light that reaches a point.
float key_visibility(vec3 place, vec3 normal) {
  float size_in_texels = float(textureSize(shadow_moments, 0).x);
  // Few teapots can shade one point. They are collected first: a software renderer runs every iteration that
  // any pixel of a group needs, and cannot skip the body of a branch.
  uint candidates = 0u;
  for (int i = 0; i < TEAPOT_COUNT; ++i) {
    vec3 s = (teapots[i].shadow_from_world * vec4(place, 1.0)).xyz;
    if (s.z > 0.0 && length(s.xy - 0.5) < 0.52 + shadow_reach(s)) candidates |= 1u << i;
  }
  float share = 1.0;
  do {
    int i = max(findLSB(candidates), 0);
    // The point lies a step off the surface, so that the surface does not shade itself.
    vec3 off = place + normal * (0.010 * teapots[i].sphere.w);
    float through = lets_through(i, (teapots[i].shadow_from_world * vec4(off, 1.0)).xyz, size_in_texels);
    share *= candidates == 0u ? 1.0 : through;
    candidates &= candidates - 1u;
  } while (candidates != 0u);
  return share;
}

// Returns the strength of the key light at a point; it falls on the middle of the scene.
vec3 key_light(vec3 place) {
  vec2 off = place.xz - vec2(-0.05, -0.10);
  return kKeyLight * mix(0.50, 1.0, exp(-dot(off, off) / 1.7));
}

// Returns the share of the sky that the teapots' bodies, taken as balls, leave free; `self` is passed over.
float sky_visibility(vec3 place, vec3 normal, int self) {
  float share = 1.0;
  for (int i = 0; i < TEAPOT_COUNT; ++i) {
    if (i == self) continue;
    float unit = teapots[i].foot.w;
    vec3 towards = teapots[i].foot.xyz + vec3(0.0, 1.35 * unit, 0.0) - place;
    float distance_squared = dot(towards, towards);
    float radius = 1.75 * unit;
    float cosine = max(dot(normal, towards) * inversesqrt(distance_squared), 0.0);
    share *= 1.0 - cosine * min(radius * radius / distance_squared, 1.0);
  }
  return share;
}

// Large lights reach a little around the edge, and their terminator has no hard line.
float soft_cosine(float cosine, float wrap) {
  float lit = max(cosine + wrap, 0.0) / (1.0 + wrap);
  return 1.08 * lit * lit / (lit + 0.08);
}

// Leaves what is darker than 0.55 alone and rolls off to 1.
vec3 tone_map(vec3 light) {
  const float knee = 0.55;
  vec3 over = max(light - knee, 0.0) / (1.0 - knee);
  return min(light, knee) + (1.0 - knee) * over / (1.0 + over);
}
