#include "filters/lens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "filters/dof_params.h"

namespace scanlens {
namespace {

void require_positive(double value, const char* name, const char* unit, bool may_be_infinite = false) {
  if (!(value > 0) || (std::isinf(value) && !may_be_infinite))
    throw Error(ErrorKind::usage,
                fmt::format("the {} must be a positive number, not {}{}", name, value, unit));
}

float to_float(double value) {
  return static_cast<float>(std::min<double>(value, std::numeric_limits<float>::max()));
}

/// The disparity in focus, and how far before and behind it all is sharp.
struct Zone {
  double focus, before = 0, behind = 0;

  double beyond(double disparity) const {
    const double from_focus = disparity - focus;
    return std::abs(from_focus - std::clamp(from_focus, -behind, before));
  }
};

/// Returns the zone of `metres` metres around a focus; a zone that reaches the camera has no near end.
Zone zone_of(double focus_disparity, double metres) {
  Zone zone{focus_disparity};
  if (!(metres > 0)) return zone;
  const double focus_m = 1 / focus_disparity, half = metres / 2;
  zone.before =
      focus_m - half > 0 ? 1 / (focus_m - half) - focus_disparity : std::numeric_limits<double>::max();
  zone.behind = focus_disparity - 1 / (focus_m + half);
  return zone;
}

/// Returns the blur that has a radius where a disparity lies `reach` beyond the zone; none where nothing
/// does.
Blur blur_up_to(double radius, double reach, const Zone& zone) {
  constexpr double kLeastReach = 1e-12;  // of a map that is not flat
  return {reach > kLeastReach ? static_cast<float>(radius / reach) : 0.f, static_cast<float>(zone.focus),
          static_cast<float>(radius), to_float(zone.before), to_float(zone.behind)};
}

}  // namespace

Blur thin_lens_blur(const ThinLens& lens, std::int64_t width) {
  require_positive(lens.focal_length_mm, "focal length", " mm");
  require_positive(lens.f_number, "f-number", "", true);
  require_positive(lens.sensor_width_mm, "sensor width", " mm");
  require_positive(lens.focus_m, "focus distance", " m", true);
  const double f = lens.focal_length_mm / 1000;
  if (lens.focus_m <= f)
    throw Error(
        ErrorKind::usage,
        fmt::format("a {} mm lens cannot focus at {} m: the focus must be farther than the focal length",
                    lens.focal_length_mm, lens.focus_m));
  // f^2 z_f / (z_f - f), written so that it also holds for a focus at infinity.
  const double magnified = f * f / (1 - f / lens.focus_m);
  const double pixels_per_metre = static_cast<double>(width) / (lens.sensor_width_mm / 1000);
  const Blur blur{static_cast<float>(magnified / (2 * lens.f_number) * pixels_per_metre),
                  static_cast<float>(1 / lens.focus_m), kMostRadius};
  if (!std::isfinite(blur.scale) || !std::isfinite(blur.focus))
    throw Error(ErrorKind::usage, "these lens values are beyond any lens: the blur would be infinite");
  return blur;
}

Blur relative_blur(double focus, double most_radius, double in_focus) {
  if (!(focus >= 0 && focus <= 1))
    throw Error(ErrorKind::usage,
                fmt::format("a relative focus lies between 0 (farthest) and 1 (nearest), not at {}", focus));
  if (!(most_radius >= 0 && most_radius <= kMostRadius))
    throw Error(ErrorKind::usage, fmt::format("the largest blur lies between 0 and {} pixels, not at {}",
                                              kMostRadius, most_radius));
  if (!(in_focus >= 0))
    throw Error(ErrorKind::usage, fmt::format("the zone in focus is 0 or wider, not {}", in_focus));
  const double half = in_focus / 2;
  return blur_up_to(most_radius, std::max(focus, 1 - focus) - half, {focus, half, half});
}

Blur blur_of(const DofValues& values, double focus_disparity, const DepthSpan& depth, std::int64_t width,
             std::optional<double> most_radius) {
  // The middle of a tilted plane may lie beyond all depths, where no lens is focused.
  const bool is_tilted = values.tilt != 0 || values.swing != 0;
  const auto tilted = [&](Blur blur) {
    if (is_tilted) blur.focus = static_cast<float>(focus_disparity);
    blur.tilt = static_cast<float>(values.tilt);
    blur.swing = static_cast<float>(values.swing);
    return blur;
  };
  if (!depth.metric)
    return tilted(relative_blur(is_tilted ? std::clamp(focus_disparity, 0.0, 1.0) : focus_disparity,
                                most_radius.value_or(0), values.in_focus));
  constexpr double kFarthest = 1e-9;
  const double of_lens = is_tilted ? std::max(focus_disparity, kFarthest) : focus_disparity;
  const Zone zone = zone_of(of_lens, values.in_focus);
  if (!most_radius) {
    ThinLens lens = values.lens();
    lens.focus_m = 1 / of_lens;
    Blur blur = thin_lens_blur(lens, width);
    blur.before = to_float(zone.before);
    blur.behind = to_float(zone.behind);
    return tilted(blur);
  }
  relative_blur(0, *most_radius);  // the same limits hold
  return tilted(blur_up_to(*most_radius, std::max(zone.beyond(depth.most), zone.beyond(depth.least)), zone));
}

Blur bounded(Blur blur, float least_disparity, float most_disparity) {
  const float from_plane = (std::abs(blur.tilt) + std::abs(blur.swing)) / 2;
  blur.most = std::max(circle_of_confusion(least_disparity - from_plane, blur),
                       circle_of_confusion(most_disparity + from_plane, blur));
  return blur;
}

}  // namespace scanlens
