#include "app/scene/camera.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_access.hpp>
#include <numbers>

namespace scanlens {
namespace {

/// The camera's directions in the world, each of length 1.
struct Axes {
  explicit Axes(const Camera& camera) {
    const float azimuth = glm::radians(camera.azimuth_deg);
    const float elevation = glm::radians(camera.elevation_deg);
    back = {std::sin(azimuth) * std::cos(elevation), std::sin(elevation),
            std::cos(azimuth) * std::cos(elevation)};
    right = {std::cos(azimuth), 0, -std::sin(azimuth)};
    up = glm::cross(back, right);
  }
  glm::vec3 back, right, up;
};

float clamped(double value, const CameraRange& range) {
  return static_cast<float>(std::clamp(value, range.least, range.most));
}

/// Returns how many metres away one metre reaches from the picture's middle to its side.
double scale_across(const ThinLens& lens) {
  return 2 * lens.focal_length_mm / lens.sensor_width_mm;
}

}  // namespace

Camera orbited(Camera camera, glm::vec2 dragged_px) {
  constexpr double kDegreesPerPixel = 0.25;
  camera.azimuth_deg = static_cast<float>(
      std::remainder(camera.azimuth_deg - kDegreesPerPixel * static_cast<double>(dragged_px.x), kTurnDeg));
  camera.elevation_deg =
      clamped(camera.elevation_deg + kDegreesPerPixel * static_cast<double>(dragged_px.y), kElevationsDeg);
  return camera;
}

Camera panned(Camera camera, glm::vec2 dragged_px, const ThinLens& lens, int width) {
  const Axes axes(camera);
  const auto metres = static_cast<float>(camera.distance_m / (scale_across(lens) * width / 2));
  const glm::vec3 target = camera.target + metres * (dragged_px.y * axes.up - dragged_px.x * axes.right);
  camera.target = {clamped(target.x, kTargetsM), clamped(target.y, kTargetHeightsM),
                   clamped(target.z, kTargetsM)};
  return camera;
}

Camera dollied(Camera camera, double factor) {
  camera.distance_m = clamped(camera.distance_m * factor, kDistancesM);
  return camera;
}

ThinLens lens_of_blur(ThinLens lens, const Blur& blur, std::int64_t width) {
  lens.focus_m = 1.0 / blur.focus;
  lens.f_number = 1;
  lens.f_number = thin_lens_blur(lens, width).scale / blur.scale;
  return lens;
}

LensSample lens_sample(const ThinLens& lens, int i, int count) {
  const double f = lens.focal_length_mm / 1000;
  const double aperture = f / (2 * lens.f_number) / (1 - f / lens.focus_m);
  const double golden_angle = std::numbers::pi * (3 - std::sqrt(5.0));
  const double radius = aperture * std::sqrt((i + 0.5) / count);
  return {static_cast<float>(radius * std::cos(i * golden_angle)),
          static_cast<float>(radius * std::sin(i * golden_angle))};
}

Projection::Projection(int width, int height, const Camera& camera, const ThinLens& lens, LensSample sample)
    : width_(width), height_(height) {
  const Axes axes(camera);
  const glm::vec3 right = axes.right, up = axes.up;
  forward = -axes.back;
  eye = camera.target + camera.distance_m * axes.back + sample.x * right + sample.y * up;

  const auto scale_x = static_cast<float>(scale_across(lens));
  const float scale_y = scale_x * static_cast<float>(width) / static_cast<float>(height);
  const float shear_x = sample.x / static_cast<float>(lens.focus_m);
  const float shear_y = sample.y / static_cast<float>(lens.focus_m);
  const glm::vec4 from_right{right, -glm::dot(right, eye)};
  const glm::vec4 from_up{up, -glm::dot(up, eye)};
  const glm::vec4 from_forward{forward, -glm::dot(forward, eye)};
  const glm::vec4 row_x = scale_x * (from_right + shear_x * from_forward);
  const glm::vec4 row_y = scale_y * (from_up + shear_y * from_forward);
  clip_from_world = glm::transpose(glm::mat4(row_x, row_y, glm::vec4(0, 0, 0, kNear), from_forward));

  pixels_per_radian = scale_x * static_cast<float>(width) / 2;
  ray_dx = right / pixels_per_radian;
  ray_dy = -up / pixels_per_radian;
  ray_corner = forward - (1 / scale_x + shear_x) * right + (1 / scale_y - shear_y) * up;
}

bool Projection::sees_sphere(glm::vec3 centre, float radius, int x0, int y0, int x1, int y1) const {
  const glm::vec4 row_x = glm::row(clip_from_world, 0);
  const glm::vec4 row_y = glm::row(clip_from_world, 1);
  const glm::vec4 row_w = glm::row(clip_from_world, 3);
  const auto ndc = [](int pixel, int size) {
    return 2.0f * static_cast<float>(pixel) / static_cast<float>(size) - 1;
  };
  const glm::vec4 planes[] = {row_x - ndc(x0, width_) * row_w, ndc(x1, width_) * row_w - row_x,
                              -ndc(y0, height_) * row_w - row_y, row_y + ndc(y1, height_) * row_w, row_w};
  for (const glm::vec4& plane : planes)
    if (glm::dot(plane, glm::vec4(centre, 1)) < -radius * glm::length(glm::vec3(plane))) return false;
  return true;
}

}  // namespace scanlens
