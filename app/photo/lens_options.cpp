#include "app/photo/lens_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "app/depth/around.h"
#include "app/options/options.h"
#include "app/photo/dof_options.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Returns the column or row that a place on a side of `side` pixels names; 100% is the last one.
double pixel_at(const Amount& place, std::int64_t side) {
  const auto pixels = static_cast<double>(side);
  return place.unit == Unit::percent ? std::min(place.value / 100 * pixels, pixels - 1) : place.value;
}

/// Returns the pixel that two numbers name. Throws Error (usage) where it lies outside.
std::pair<double, double> place_of(const char* option, const Amount* at, std::int64_t width,
                                   std::int64_t height) {
  const double x = pixel_at(at[0], width), y = pixel_at(at[1], height);
  if (!(x >= 0 && y >= 0 && x < static_cast<double>(width) && y < static_cast<double>(height)))
    throw Error(ErrorKind::usage,
                fmt::format("{} {},{} lies outside the picture of {} x {}", option, x, y, width, height));
  return {x, y};
}

/// Returns the plane through the depths of the places that --focus-plane names.
FocusPlane plane_of(const std::vector<Amount>& places, const Image<float>& disparity, Context* context) {
  std::array<PlanePoint, 3> points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [x, y] = place_of("--focus-plane", &places[2 * i], disparity.width(), disparity.height());
    points[i] = {
        x, y,
        disparity_around(disparity, static_cast<std::int64_t>(x), static_cast<std::int64_t>(y), context)};
  }
  return plane_through(points, disparity.width(), disparity.height());
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

std::string metres_at(double disparity) {
  return disparity > 0 ? fmt::format("{:.4g} m", 1 / disparity) : "infinity";
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

/// Reads the coordinates of places. Returns what is wrong with them.
std::string take_places(const std::vector<std::string>& texts, std::size_t count, std::string_view example,
                        std::vector<Amount>& places) {
  places.clear();
  for (const std::string& text : texts)
    if (const std::optional<Amount> place = parse_amount(text, Measure::pixels_or_percent);
        place && (place->unit != Unit::percent || (place->value >= 0 && place->value <= 100)))
      places.push_back(*place);
  if (places.size() != count || texts.size() != count)
    return fmt::format("takes {} numbers, as in {}, not '{}'", count == 2 ? "two" : "six", example,
                       fmt::join(texts, ","));
  const auto is_share = [](const Amount& place) {
    return place.unit == Unit::none && place.value >= 0 && place.value <= 1;
  };
  const auto is_whole = [](const Amount& place) { return place.value == std::floor(place.value); };
  if (!std::all_of(places.begin(), places.end(), is_share) ||
      std::all_of(places.begin(), places.end(), is_whole))
    return "";
  std::vector<std::string> percent;
  for (const Amount& place : places) percent.push_back(fmt::format("{:.6g}%", 100 * place.value));
  return fmt::format(
      "takes pixels, and '{}' lies in the first pixel; for shares of width and height write {}",
      fmt::join(texts, ","), fmt::join(percent, ","));
}

}  // namespace

void LensOptions::add_options(Command& command, const ThinLens& otherwise, bool of_scene) {
  const DofValues defaults = values_of(otherwise);
  for (const DofParam& param : kDofParams) {
    if (param.group != kLensGroup) continue;
    add_dof_option(command, param, *this, defaults, of_scene);
  }
  add_places(command, of_scene);
  for (const DofParam& param : kDofParams)
    if (param.needs == DofNeed::metric)
      command.at("--blur").excludes(command.at(fmt::format("--{}", param.name)));
}

void LensOptions::add_places(Command& command, bool of_scene) {
  const auto places = [](std::size_t count, std::string_view example, std::vector<Amount>& to) {
    return [=, &to](const std::vector<std::string>& texts) { return take_places(texts, count, example, to); };
  };
  const Option& distance = command.at("--focus");
  const Option& at =
      command
          .add("--focus-at X,Y", places(2, "420,310 or 50%,50%", focus_at),
               of_scene ? "focus on this pixel, or at this percent of width and height (50%,50%)"
                        : "focus on this pixel, or at this percent of width and height (50%,50%, the middle)",
               Group::lens)
          .takes(Values::pair)
          .excludes(distance);
  command
      .add(
          "--focus-plane X,Y,X,Y,X,Y", places(6, "10%,90%,50%,60%,90%,90%", focus_plane),
          "focus on three places at once: the plane in focus is tilted to go through them, as a view camera\n"
          "does",
          Group::lens)
      .takes(Values::separated)
      .also("scheimpflug tilt-shift")
      .excludes(distance)
      .excludes(at)
      .excludes(command.at("--tilt"))
      .excludes(command.at("--swing"));
}

FocusPlane plane_through(const std::array<PlanePoint, 3>& points, std::int64_t width, std::int64_t height) {
  double right[3], up[3], at[3];
  for (std::size_t i = 0; i < points.size(); ++i) {
    right[i] = (std::floor(points[i].x) + 0.5) / static_cast<double>(width) - 0.5;
    up[i] = 0.5 - (std::floor(points[i].y) + 0.5) / static_cast<double>(height);
    at[i] = points[i].disparity;
  }
  const auto area = [](const double(&a)[3], const double(&b)[3]) {
    return (a[1] - a[0]) * (b[2] - b[0]) - (a[2] - a[0]) * (b[1] - b[0]);
  };
  constexpr double kLeastArea = 1e-3;  // twice the triangle's, by the picture's
  const double of_places = area(right, up);
  if (!(std::abs(of_places) > kLeastArea))
    throw Error(ErrorKind::usage, "--focus-plane: the three places lie on a line; choose them farther apart");
  const double swing = area(at, up) / of_places, tilt = area(right, at) / of_places;
  return {at[0] - swing * right[0] - tilt * up[0], tilt, swing};
}

ThinLens lens_for(const LensOptions& options, ThinLens otherwise) {
  DofValues values = values_of(otherwise);
  values.take(options);
  return values.lens();
}

std::pair<double, double> focus_place(const LensOptions& options, std::int64_t width, std::int64_t height) {
  return place_of("--focus-at", options.focus_at.data(), width, height);
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

  const std::int64_t width = depth.disparity.width();
  DofValues values = values_of(otherwise);
  values.take(options);
  double focus = 0;
  if (!options.focus_plane.empty() && !options.found) {
    const FocusPlane plane = plane_of(options.focus_plane, depth.disparity, context);
    focus = plane.middle;
    values.tilt = plane.tilt;
    values.swing = plane.swing;
  } else {
    focus = focus_disparity(options, depth, context);
  }
  std::optional<double> most;
  if (options.blur || !depth.metric)
    most = radius_of(options.blur.value_or(Amount(DofValues().blur, Unit::percent)), width);
  Blur blur = blur_of(values, focus, {depth.metric, depth.least, depth.most}, width, most);
  blur = bounded(blur, depth.least, depth.most);
  std::string where = depth.metric ? metres_at(focus) : fmt::format("{:.3g} of 0 (far) .. 1 (near)", focus);
  const auto add_ends = [&](const char* words, double nearer) {
    const auto at = [&](double disparity) {
      return depth.metric ? metres_at(disparity) : fmt::format("{:.3g}", disparity);
    };
    if (nearer != 0)
      where += fmt::format(fmt::runtime(words), at(focus + nearer / 2), at(focus - nearer / 2));
  };
  add_ends(", {} at the top and {} at the bottom", values.tilt);
  add_ends(", {} at the right and {} at the left", values.swing);
  const auto edge = [&](double disparity) {
    return depth.metric ? 1 / std::max(disparity, 0.0) : std::clamp(disparity, 0.0, 1.0);
  };
  std::string zone;
  if (blur.before > 0 || blur.behind > 0)
    zone = fmt::format(", sharp from {:.4g} to {:.4g}{}", edge(focus + blur.before),
                       edge(focus - blur.behind), depth.metric ? " m" : "");
  const std::string found = options.found ? fmt::format(", depth of {}", options.found->what) : "";
  account =
      fmt::format("focus at {}{}{}; blur up to {:.1f} pixels of radius", where, zone,
                  options.found ? found.c_str()
                  : depth.focus && !options.focus && options.focus_at.empty() && options.focus_plane.empty()
                      ? ", the nearest stroke"
                      : "",
                  blur.most);
  return blur;
}

}  // namespace scanlens
