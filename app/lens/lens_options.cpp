#include "app/lens/lens_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "app/depth/around.h"
#include "app/lens/dof_options.h"
#include "app/options/options.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Returns the column or row that a place on a side of `side` pixels names; 100% is the last one.
double pixel_at(const Amount& place, std::int64_t side) {
  const auto pixels = static_cast<double>(side);
  return place.unit == Unit::percent ? std::min(place.value / 100 * pixels, pixels - 1) : place.value;
}

double focus_disparity(const LensOptions& options, const Depth& depth, Context* context) {
  if (options.found) return options.found->disparity;
  const Image<float>& disparity = depth.disparity;
  const auto around = [&](double x, double y) {
    return disparity_around(disparity, static_cast<std::int64_t>(x), static_cast<std::int64_t>(y), context);
  };
  if (!options.focus_at.empty())
    return std::apply(around, focus_place(options, disparity.width(), disparity.height()));
  if (!options.focus && depth.focus) return *depth.focus;
  if (!options.focus)
    return around(static_cast<double>(disparity.width() / 2), static_cast<double>(disparity.height() / 2));
  return depth.metric ? 1 / options.focus->value : options.focus->value;
}

DofValues values_of(const ThinLens& lens) {
  DofValues values;
  values.focal_length = lens.focal_length_mm;
  values.f_number = lens.f_number;
  values.sensor_width = lens.sensor_width_mm;
  values.focus = lens.focus_m;
  return values;
}

/// Throws Error (usage) unless a distance is of the kind that this depth has, and in its range.
void require_distance_of(const Depth& depth, const DofParam& param, const Amount& given) {
  const bool is_focus = param.given_at == &DofGiven::focus;
  if (!depth.metric && !(given.unit != Unit::metres && given.value >= 0 && given.value <= 1))
    throw Error(
        ErrorKind::usage,
        fmt::format("this depth has no unit, so --{} lies between 0{} and 1{}, not at {}; for metres add "
                    "--depth-kind or --depth-scale{}",
                    param.name, is_focus ? " (farthest)" : "", is_focus ? " (nearest)" : "", text_of(given),
                    given.unit == Unit::none && given.value > 1 && given.value <= 100
                        ? fmt::format("; for percent write {}%", given.value)
                        : ""));
  if (depth.metric && given.unit == Unit::share)
    throw Error(ErrorKind::usage,
                fmt::format("--{} is a distance in metres here, not {:.6g} %: this depth has a unit; write "
                            "metres, as in 2.5m",
                            param.name, 100 * given.value));
  if (depth.metric && is_focus && !(given.value > 0))
    throw Error(
        ErrorKind::usage,
        fmt::format("--focus is a distance in metres here and must be positive, not {}", given.value));
}

}  // namespace

void LensOptions::add_options(Command& command, const ThinLens& otherwise, bool of_scene) {
  const DofValues defaults = values_of(otherwise);
  for (const DofParam& param : kDofParams) {
    if (param.group != kLensGroup) continue;
    const Option& added = add_dof_option(command, param, *this, defaults, of_scene);
    if (param.given_at == &DofGiven::focus) add_focus_at(command, added, of_scene);
  }
  for (const DofParam& param : kDofParams)
    if (param.needs == DofNeed::metric)
      command.at("--blur").excludes(command.at(fmt::format("--{}", param.name)));
}

void LensOptions::add_focus_at(Command& command, const Option& distance, bool of_scene) {
  command
      .add(
          "--focus-at X,Y", [this](const std::vector<std::string>& texts) { return take_focus_at(texts); },
          of_scene ? "focus on this pixel, or at this percent of width and height (50%,50%)"
                   : "focus on this pixel, or at this percent of width and height (50%,50%, the middle)",
          Group::lens)
      .takes(Values::pair)
      .excludes(distance);
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
        "takes pixels, and '{}' lies in the first pixel; for shares of width and height write "
        "{:.6g}%,{:.6g}%",
        written, 100 * focus_at[0].value, 100 * focus_at[1].value);
  return "";
}

ThinLens lens_for(const LensOptions& options, ThinLens otherwise) {
  DofValues values = values_of(otherwise);
  values.take(options);
  return values.lens();
}

std::pair<double, double> focus_place(const LensOptions& options, std::int64_t width, std::int64_t height) {
  const double x = pixel_at(options.focus_at[0], width), y = pixel_at(options.focus_at[1], height);
  if (!(x >= 0 && y >= 0 && x < static_cast<double>(width) && y < static_cast<double>(height)))
    throw Error(ErrorKind::usage,
                fmt::format("--focus-at {},{} lies outside the picture of {} x {}", x, y, width, height));
  return {x, y};
}

bool takes_lens(const LensOptions& options, const Depth& depth) {
  return depth.metric && !options.blur;
}

ThinLens photo_lens(const LensOptions& options, const ExifLens& exif, std::string& account) {
  ThinLens lens;
  std::vector<std::string> taken;
  const auto take = [&](const std::optional<Amount>& given, const std::optional<double>& value, double& to,
                        const char* before, const char* behind) {
    if (given || !value) return;
    to = *value;
    taken.push_back(fmt::format("{}{:.4g}{}", before, *value, behind));
  };
  take(options.focal_length, exif.focal_length_mm, lens.focal_length_mm, "", " mm");
  const bool needs_sensor = !taken.empty() && !options.sensor_width && !exif.sensor_width_mm;
  take(options.f_number, exif.f_number, lens.f_number, "f/", "");
  take(options.sensor_width, exif.sensor_width_mm, lens.sensor_width_mm, "sensor ", " mm wide");
  account = taken.empty() ? "" : fmt::format("lens from the photo's EXIF: {}", fmt::join(taken, ", "));
  if (needs_sensor)
    account += fmt::format("; its sensor, missing in EXIF, is taken for {} mm wide", lens.sensor_width_mm);
  return lens;
}

Blur blur_for(const LensOptions& options, const Depth& depth, std::string& account, const ThinLens& otherwise,
              Context* context) {
  const auto is_given = [&](const DofParam& param) {
    return param.needs == DofNeed::metric && options.*param.given_at;
  };
  if (!depth.metric && std::any_of(std::begin(kDofParams), std::end(kDofParams), is_given))
    throw Error(
        ErrorKind::usage,
        "this depth has no unit, so a lens in millimetres has no meaning: use --focus 0..1 and --blur, or "
        "--depth-kind and --depth-scale to give the depth a unit");
  for (const DofParam& param : kDofParams)
    if (const std::optional<Amount>& given = options.*param.given_at;
        given && param.measure == Measure::metres_or_share)
      require_distance_of(depth, param, *given);

  const double focus = focus_disparity(options, depth, context);
  const std::int64_t width = depth.disparity.width();
  DofValues values = values_of(otherwise);
  values.take(options);
  std::optional<double> most;
  if (options.blur || !depth.metric)
    most = radius_of(options.blur.value_or(Amount(DofValues().blur, Unit::percent)), width);
  Blur blur = blur_of(values, focus, {depth.metric, depth.least, depth.most}, width, most);
  blur = bounded(blur, depth.least, depth.most);
  const std::string where =
      depth.metric ? fmt::format("{:.4g} m", 1 / focus) : fmt::format("{:.3g} of 0 (far) .. 1 (near)", focus);
  const auto edge = [&](double disparity) {
    return depth.metric ? 1 / std::max(disparity, 0.0) : std::clamp(disparity, 0.0, 1.0);
  };
  std::string zone;
  if (blur.before > 0 || blur.behind > 0)
    zone = fmt::format(", sharp from {:.4g} to {:.4g}{}", edge(focus + blur.before),
                       edge(focus - blur.behind), depth.metric ? " m" : "");
  const std::string found = options.found ? fmt::format(", depth of {}", options.found->what) : "";
  account = fmt::format("focus at {}{}{}; blur up to {:.1f} pixels of radius", where, zone,
                        options.found                                               ? found.c_str()
                        : depth.focus && !options.focus && options.focus_at.empty() ? ", the nearest stroke"
                                                                                    : "",
                        blur.most);
  return blur;
}

}  // namespace scanlens
