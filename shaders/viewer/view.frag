// Shows a picture in a window, placed and zoomed. With PLAIN defined it is the picture alone, of codes or, with LIGHT, of
// light: what a CPU has to be fast at. Without, it is also what is known of its depth, and a difference. ONE_TAP is for
// windows where one tap will do: by llvmpipe an eighth of the time, since it goes through all branches.
#version 450 core
#include "filters/color.h"
#include "app/viewer/model/layer_color_formula.h"
#include "app/viewer/model/screen_formula.h"

layout(binding = 0) uniform sampler2D shown_picture;
layout(binding = 1) uniform sampler2D input_picture;
layout(binding = 2) uniform sampler2D disparity;
layout(binding = 3) uniform sampler2D reference;
layout(binding = 4) uniform sampler2D turbo;  // its colours from 0 to 1
layout(binding = 5) uniform sampler2D layers;  // their colours where they cover the picture
layout(location = 0) out vec4 pixel;

const int kDepth = 2, kCircle = 3, kDifference = 5, kMask = 6;  // as ShownView has them
uniform int view;
uniform vec2 window;        // pixels
uniform vec2 picture;       // pixels, whatever the textures' size
uniform vec2 centre;        // the picture's place in the window's middle
uniform float zoom;         // window's pixels per pixel of the picture
uniform int taps;           // along a side, of the mean over what the window's pixel covers; 0: its texel
uniform float exposure;     // factor of light; 0 where samples are codes
uniform float brightest;    // exposed light of the picture; tones are mapped where it is above white
uniform bool has_alpha;
uniform float gain;         // of the difference
uniform vec2 depth_range;   // least and greatest disparity
uniform LayeredLens lens;
uniform vec2 tilted;         // swing and tilt of the plane in focus
uniform int cut_count;
uniform float cuts_at[kMostDofLayers - 1], zones[kMostDofLayers - 1], steps[kMostDofLayers - 1];
uniform bool layers_are_known;
uniform vec3 around;        // the colour around the picture

float encoded(float light) { return linear_to_srgb(tone_mapped(light, brightest)); }
vec3 encoded_light(vec3 light) { return vec3(encoded(light.r), encoded(light.g), encoded(light.b)); }

vec4 seen(sampler2D from, vec2 place) {
#ifdef ONE_TAP
  return textureLod(from, place / picture, 0.0);
#else
  if (taps == 0)
    return texelFetch(from, ivec2(clamp(floor(place), vec2(0.0), vec2(textureSize(from, 0)) - 1.0)), 0);
  vec4 sum = vec4(0.0);
  for (int j = 0; j < taps; ++j)
    for (int i = 0; i < taps; ++i) {
      vec2 within = (vec2(i, j) + 0.5) / float(taps) - 0.5;
      sum += textureLod(from, (place + within / zoom) / picture, 0.0);
    }
  return sum / float(taps * taps);
#endif
}

// The look of a texture's colour: light is exposed and encoded, alpha lies over a chequerboard.
vec3 shown(vec4 color) {
#ifdef PLAIN
#ifdef LIGHT
  vec3 codes = encoded_light(color.rgb * exposure);
#else
  vec3 codes = color.rgb;
#endif
#else
  vec3 codes = exposure > 0.0 ? encoded_light(color.rgb * exposure) : color.rgb;
#endif
  if (!has_alpha) return codes;
  ivec2 square = ivec2(gl_FragCoord.xy) / 8;
  return mix(vec3((square.x + square.y) % 2 == 0 ? 0.4 : 0.6), codes, clamp(color.a, 0.0, 1.0));
}

#ifndef PLAIN
float disparity_at(vec2 place) {
  vec2 texels = vec2(textureSize(disparity, 0));
  return texelFetch(disparity, ivec2(clamp(floor(place / picture * texels), vec2(0.0), texels - 1.0)), 0).r;
}

float circle_at(vec2 place) {
  vec2 from_middle = place / picture - 0.5;
  return signed_circle(disparity_at(place) - tilted.x * from_middle.x + tilted.y * from_middle.y, lens);
}

float grey_of(sampler2D from, vec2 place) { return dot(shown(seen(from, place)), vec3(0.2126, 0.7152, 0.0722)); }

// Grey where it is in focus, orange before and blue behind, the stronger the wider the circle.
vec3 shown_circle(vec2 place, float grey) {
  float circle = circle_at(place), widest = max(widest_circle(lens), 1.0);
  vec3 tint = circle > 0.0 ? vec3(1.0, 0.55, 0.05) : vec3(0.1, 0.45, 1.0);
  float share = abs(circle) <= 0.5 ? 0.0 : 0.25 + 0.75 * sqrt(min(abs(circle) / widest, 1.0));
  return mix(vec3(grey), tint * (0.35 + 0.65 * grey), share);
}

// Each layer's colour, red in front, over the picture's grey: where it covers it, once that is known, else of the
// pixel itself; within a zone two of them.
vec3 shown_layer(vec2 place, float grey) {
  if (layers_are_known) return seen(layers, place).rgb * (0.3 + 0.7 * grey_of(shown_picture, place));
  LayerCuts cuts;
  cuts.count = cut_count;
  cuts.at = cuts_at;
  cuts.zone = zones;
  cuts.steps_per_zone = steps;
  LayerShare share = layer_share(circle_at(place), cuts);
  vec3 tint = textureLod(turbo, vec2(layer_color(share, cut_count), 0.5), 0.0).rgb;
  return tint * (0.3 + 0.7 * grey);
}

// The picture, the redder the more of it a lens blurs.
vec3 shown_mask(vec2 place) {
  float share = min(abs(circle_at(place)) / max(widest_circle(lens), 1.0), 1.0);
  return mix(shown(seen(shown_picture, place)), vec3(0.9, 0.1, 0.08), 0.7 * share);
}

vec3 shown_of_depth(vec2 place) {
  if (view == kDepth) {
    float range = depth_range.y - depth_range.x;
    float share = range > 0.0 ? (disparity_at(place) - depth_range.x) / range : 0.0;
    return textureLod(turbo, vec2(share * 255.0 / 256.0 + 0.5 / 256.0, 0.5), 0.0).rgb;
  }
  if (view == kDifference) return abs(shown(seen(shown_picture, place)) - shown(seen(reference, place))) * gain;
  if (view == kMask) return shown_mask(place);
  float grey = grey_of(input_picture, place);
  return view == kCircle ? shown_circle(place, grey) : shown_layer(place, grey);
}
#endif

void main() {
  vec2 at = vec2(gl_FragCoord.x, window.y - gl_FragCoord.y);
  vec2 place = centre + (at - 0.5 * window) / zoom;
  if (any(lessThan(place, vec2(0.0))) || any(greaterThanEqual(place, picture))) {
    pixel = vec4(around, 1.0);
    return;
  }
#ifdef PLAIN
  pixel = vec4(shown(seen(shown_picture, place)), 1.0);
#else
  pixel = vec4(shown_of_depth(place), 1.0);
#endif
}
