#version 450 core
// Glazed ceramic has a coloured body under a clear, glossy coat.
#include "scene/studio.glsl"
#include "scene/ground.glsl"

uniform int teapot;

centroid in vec3 world_place;
centroid in vec3 world_normal;

layout(location = 0) out vec4 colour;

// Returns the light that the floor at `place` gives off, `blur` metres across.
vec3 floor_light(vec2 place, float blur, float open) {
  vec3 reflectance = ground_colour(place, vec2(blur, 0.0), vec2(0.0, blur));
  return reflectance * (0.36 * (key_light(vec3(place.x, 0.0, place.y)) * towards_key.y * 0.85 + kSkyLight)) * open;
}

void main() {
  Teapot pot = teapots[teapot];
  float unit = pot.foot.w;
  vec3 view = normalize(eye.xyz - world_place);
  vec3 normal = normalize(gl_FrontFacing ? world_normal : -world_normal);
  float facing = max(dot(normal, view), 0.02);

  // Curved surfaces spread a pixel's reflections: widen the gloss by the normal's change, or it would sparkle.
  vec3 turn_x = dFdx(normal), turn_y = dFdy(normal);
  float roughness = sqrt(pot.glaze.w * pot.glaze.w + min(0.5 * (dot(turn_x, turn_x) + dot(turn_y, turn_y)), 0.2));

  vec3 reflectance = pot.glaze.rgb;
  float height = world_place.y / unit;  // model units, 0 on the floor
  float open = sky_visibility(world_place, normal, teapot);
  // At the foot the belly of the pot hides the sky, and the floor is dark where the pot keeps light off.
  open *= mix(0.25, 1.0, smoothstep(-0.1, 0.8, height));
  float floor_open = smoothstep(-0.1, 1.3, height);
  float above = 0.5 + 0.5 * normal.y;
  float key = soft_cosine(dot(normal, towards_key.xyz), 0.10);
  if (key > 0.0) key *= key_visibility(world_place, normal);
  float strip = soft_cosine(dot(normal, normalize(kTowardsStrip)), 0.25);
  float inside = gl_FrontFacing ? 1.0 : 0.25;

  vec3 light = key_light(world_place) * key;
  light += kStripLight * strip * open;
  light += kSkyLight * above * open;
  light += kBounceLight * (1.0 - above) * open * mix(0.12, 1.0, floor_open);
  vec3 body = reflectance * light * 0.42 * inside;

  vec3 bounced = reflect(-view, normal);
  float smoothness = 1.0 - roughness;
  float fresnel = 0.045 + 0.95 * smoothness * smoothness * pow(1.0 - facing, 5.0);
  vec3 mirrored = mirrored_room(vec3(bounced.x, abs(bounced.y), bounced.z), roughness);
  if (bounced.y < 0.0) {
    float t = min(world_place.y / max(-bounced.y, 1e-3), 4.0);
    float blur = t * (0.05 + 1.4 * roughness) + 0.002;
    vec2 hit = world_place.xz + t * bounced.xz;
    float gap = length(hit - pot.foot.xz) / unit;
    vec3 seen = floor_light(hit, blur, smoothstep(1.1, 3.2, gap) * 0.85 + 0.1);
    seen = mix(seen, backdrop(bounced), smoothstep(1.0, 4.0, t));
    mirrored = mix(mirrored_room(vec3(bounced.x, 0.0, bounced.z), roughness), seen,
                   smoothstep(0.0, 0.06 + roughness * 0.3, -bounced.y));
  }
  float gloss_open = mix(0.35, 1.0, floor_open) * mix(0.4, 1.0, open) * inside;
  vec3 shaded = body * (1.0 - fresnel) + mirrored * fresnel * gloss_open;

  float far = length(world_place.xz - eye.xz);
  colour = vec4(mix(tone_map(shaded), backdrop(-view), 0.5 * smoothstep(2.5, 9.5, far)), 1.0);
}
