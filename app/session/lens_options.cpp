#include "app/session/lens_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/depth/around.h"
#include "app/options/parse.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Without --blur, relative depth is blurred to this share of the picture's width at most: 20 pixels in 1280.
constexpr MostBlur kDefaultBlur{100.0 / 64, true};

/// A map whose disparities (1/metre) lie no farther apart than this is flat.
constexpr double kLeastReach = 1e-12;

/// Returns the disparity around a point, which has to lie in the picture.
double disparity_at(const Image<float>& disparity, double x, double y) {
  if (!(x >= 0 && y >= 0 && x < static_cast<double>(disparity.width()) &&
        y < static_cast<double>(disparity.height())))
    throw Error(ErrorKind::usage, fmt::format("--focus-at {},{} lies outside the picture of {} x {}", x, y,
                                              disparity.width(), disparity.height()));
  return disparity_around(disparity.view(), static_cast<std::int64_t>(x), static_cast<std::int64_t>(y));
}

double focus_disparity(const LensOptions& options, const Depth& depth) {
  if (options.sharpest) return *options.sharpest;
  if (!options.focus_at.empty())
    return disparity_at(depth.disparity, options.focus_at[0], options.focus_at[1]);
  if (!options.focus)
    return disparity_at(depth.disparity, static_cast<double>(depth.disparity.width() / 2),
                        static_cast<double>(depth.disparity.height() / 2));
  return depth.metric ? 1 / *options.focus : *options.focus;
}

}  // namespace

void LensOptions::add_options(Command& command, const ThinLens& otherwise, bool of_scene) {
  const OptionGroup group(command, "Lens");
  const char* unit = of_scene ? "" : ", where depth has a unit";
  const char* exif = of_scene ? "" : "the photo's EXIF, or ";
  group.add("--focal-length MM", &focal_length_mm,
            fmt::format("focal length{} ({}{} mm)", unit, exif, otherwise.focal_length_mm));
  group.add(
      "--f-number N", &f_number,
      fmt::format("focal length / aperture; inf is a pinhole{} ({}{})", unit, exif, otherwise.f_number));
  group.add("--sensor-width MM", &sensor_width_mm,
            fmt::format("width of the sensor{} ({}{} mm)", unit, exif, otherwise.sensor_width_mm));
  const Option& distance =
      group.add(of_scene ? "--focus METRES" : "--focus METRES|0..1", &focus,
                of_scene ? fmt::format("distance in focus ({} m)", otherwise.focus_m)
                         : "what is in focus: metres; without a unit 0 (farthest) .. 1 (nearest)");
  group
      .add("--focus-at X,Y", &focus_at,
           of_scene ? "focus on this pixel" : "focus on this pixel (the middle of the picture)")
      .takes(Values::pair)
      .excludes(distance);
  group.add(
      "--blur PX|%", [this](const std::string& text) { return take_blur(text); },
      of_scene ? "radius of the largest blur, half as wide as a lamp's disc, in pixels or in percent of the\n"
                 "picture's width, in place of the aperture"
               : "radius of the largest blur, half as wide as a lamp's disc, in pixels or in percent of the\n"
                 "picture's width, which looks the same at every size; in place of the lens (1.5625%)");
}

std::string LensOptions::take_blur(const std::string& text) {
  most_blur = parse_most_blur(text);
  return most_blur ? ""
                   : fmt::format(
                         "takes a number of pixels, or percent of the width from 0% to 100%, not '{}'", text);
}

std::optional<MostBlur> parse_most_blur(std::string_view text) {
  MostBlur blur;
  blur.of_width = text.ends_with('%');
  if (blur.of_width) text.remove_suffix(1);
  if (!read_number(std::string(text), blur.value)) return std::nullopt;
  if (blur.of_width && !(blur.value >= 0 && blur.value <= 100)) return std::nullopt;
  return blur;
}

ThinLens lens_for(const LensOptions& options, ThinLens otherwise) {
  return {options.focal_length_mm.value_or(otherwise.focal_length_mm),
          options.f_number.value_or(otherwise.f_number),
          options.sensor_width_mm.value_or(otherwise.sensor_width_mm),
          options.focus.value_or(otherwise.focus_m)};
}

bool takes_lens(const LensOptions& options, const Depth& depth) {
  return depth.metric && !options.most_blur;
}

ThinLens photo_lens(const LensOptions& options, const ExifLens& exif, std::string& account) {
  ThinLens lens;
  std::vector<std::string> taken;
  const auto take = [&](const std::optional<double>& given, const std::optional<double>& value, double& to,
                        const char* before, const char* behind) {
    if (given || !value) return;
    to = *value;
    taken.push_back(fmt::format("{}{:.4g}{}", before, *value, behind));
  };
  take(options.focal_length_mm, exif.focal_length_mm, lens.focal_length_mm, "", " mm");
  const bool needs_sensor = !taken.empty() && !options.sensor_width_mm && !exif.sensor_width_mm;
  take(options.f_number, exif.f_number, lens.f_number, "f/", "");
  take(options.sensor_width_mm, exif.sensor_width_mm, lens.sensor_width_mm, "sensor ", " mm wide");
  account = taken.empty() ? "" : fmt::format("lens from the photo's EXIF: {}", fmt::join(taken, ", "));
  if (needs_sensor)
    account +=
        fmt::format("; its sensor, of which EXIF says nothing, taken for {} mm wide", lens.sensor_width_mm);
  return lens;
}

Blur blur_for(const LensOptions& options, const Depth& depth, std::string& account,
              const ThinLens& otherwise) {
  const bool has_lens = options.focal_length_mm || options.f_number || options.sensor_width_mm;
  const std::int64_t width = depth.disparity.width();
  if (has_lens && options.most_blur)
    throw Error(ErrorKind::usage, "--blur takes the place of the lens: give it, or lens options, not both");
  if (has_lens && !depth.metric)
    throw Error(
        ErrorKind::usage,
        "this depth has no unit, so a lens in millimetres says nothing: use --focus 0..1 and --blur, or "
        "--depth-kind and --depth-scale to give the depth a unit");
  if (!depth.metric && options.focus && !(*options.focus >= 0 && *options.focus <= 1))
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "this depth has no unit, so --focus lies between 0 (farthest) and 1 (nearest), not at {}; "
            "for metres say --depth-kind, or --depth-scale, too",
            *options.focus));
  if (depth.metric && options.focus && !(*options.focus > 0))
    throw Error(
        ErrorKind::usage,
        fmt::format("--focus is a distance in metres here and must be positive, not {}", *options.focus));

  const double focus = focus_disparity(options, depth);
  const double most = options.most_blur.value_or(kDefaultBlur).pixels(width);
  Blur blur;
  if (!depth.metric) {
    blur = relative_blur(focus, most);
  } else if (options.most_blur) {
    relative_blur(0, most);  // the same limits hold
    const double reach = std::max(std::abs(depth.most - focus), std::abs(depth.least - focus));
    blur = {reach > kLeastReach ? static_cast<float>(most / reach) : 0.f, static_cast<float>(focus),
            static_cast<float>(most)};
  } else {
    ThinLens lens = lens_for(options, otherwise);
    lens.focus_m = 1 / focus;
    blur = thin_lens_blur(lens, width);
  }
  blur = bounded(blur, depth.least, depth.most);
  const std::string where =
      depth.metric ? fmt::format("{:.4g} m", 1 / focus) : fmt::format("{:.3g} of 0 (far) .. 1 (near)", focus);
  account = fmt::format("focus at {}{}; blur up to {:.1f} pixels of radius", where,
                        options.sharpest ? ", depth of the sharpest region" : "", blur.most);
  return blur;
}

}  // namespace scanlens
