#include "app/photo_options.h"

#include <fmt/format.h>

#include <map>

namespace scanlens {

void PhotoOptions::add_options(CLI::App& command, bool depth_required) {
  command.add_option("IMAGE", input, "JPEG, PNG, BMP, TGA, HDR or PNM")->required()->type_name("");
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

Photo load_photo(const PhotoOptions& options, const Session& session) {
  Photo photo;
  photo.picture = read_picture(options.input, session.limits());
  const std::int64_t width = photo.picture.width(), height = photo.picture.height();
  session.say(fmt::format("{}: {}", options.input.string(), photo.picture.description()));

  photo.depth = read_depth(options.depth, options.depth_options, session.limits());
  session.say(fmt::format("{}: {}", options.depth.string(), photo.depth.convention));
  const std::int64_t map_width = photo.depth.disparity.width(), map_height = photo.depth.disparity.height();
  if (map_width != width || map_height != height) {
    session.say(fmt::format("{}: resampled from {} x {} to the picture's {} x {}", options.depth.string(),
                            map_width, map_height, width, height));
    photo.depth = resized(std::move(photo.depth), width, height);
  }

  std::string account;
  photo.blur = blur_for(options.lens, photo.depth, account);
  session.say(account);
  return photo;
}

}  // namespace scanlens
