// The tiled floor has no edges that the pixel grid could alias: every pattern is integrated over the pixel.
const float kTileSide = 0.15;
const float kGrout = 0.024;  // width of the joints, in tiles
const float kFoot = 1.42;  // a teapot's foot reaches so far from its axis, in model units
const vec3 kLightTile = vec3(0.56, 0.51, 0.44);
const vec3 kDarkTile = vec3(0.185, 0.215, 0.230);
const vec3 kGroutColour = vec3(0.30, 0.285, 0.265);

// Returns the mean of a chequerboard of 0 and 1 over a box of `width` around `place`.
float chequer(vec2 place, vec2 width) {
  vec2 i = 2.0 * (abs(fract((place - 0.5 * width) * 0.5) - 0.5) - abs(fract((place + 0.5 * width) * 0.5) - 0.5)) / width;
  return 0.5 - 0.5 * i.x * i.y;
}

vec2 grout_integral(vec2 x) { return floor(x) * kGrout + min(fract(x), kGrout); }

// Returns the share of joint in a box of `width` around `place`.
float joints(vec2 place, vec2 width) {
  vec2 first = place - 0.5 * width + 0.5 * kGrout;
  vec2 share = (grout_integral(first + width) - grout_integral(first)) / width;
  return 1.0 - (1.0 - share.x) * (1.0 - share.y);
}

float tile_noise(vec2 tile) { return fract(52.9829189 * fract(dot(tile, vec2(0.1731, 0.4127)))); }

// Returns the reflectance at ground point `place` (x, z), for a pixel that spans `dx` and `dy` there.
vec3 ground_colour(vec2 place, vec2 dx, vec2 dy) {
  const mat2 turn = mat2(0.8192, 0.5736, -0.5736, 0.8192) / kTileSide;
  vec2 tile = turn * place;
  vec2 width = max(abs(turn * dx) + abs(turn * dy), vec2(1e-4));
  vec3 colour = mix(kLightTile, kDarkTile, chequer(tile, width));
  // No two tiles are alike, as long as they can be told apart.
  float seen = 1.0 - smoothstep(0.15, 0.5, max(width.x, width.y));
  colour *= 1.0 + seen * 0.10 * (tile_noise(floor(tile)) - 0.5);
  return mix(colour, kGroutColour, joints(tile, width));
}

// Next to a foot the floor sees little but the pot above it. When the pot hops, the floor sees as much less of the foot
// as a disc that size lies higher.
float contact(vec2 place) {
  float share = 1.0;
  for (int i = 0; i < TEAPOT_COUNT; ++i) {
    float unit = teapots[i].foot.w;
    float gap = max(length(place - teapots[i].foot.xz) / unit - kFoot, 0.0);
    float lift = teapots[i].lift.x / (kFoot * unit);
    float covered = 1.0 / (1.0 + lift * lift);
    share *= 1.0 - 0.78 * covered * exp(-gap * gap * 7.0) - 0.12 * covered * exp(-gap * 1.6);
  }
  return share;
}
