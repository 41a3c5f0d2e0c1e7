// The night over the garden, and the light in it.
struct Light {
  vec4 place;   // and radius
  vec4 colour;  // what a white surface facing it gives off one metre away
};

// Mirrors Garden::lights in app/scene/garden.h.
layout(std140, binding = 1) uniform Lights { Light lights[LIGHT_COUNT]; };

const vec3 kTowardsMoon = vec3(-0.45, 0.75, 0.48);
const vec3 kMoonLight = vec3(0.011, 0.015, 0.024);
const vec3 kSkyLight = vec3(0.006, 0.009, 0.017);

// Returns the sky: a glow of the town low down, dark blue above.
vec3 night_sky(vec3 direction) {
  vec3 d = normalize(direction);
  vec3 glow = mix(vec3(0.030, 0.026, 0.034), vec3(0.062, 0.036, 0.022), exp(-8.0 * (d.x - 0.05) * (d.x - 0.05)));
  vec3 high = vec3(0.005, 0.010, 0.027);
  return mix(high, glow, exp(-11.0 * max(d.y, 0.0)));
}

// Returns the light on a surface; `through` is the share that comes through it from behind.
vec3 light_on(vec3 place, vec3 normal, float through) {
  float up = 0.5 + 0.5 * normal.y;
  float moon = dot(normal, normalize(kTowardsMoon));
  vec3 sum = kSkyLight * (0.35 + 0.65 * up) + kMoonLight * (max(moon, 0.0) + through * max(-moon, 0.0));
  for (int i = 0; i < LIGHT_COUNT; ++i) {
    vec3 towards = lights[i].place.xyz - place;
    float squared = dot(towards, towards);
    float cosine = dot(normal, towards) * inversesqrt(squared);
    float lit = max(cosine, 0.0) + through * max(-cosine, 0.0);
    float radius = lights[i].place.w;
    sum += lights[i].colour.rgb * (lit / (squared + radius * radius));
  }
  return sum;
}
