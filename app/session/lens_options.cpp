#include "app/session/lens_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/depth/around.h"
#include "app/options/values.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Without --blur, relative depth is blurred to this share of the picture's width at most: 20 pixels in 1280.
constexpr MostBlur kDefaultBlur{100.0 / 64, true};

/// A map whose disparities (1/metre) lie no farther apart than this is flat.
constexpr double kLeastReach = 1e-12;

/// Returns the column or row that a place on a side of so many pixels names; 100% is the last one.
double pixel_at(const Amount& place, std::int64_t side) {
  const auto pixels = static_cast<double>(side);
  return place.unit == Unit::percent ? std::min(place.value / 100 * pixels, pixels - 1) : place.value;
}

/// Returns the disparity around a point, which has to lie in the picture.
double disparity_at(const Image<float>& disparity, const Amount& across, const Amount& down) {
  const double x = pixel_at(across, disparity.width()), y = pixel_at(down, disparity.height());
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
  return depth.metric ? 1 / options.focus->value : options.focus->value;
}

/// Throws Error (usage) unless the focus is of the kind that this depth has, and in its range.
void require_focus_of(const Depth& depth, const Amount& focus) {
  if (!depth.metric && !(focus.unit != Unit::metres && focus.value >= 0 && focus.value <= 1))
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "this depth has no unit, so --focus lies between 0 (farthest) and 1 (nearest), not at {}; "
            "for metres say --depth-kind, or --depth-scale, too{}",
            text_of(focus),
            focus.unit == Unit::none && focus.value > 1 && focus.value <= 100
                ? fmt::format("; for percent write {}%", focus.value)
                : ""));
  if (depth.metric && focus.unit == Unit::share)
    throw Error(
        ErrorKind::usage,
        fmt::format("--focus is a distance in metres here, not {:.6g} %: this depth has a unit; write "
                    "metres, as in 2.5m",
                    100 * focus.value));
  if (depth.metric && !(focus.value > 0))
    throw Error(
        ErrorKind::usage,
        fmt::format("--focus is a distance in metres here and must be positive, not {}", focus.value));
}

}  // namespace

void LensOptions::add_options(Command& command, const ThinLens& otherwise, bool of_scene) {
  const OptionGroup group(command, "Lens");
  const char* unit = of_scene ? "" : ", where depth has a unit";
  const char* exif = of_scene ? "" : "the photo's EXIF, or ";
  const Option* const of_lens[] = {
      &group
           .add("--focal-length MM", &focal_length_mm,
                fmt::format("focal length{} ({}{} mm)", unit, exif, otherwise.focal_length_mm))
           .check(positive(Measure::millimetres)),
      &group
           .add("--f-number N", &f_number,
                fmt::format("focal length / aperture; inf is a pinhole{} ({}f/{})", unit, exif,
                            otherwise.f_number))
           .check(positive(Measure::f_number)),
      &group
           .add("--sensor-width MM", &sensor_width_mm,
                fmt::format("width of the sensor{} ({}{} mm)", unit, exif, otherwise.sensor_width_mm))
           .check(positive(Measure::millimetres))};
  const Option& distance = group.add(
      of_scene ? "--focus METRES" : "--focus METRES|0..1",
      [this](const std::string& text) { return take_focus(text); },
      of_scene ? fmt::format("distance in focus ({} m)", otherwise.focus_m)
               : "what is in focus: metres; without a unit 0 or 0% (farthest) .. 1 or 100% (nearest)");
  group
      .add(
          "--focus-at X,Y", [this](const std::vector<std::string>& texts) { return take_focus_at(texts); },
          of_scene ? "focus on this pixel, or at this percent of width and height (50%,50%)"
                   : "focus on this pixel, or at this percent of width and height (50%,50%, the middle)")
      .takes(Values::pair)
      .excludes(distance);
  Option& most = group.add(
      "--blur PX|%", [this](const std::string& text) { return take_blur(text); },
      of_scene ? "radius of the largest blur, half as wide as a lamp's disc, in pixels or in percent of the\n"
                 "picture's width, in place of the aperture"
               : "radius of the largest blur, half as wide as a lamp's disc, in pixels or in percent of the\n"
                 "picture's width, which looks the same at every size; in place of the lens (1.5625% where\n"
                 "depth has no unit)");
  for (const Option* option : of_lens) most.excludes(*option);
}

std::string LensOptions::take_focus(const std::string& text) {
  focus = parse_focus(text);
  return focus
             ? ""
             : fmt::format("takes {}{}{}", name_of(Measure::metres_or_share),
                           examples_of(Measure::metres_or_share), not_taken(text, Measure::metres_or_share));
}

std::string LensOptions::take_focus_at(const std::vector<std::string>& texts) {
  focus_at.clear();
  for (const std::string& text : texts)
    if (const std::optional<Amount> place = parse_amount(text, Measure::pixels_or_percent);
        place && (place->unit != Unit::percent || (place->value >= 0 && place->value <= 100)))
      focus_at.push_back(*place);
  const std::string written = fmt::format("{}", fmt::join(texts, ","));
  if (focus_at.size() != 2 || texts.size() != 2)
    return fmt::format("takes two numbers, as in 420,310 or 50%,50%, not '{}'", written);
  const auto is_share = [](const Amount& place) {
    return place.unit == Unit::none && place.value >= 0 && place.value <= 1;
  };
  const auto is_whole = [](const Amount& place) { return place.value == std::floor(place.value); };
  if (std::all_of(focus_at.begin(), focus_at.end(), is_share) &&
      !std::all_of(focus_at.begin(), focus_at.end(), is_whole))
    return fmt::format(
        "takes pixels, and '{}' is the first of them; for shares of width and height write {:.6g}%,{:.6g}%",
        written, 100 * focus_at[0].value, 100 * focus_at[1].value);
  return "";
}

std::string LensOptions::take_blur(const std::string& text) {
  most_blur = parse_most_blur(text);
  return most_blur ? ""
                   : fmt::format(
                         "takes a number of pixels from 0 to {}, or percent of the width from 0% to 100%{}{}",
                         kMostRadius, examples_of(Measure::pixels_or_percent),
                         not_taken(text, Measure::pixels_or_percent));
}

std::optional<Amount> parse_focus(std::string_view text) {
  const std::optional<Amount> focus = parse_amount(text, Measure::metres_or_share);
  if (!focus || !(focus->value >= 0) || (focus->unit == Unit::share && focus->value > 1)) return std::nullopt;
  return focus;
}

std::optional<MostBlur> parse_most_blur(std::string_view text) {
  const std::optional<Amount> amount = parse_amount(text, Measure::pixels_or_percent);
  const bool of_width = amount && amount->unit == Unit::percent;
  if (!amount || !(amount->value >= 0) || amount->value > (of_width ? 100 : kMostRadius)) return std::nullopt;
  return MostBlur{amount->value, of_width};
}

ThinLens lens_for(const LensOptions& options, ThinLens otherwise) {
  return {options.focal_length_mm.value_or(otherwise.focal_length_mm),
          options.f_number.value_or(otherwise.f_number),
          options.sensor_width_mm.value_or(otherwise.sensor_width_mm),
          options.focus.value_or(otherwise.focus_m).value};
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
  if (has_lens && !depth.metric)
    throw Error(
        ErrorKind::usage,
        "this depth has no unit, so a lens in millimetres has no meaning: use --focus 0..1 and --blur, or "
        "--depth-kind and --depth-scale to give the depth a unit");
  if (options.focus) require_focus_of(depth, *options.focus);

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
