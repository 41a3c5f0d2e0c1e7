#include "app/commands/photo_options.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace scanlens {

void PhotoOptions::add_options(CLI::App& command, bool depth_required) {
  command.add_option("IMAGE", input, "- for standard input; " + readable_formats())->required()->type_name("");
  command.add_option("--depth", depth, "depth map: 8- or 16-bit PNG, or PFM; any size")
      ->required(depth_required)
      ->type_name("FILE");
  const char* group = "Depth";
  const std::map<std::string, DepthKind> kinds = {
      {"depth", DepthKind::depth}, {"disparity", DepthKind::disparity}, {"inverse", DepthKind::inverse}};
  command
      .add_option("--depth-kind", depth_options.kind,
                  "depth: value x scale = metres (16-bit PNG); disparity: (value + offset) x\n"
                  "scale = 1/metre; inverse: no unit, larger is nearer (8-bit PNG, PFM)")
      ->transform(CLI::CheckedTransformer(kinds).description(""))
      ->type_name("KIND")
      ->group(group);
  command
      .add_option("--depth-scale", depth_options.scale,
                  "unit of a value (16-bit PNG depth: 0.001, millimetres)")
      ->type_name("S")
      ->group(group);
  command
      .add_option("--depth-offset", depth_options.offset,
                  "added to disparity before scaling (Middlebury's doffs)")
      ->type_name("O")
      ->group(group);
  command.add_flag("--invert", depth_options.invert, "larger values are farther (maps without a unit)")
      ->group(group);
  lens.add_options(command);
}

namespace {

/// Warns when a map of one size cannot be of the same view as a picture of the other.
std::string misfit(std::int64_t map_width, std::int64_t map_height, std::int64_t width, std::int64_t height) {
  constexpr double kTolerance = 0.03;
  const auto apart = [](double a, double b) { return std::abs(a / b - 1) > kTolerance; };
  const double map = static_cast<double>(map_width) / static_cast<double>(map_height);
  const double picture = static_cast<double>(width) / static_cast<double>(height);
  if (!apart(map, picture)) return "";
  return apart(1 / map, picture)
             ? "the proportions of map and picture differ, so the map is stretched"
             : "the map seems to lie on its side, as the camera held the photo";
}

}  // namespace

Photo load_photo(const PhotoOptions& options, const Session& session) {
  Photo photo;
  photo.picture = read_picture(options.input, session.limits());
  const std::int64_t width = photo.picture.width(), height = photo.picture.height();
  session.say(fmt::format("{}: {}", options.input.string(), photo.picture.description()));
  session.report(options.input.string(), photo.picture.remarks);

  photo.depth = read_depth(options.depth, options.depth_options, session.limits());
  session.say(fmt::format("{}: {}", options.depth.string(), photo.depth.convention));
  const std::int64_t map_width = photo.depth.disparity.width(), map_height = photo.depth.disparity.height();
  if (map_width != width || map_height != height) {
    session.say(fmt::format("{}: resampled from {} x {} to the picture's {} x {}", options.depth.string(),
                            map_width, map_height, width, height));
    if (const std::string how = misfit(map_width, map_height, width, height); !how.empty())
      session.warn(fmt::format("{}: {}", options.depth.string(), how));
    photo.depth = about(options.depth, [&] { return resized(std::move(photo.depth), width, height); });
  }

  std::string account;
  photo.blur = blur_for(options.lens, photo.depth, account);
  session.say(account);
  return photo;
}

}  // namespace scanlens
