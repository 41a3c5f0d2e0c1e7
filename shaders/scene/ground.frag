#version 450 core
#include "scene/studio.glsl"
#include "scene/ground.glsl"

uniform vec2 tile_origin;  // pixel of the picture at the framebuffer's first pixel

layout(location = 0) out vec4 colour;

void main() {
  // The point comes from the pixel's ray: interpolated over so large a square it would be coarse near the camera.
  vec2 pixel = gl_FragCoord.xy + tile_origin;
  vec3 ray = ray_corner.xyz + pixel.x * ray_dx.xyz + pixel.y * ray_dy.xyz;
  float down = min(ray.y, -1e-4);  // a pixel's middle may lie above a horizon that crosses it
  float t = -eye.y / down;
  vec3 place = vec3(eye.x + t * ray.x, 0.0, eye.z + t * ray.z);
  vec2 dx = t * (ray_dx.xz - ray.xz * (ray_dx.y / down));
  vec2 dy = t * (ray_dy.xz - ray.xz * (ray_dy.y / down));

  vec3 up = vec3(0.0, 1.0, 0.0);
  vec3 reflectance = ground_colour(place.xz, dx, dy);
  float lit = key_visibility(place, up);
  float open = sky_visibility(place, up, -1) * contact(place.xz);
  vec3 light = key_light(place) * towards_key.y * lit * mix(0.75, 1.0, open);
  light += (kSkyLight + kStripLight * 0.42) * open;
  vec3 shaded = reflectance * light * 0.36;

  vec3 view = normalize(ray);
  vec3 bounced = reflect(view, up);
  float fresnel = 0.03 + 0.60 * pow(1.0 - clamp(-view.y, 0.0, 1.0), 6.0);
  shaded += 0.30 * fresnel * open * mirrored_room(bounced, 0.5);

  float far = length(place.xz - eye.xz);
  float fade = smoothstep(2.5, 9.5, far);
  colour = vec4(mix(tone_map(shaded), backdrop(ray), fade), 1.0);
}
