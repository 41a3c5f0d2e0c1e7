#include "app/scene/camera.h"

#include <cmath>
#include <glm/gtc/matrix_access.hpp>
#include <numbers>

namespace scanlens {

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
  const float azimuth = glm::radians(camera.azimuth_deg);
  const float elevation = glm::radians(camera.elevation_deg);
  const glm::vec3 back{std::sin(azimuth) * std::cos(elevation), std::sin(elevation),
                       std::cos(azimuth) * std::cos(elevation)};
  const glm::vec3 right{std::cos(azimuth), 0, -std::sin(azimuth)};
  const glm::vec3 up = glm::cross(back, right);
  forward = -back;
  eye = camera.target + camera.distance_m * back + sample.x * right + sample.y * up;

  const auto scale_x = static_cast<float>(2 * lens.focal_length_mm / lens.sensor_width_mm);
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
