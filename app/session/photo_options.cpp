#include "app/session/photo_options.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "app/io/format.h"
#include "app/session/autofocus.h"
#include "app/session/values.h"

namespace scanlens {

void add_options(CLI::App& command, DepthOptions& depth) {
  const char* group = "Depth";
  command
      .add_option("--depth-kind", depth.kind,
                  "depth: value x scale = metres; disparity: (value + offset) x scale = 1/metre; inverse: no\n"
                  "unit, larger is nearer; by default what the file says, else what its values betray")
      ->transform(named<DepthKind>({{"depth", DepthKind::depth},
                                    {"disparity", DepthKind::disparity},
                                    {"inverse", DepthKind::inverse}}))
      ->type_name("KIND")
      ->group(group);
  command
      .add_option("--depth-scale", depth.scale, "unit of a value (16-bit depth: 0.001, millimetres; floats: 1)")
      ->type_name("S")
      ->group(group);
  command
      .add_option("--depth-offset", depth.offset, "added to disparity before scaling (Middlebury's doffs)")
      ->type_name("O")
      ->group(group);
  command.add_flag("--invert", depth.invert, "larger values are farther (maps without a unit)")->group(group);
}

void PhotoOptions::add_options(CLI::App& command) {
  command.add_option("IMAGE", input, "- for standard input; " + readable_formats())->required()->type_name("");
  command
      .add_option("--depth", depth,
                  "depth map, of any size: PNG, PFM, EXR, NPY, NPZ, a grey picture; a JPEG (GDepth) or HEIC\n"
                  "photo may carry its own")
      ->type_name("FILE");
  scanlens::add_options(command, depth_options);
  lens.add_options(command);
  command.add_flag("--autofocus", autofocus, "focus on the depth of the sharpest region")
      ->group("Lens")
      ->excludes(command.get_option("--focus"))
      ->excludes(command.get_option("--focus-at"));
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

/// Reads the map that the photo carries.
Depth depth_inside(const PhotoOptions& options, const Session& session) {
  std::optional<Depth> depth = read_embedded_depth(options.input, options.depth_options, session.limits());
  if (!depth)
    throw Error(ErrorKind::usage,
                options.input.string() + ": this photo carries no depth map; name one with --depth FILE");
  return std::move(*depth);
}

}  // namespace

Depth fitted(Depth depth, std::int64_t width, std::int64_t height, const std::filesystem::path& file,
             const Session& session) {
  const std::int64_t map_width = depth.disparity.width(), map_height = depth.disparity.height();
  if (map_width == width && map_height == height) return depth;
  session.assume(fmt::format("{}: resampled from {} x {} to the picture's {} x {}", file.string(), map_width,
                          map_height, width, height));
  if (const std::string how = misfit(map_width, map_height, width, height); !how.empty())
    session.warn(fmt::format("{}: {}", file.string(), how));
  return about(file, [&] { return resized(std::move(depth), width, height); });
}

Depth load_depth(const PhotoOptions& options, const Session& session) {
  return session.timed("depth", [&] {
    return options.depth.empty() ? depth_inside(options, session)
                                 : read_depth(options.depth, options.depth_options, session.limits());
  });
}

Depth introduced(Depth depth, const Picture& picture, const PhotoOptions& options, const Session& session) {
  const std::filesystem::path& file = options.depth.empty() ? options.input : options.depth;
  session.assume(fmt::format("{}: {}", file.string(), depth.convention));
  session.report(file.string(), depth.remarks);
  return session.timed("depth", [&] {
    return fitted(std::move(depth), picture.width(), picture.height(), file, session);
  });
}

Blur load_blur(const PhotoOptions& options, const Picture& picture, const Depth& depth, Context& context,
               const Session& session) {
  LensOptions lens = options.lens;
  if (options.autofocus)
    lens.sharpest = session.timed("autofocus", [&] {
      return autofocus(context, picture, depth.disparity, options.input, session);
    });
  std::string account;
  const Blur blur = blur_for(lens, depth, account);
  session.assume(account);
  return blur;
}

Photo load_photo(const PhotoOptions& options, Context& context, const Session& session) {
  Photo photo;
  const bool inside = options.depth.empty();
  if (inside) photo.depth = load_depth(options, session);
  photo.picture = session.timed("decode", [&] { return read_picture(options.input, session.limits()); });
  session.say(fmt::format("{}: {}", options.input.string(), photo.picture.description()));
  session.report(options.input.string(), photo.picture.remarks);

  if (!inside) photo.depth = load_depth(options, session);
  photo.depth = introduced(std::move(photo.depth), photo.picture, options, session);
  photo.blur = load_blur(options, photo.picture, photo.depth, context, session);
  return photo;
}

}  // namespace scanlens
