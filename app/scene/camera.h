// The teapot scene's camera is an ideal thin lens, or a point of it.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>

#include "filters/lens.h"

namespace scanlens {

/// The camera circles around a point at a fixed distance. World coordinates are metres, y is up, the ground
/// is y = 0.
struct Camera {
  glm::vec3 target{0.02f, 0.085f, 0.0f};
  float distance_m = 1.5f;
  float azimuth_deg = 0;     ///< 0 looks along -z, 90 along -x
  float elevation_deg = 10;  ///< above the horizon
};

/// The range of a camera: from `least` to `most`.
struct CameraRange {
  double least, most;
};
inline constexpr CameraRange kElevationsDeg{1, 89};
inline constexpr CameraRange kDistancesM{0.3, 100};
/// The target's x and z, and its y, which is the height above the ground.
inline constexpr CameraRange kTargetsM{-20, 20}, kTargetHeightsM{0, 20};
inline constexpr double kTurnDeg = 360;

// The moves of a viewer's hand. The camera stays within the ranges above.

/// Returns the camera after a drag by `dragged_px` in the window, y down, which turns the scene with the
/// pointer: the camera goes around the target by a quarter of a degree for each pixel. The azimuth comes out
/// between -180 and 180.
Camera orbited(Camera camera, glm::vec2 dragged_px);

/// Returns the camera after a drag by `dragged_px`, y down, of a picture `width` pixels wide taken by this
/// lens. The target moves in the picture's plane, so that things at its distance follow the pointer, unless
/// the target would leave its range.
Camera panned(Camera camera, glm::vec2 dragged_px, const ThinLens& lens, int width);

/// Returns the camera `factor`, which is positive, times as far from its target.
Camera dollied(Camera camera, double factor);

/// The scene is composed for this lens: focused on the teapot in the middle, wide open enough to blur all
/// other teapots.
inline constexpr ThinLens kSceneLens{
    .focal_length_mm = 50, .f_number = 1.4, .sensor_width_mm = 36, .focus_m = 1.5};

/// Returns the lens with the focus and the aperture that make this blur on a picture `width` pixels wide. The
/// blur's disparity is in 1/metre. Its largest radius does not count.
ThinLens lens_of_blur(ThinLens lens, const Blur& blur, std::int64_t width);

/// Holds a point on the aperture, metres from the optical axis. (0, 0) is a pinhole.
struct LensSample {
  float x = 0;
  float y = 0;
};

/// Returns point `i` of `count` on the aperture, spread evenly over the disc (Vogel's spiral, 1979). The
/// disc's radius is f / 2N · z_f / (z_f - f): the blur then equals the thin lens's circle of confusion, f² |z
/// - z_f| / (N z (z_f - f)), in a picture whose field of view does not breathe with focus.
LensSample lens_sample(const ThinLens& lens, int i, int count);

/// Projects the scene as a point of the lens sees it. Depth is reversed and the far plane is infinitely
/// far: depth = kNear / z, for OpenGL's clip control GL_ZERO_TO_ONE, so that depth / kNear is the
/// disparity.
struct Projection {
  static constexpr float kNear = 1.0f / 32;  ///< metres; a power of two, so that the division is exact

  /// The field of view follows from focal length and sensor width. The frustum is sheared so that points at
  /// the distance in focus keep their place in the picture for every sample.
  Projection(int width, int height, const Camera& camera, const ThinLens& lens = kSceneLens,
             LensSample sample = {});

  /// Returns metres from the lens along the optical axis.
  float distance(glm::vec3 point) const { return glm::dot(point - eye, forward); }

  /// Returns whether a sphere may show in the pixels [x0, x1) x [y0, y1) of the picture, y from the top.
  bool sees_sphere(glm::vec3 centre, float radius, int x0, int y0, int x1, int y1) const;

  glm::mat4 clip_from_world;
  glm::vec3 eye;
  glm::vec3 forward;
  float pixels_per_radian;  ///< near the middle of the picture
  /// A pixel at (x, y), y from the top, looks along ray_corner + x · ray_dx + y · ray_dy, which has length 1
  /// along the optical axis.
  glm::vec3 ray_corner, ray_dx, ray_dy;

 private:
  int width_, height_;
};

}  // namespace scanlens
