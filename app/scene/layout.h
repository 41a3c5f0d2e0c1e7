// The teapot scene is laid out and lit here.
#pragma once

#include <glm/glm.hpp>

namespace scanlens {

struct PlacedTeapot {
  glm::vec2 place;  ///< x and z of the middle of its foot, metres
  float turn_deg;   ///< 0 points the spout along +x; counted anticlockwise seen from above
  float scale;      ///< metres for one of Newell's units: 0.05 makes a pot of 20 cm across and 16 cm high
  glm::vec3 glaze;  ///< reflectance, linear light
  float roughness;  ///< the glaze's: 0 mirrors, 1 is matt
};

/// The teapots stand from near to far as the default camera sees them: 0.6 m to 6 m away.
inline constexpr PlacedTeapot kTeapots[] = {
    {{-0.215f, 0.800f}, 28, 0.050f, {0.025f, 0.085f, 0.230f}, 0.16f},    // cobalt, cut by the frame
    {{0.260f, 0.330f}, 160, 0.044f, {0.620f, 0.330f, 0.055f}, 0.18f},    // honey
    {{-0.045f, 0.000f}, -24, 0.050f, {0.520f, 0.085f, 0.035f}, 0.14f},   // persimmon: the one in focus
    {{0.480f, -0.750f}, 205, 0.052f, {0.235f, 0.400f, 0.285f}, 0.18f},   // celadon
    {{-0.640f, -1.050f}, 20, 0.052f, {0.700f, 0.660f, 0.580f}, 0.16f},   // porcelain
    {{0.260f, -2.500f}, -15, 0.056f, {0.060f, 0.210f, 0.250f}, 0.16f},   // petrol
    {{-0.900f, -4.400f}, 165, 0.060f, {0.420f, 0.150f, 0.190f}, 0.18f},  // rose
};
inline constexpr int kTeapotCount = static_cast<int>(sizeof(kTeapots) / sizeof(kTeapots[0]));

/// A teapot turns about its axis, which stays where it is, and hops. It begins as it is placed.
struct TeapotMotion {
  int turns;    ///< in one loop of the scene's time, anticlockwise seen from above
  int hops;     ///< in the same time
  float hop_m;  ///< how high
};

/// No two teapots keep the same pace.
inline constexpr TeapotMotion kMotions[kTeapotCount] = {
    {5, 22, 0.020f}, {-7, 27, 0.032f}, {4, 20, 0.024f}, {-5, 25, 0.036f},
    {6, 18, 0.022f}, {-4, 23, 0.038f}, {8, 29, 0.045f},
};

/// This direction points towards the key light, a large soft box up on the left. Its length is not 1.
inline constexpr glm::vec3 kTowardsKey{-0.80f, 0.72f, 0.10f};

}  // namespace scanlens
