#include "app/photo/lens_doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "app/photo/dof_options.h"

namespace scanlens {
namespace {

/// Factor beyond a map's nearest or farthest distance from which a distance is far outside.
constexpr double kFarOutside = 3;

/// The distances of a map in metres; the farthest may be infinite.
struct SpanOfDepth {
  double nearest, farthest;

  explicit SpanOfDepth(const Depth& depth)
      : nearest(1 / static_cast<double>(depth.most)),
        farthest(depth.least > 0 ? 1 / static_cast<double>(depth.least)
                                 : std::numeric_limits<double>::infinity()) {}

  /// Returns how many times beyond the nearest or the farthest a distance lies; 1 between them.
  double beyond(double metres) const { return std::max({1.0, nearest / metres, metres / farthest}); }
};

std::string about_focus(const Amount& given, const Depth& depth) {
  const double focus = given.value;
  const SpanOfDepth span(depth);
  if (!std::isfinite(focus) || !(depth.most > 0) || span.beyond(focus) <= kFarOutside) return "";
  const std::optional<std::string> unit = given.unit == Unit::none ? unit_meant(focus, depth) : std::nullopt;
  return fmt::format("--focus {:.6g} m lies far outside of the map, which goes from {:.4g} to {:.4g} m{}",
                     focus, span.nearest, span.farthest,
                     unit ? fmt::format("; is {0:.6g} in {1}? write {0:.6g}{2}", focus,
                                        *unit == "mm" ? "millimetres" : "centimetres", *unit)
                          : "");
}

constexpr double kLeastRadius = 0.5;

/// Doubts a blur that --blur sets.
std::string about_most(const Amount& most, std::int64_t width) {
  const double pixels = radius_of(most, width);
  if (pixels == 0) return "--blur 0 blurs nothing; leave it out, or write the largest radius, as in 2%";
  if (pixels >= kLeastRadius) return "";
  return fmt::format("--blur {:.6g}{} is less than half a pixel, which is invisible{}", most.value,
                     most.unit == Unit::percent ? "%" : "",
                     most.unit == Unit::percent
                         ? ""
                         : fmt::format("; for that share of the width write {:.6g}%", 100 * most.value));
}

/// Doubts the blur that a lens makes.
std::string about_blur(const LensOptions& options, const ThinLens& lens, const Depth& depth,
                       const Blur& blur) {
  constexpr double kLeastShare = 1.0 / 500;
  const auto width = static_cast<double>(depth.disparity.width());
  const bool flat = !(depth.most > depth.least), pinhole = std::isinf(lens.f_number);
  if (flat || pinhole || blur.most >= std::max(kLeastRadius, kLeastShare * width)) return "";
  std::string question;
  if (options.focal_length.value_or(1).value < 1)
    question = fmt::format("; is {0} in metres? write {0}m", options.focal_length->value);
  return fmt::format(
      "the blur is hardly visible: a radius of {} at most, of {:.4g} mm at f/{:.4g} on a sensor {:.4g} mm "
      "wide{}; "
      "--blur 2% gives more, in place of the lens",
      blur.most < 0.1f ? "less than 0.1 pixels" : fmt::format("{:.1f} pixels", blur.most),
      lens.focal_length_mm, lens.f_number, lens.sensor_width_mm, question);
}

/// Doubts a zone in focus that holds all there is.
std::string about_zone(const Amount& in_focus, const Depth& depth, const Blur& blur) {
  if (!(depth.most > depth.least) || !(in_focus.value > 0) || blur.most > 0) return "";
  return fmt::format("--in-focus {:.6g} holds all depths of the map, so nothing is blurred", in_focus.value);
}

/// Doubts a map that is one plane.
std::string about_plane(const Depth& depth) {
  return depth.most > depth.least
             ? ""
             : "the depth map has one depth everywhere, so all is as sharp as all else; draw "
               "or take a map with what is far, too";
}

}  // namespace

std::optional<std::string> unit_meant(double metres, const Depth& depth) {
  const SpanOfDepth span(depth);
  const double as_mm = span.beyond(metres / 1000), as_cm = span.beyond(metres / 100);
  if (std::min(as_mm, as_cm) > kFarOutside || span.beyond(metres) <= kFarOutside) return std::nullopt;
  return as_mm <= as_cm ? "mm" : "cm";
}

std::vector<std::string> lens_doubts(const LensOptions& options, const ThinLens& lens, const Depth& depth,
                                     const Blur& blur) {
  std::vector<std::string> doubts;
  if (depth.metric && options.focus) doubts.push_back(about_focus(*options.focus, depth));
  if (options.blur && !options.pulled) doubts.push_back(about_most(*options.blur, depth.disparity.width()));
  if (takes_lens(options, depth) && !options.pulled) doubts.push_back(about_blur(options, lens, depth, blur));
  if (!options.pulled) doubts.push_back(about_plane(depth));
  if (options.in_focus && !options.pulled) doubts.push_back(about_zone(*options.in_focus, depth, blur));
  std::erase(doubts, "");
  return doubts;
}

}  // namespace scanlens
