// The look of the garden's surfaces. No pattern has edges that the pixel grid could alias: each is integrated
// over the pixel, or fades out where a pixel is larger than it.

// Returns the share of a box of `width` around x in which a square wave of this period is up; it is up in its first
// `duty`.
float stripes(float x, float width, float period, float duty) {
  float w = max(width / period, 1e-4), first = x / period - 0.5 * w, last = first + w;
  float up = (floor(last) - floor(first)) * duty + min(fract(last), duty) - min(fract(first), duty);
  return clamp(up / w, 0.0, 1.0);
}

float hash(vec2 cell) { return fract(52.9829189 * fract(dot(cell, vec2(0.06711056, 0.00583715)) + 0.37)); }

// Returns smooth noise, -0.5 to 0.5, of this size, and 0 where the pixel is larger.
float noise(vec2 place, vec2 width, float size) {
  vec2 p = place / size, cell = floor(p), t = smoothstep(0.0, 1.0, p - cell);
  float value = mix(mix(hash(cell), hash(cell + vec2(1.0, 0.0)), t.x),
                    mix(hash(cell + vec2(0.0, 1.0)), hash(cell + vec2(1.0, 1.0)), t.x), t.y);
  return (value - 0.5) * (1.0 - smoothstep(0.35, 1.0, max(width.x, width.y) / size));
}

// Returns how bright a wall of blocks is, 0 in the joints to 1, with a tone for each block.
float blocks(vec2 place, vec2 width, vec2 block, float joint) {
  float row = floor(place.y / block.y);
  vec2 moved = place + vec2(0.5 * block.x * mod(row, 2.0), 0.0);
  vec2 duty = vec2(1.0) - joint / block;
  float share = stripes(moved.x, width.x, block.x, duty.x) * stripes(moved.y, width.y, block.y, duty.y);
  float told_apart = 1.0 - smoothstep(0.2, 0.7, max(width.x / block.x, width.y / block.y));
  float tone = 1.0 + 0.55 * told_apart * (hash(floor(moved / block)) - 0.5);
  // If rows can no longer be told apart, neither can the way in which they are moved.
  float mean = duty.x * duty.y;
  return tone * mix(mean, share, 1.0 - smoothstep(0.3, 0.9, width.y / block.y));
}

vec3 cobbles(vec3 colour, vec2 place, vec2 width) {
  float stone = blocks(place + 0.006 * vec2(noise(place.yx, width, 0.03), noise(place, width, 0.04)), width,
                       vec2(0.062, 0.048), 0.006);
  float grain = 1.0 + 0.5 * noise(place, width, 0.0035) + 0.45 * noise(place, width, 0.011) +
                0.4 * noise(place, width, 0.31);
  return colour * grain * (0.30 + 0.70 * stone);
}

vec3 wood(vec3 colour, vec2 place, vec2 width) {
  float board = stripes(place.y, width.y, 0.031, 0.955);
  vec2 along = place * vec2(0.12, 1.0), thin = width * vec2(0.12, 1.0);
  float grain = 1.0 + 0.7 * noise(along, thin, 0.0012) + 0.5 * noise(along + 0.7, thin, 0.0031);
  return colour * grain * (0.25 + 0.75 * board);
}

// Paints a teapot: lines, a lattice and rays in cobalt on white. `radius` and `height` are in the model's units,
// `angle` turns around its axis, and `width` is the pixel's in model units.
vec3 painted(vec3 white, float radius, float height, float angle, float width) {
  const vec3 cobalt = vec3(0.018, 0.045, 0.22);
  float turn = width / max(radius, 0.05);
  float ink = 0.0;
  // The body: a lattice between two bands of lines.
  if (height > 0.45 && height < 1.55) {
    float slope = 3.2 * (height - 0.45), rise = 3.2 * width;
    float a = stripes(angle * 36.0 / 6.2831853 + slope, turn * 5.73 + rise, 1.0, 0.16);
    float b = stripes(angle * 36.0 / 6.2831853 - slope, turn * 5.73 + rise, 1.0, 0.16);
    ink = max(a, b);
  }
  float upper = stripes(angle, turn, 6.2831853 / 90.0, 0.45);
  if (height > 1.72 && height < 1.98) ink = upper;
  ink = max(ink, stripes(height - 1.55, width, 10.0, 0.006) + stripes(height - 0.40, width, 10.0, 0.005));
  ink = max(ink, stripes(height - 1.64, width, 10.0, 0.003) + stripes(height - 2.02, width, 10.0, 0.004));
  // The lid has rays.
  float rays = stripes(angle, turn, 6.2831853 / 48.0, 0.35);
  if (height > 2.42 && radius > 0.35 && radius < 1.25) ink = max(ink, rays);
  return mix(white, cobalt, clamp(ink, 0.0, 1.0));
}

vec3 window(vec3 light, vec2 place, vec2 width) {
  float bars = stripes(place.x - 0.02, width.x, 0.30, 0.88) * stripes(place.y - 0.02, width.y, 0.34, 0.88);
  return light * (0.06 + 0.94 * bars) * (1.0 + 0.7 * noise(place, width, 0.23));
}
