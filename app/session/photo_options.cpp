#include "app/session/photo_options.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "app/io/exif_lens.h"
#include "app/io/format.h"
#include "app/options/values.h"
#include "app/session/autofocus.h"

namespace scanlens {

void add_options(Command& command, DepthOptions& depth) {
  const OptionGroup group(command, "Depth");
  group
      .add("--depth-kind KIND", into<DepthKind>(depth.kind),
           "depth: value x scale = metres; disparity: (value + offset) x scale = 1/metre; inverse: no\n"
           "unit, larger is nearer; by default what the file says, else what its values betray")
      .check(named(kDepthKindNames));
  group.add("--depth-scale S", &depth.scale, "unit of a value (16-bit depth: 0.001, millimetres; floats: 1)");
  group.add("--depth-offset O", &depth.offset, "added to disparity before scaling (Middlebury's doffs)");
  group
      .add(
          "--depth-resample HOW", into<DepthResample>(depth.resample),
          "how a small map is brought to the photo's size: edges (the default: where depth jumps it follows\n"
          "the photo's edges), bilinear (smooth), or nearest (no depths but the map's); larger maps are\n"
          "averaged, or nearest")
      .check(named(kDepthResampleNames));
  const auto take_range = [&depth](const std::vector<double>& ends) -> std::string {
    if (!(ends[0] < ends[1] && std::isfinite(ends[0]) && std::isfinite(ends[1])))
      return "takes two numbers, the smaller one first, as in 0.5,14";
    depth.range = {ends[0], ends[1]};
    return "";
  };
  group
      .add("--depth-range FAR,NEAR", take_range,
           "of maps without a unit: the values that are farthest and nearest, in place of the map's own;\n"
           "frames that share it are normalised alike")
      .takes(Values::pair);
  group.add("--invert", &depth.invert, "larger values are farther (maps without a unit)");
}

void PhotoOptions::add_options(Command& command) {
  command.add("IMAGE", &input, "- for standard input; " + readable_formats()).required();
  add_depth_options(command);
}

void PhotoOptions::add_depth_options(Command& command) {
  command.add("--depth FILE", &depth,
              "depth map, of any size: PNG, PFM, EXR, NPY, NPZ, a grey picture; a JPEG (GDepth) or HEIC\n"
              "photo may carry its own");
  scanlens::add_options(command, depth_options);
  lens.add_options(command);
  command.add("--autofocus", &autofocus, "focus on the depth of the sharpest region", "Lens")
      .excludes(command.at("--focus"))
      .excludes(command.at("--focus-at"));
}

namespace {

/// Returns a warning where a map of one size cannot be of the same view as a picture of the other.
std::string misfit(std::int64_t map_width, std::int64_t map_height, std::int64_t width, std::int64_t height) {
  constexpr double kTolerance = 0.03;
  const auto apart = [](double a, double b) { return std::abs(a / b - 1) > kTolerance; };
  const double map = static_cast<double>(map_width) / static_cast<double>(map_height);
  const double picture = static_cast<double>(width) / static_cast<double>(height);
  if (!apart(map, picture)) return "";
  return apart(1 / map, picture) ? "the proportions of map and picture differ, so the map is stretched"
                                 : "the map seems to lie on its side, as the camera held the photo";
}

const char* words_for(DepthResample resample, bool grows) {
  if (resample == DepthResample::nearest) return "each pixel the nearest";
  if (!grows) return "averaged";
  return resample == DepthResample::edges ? "along the photo's edges" : "bilinear";
}

[[noreturn]] void refuse_without_depth(const PhotoFile& file, const std::filesystem::path& input) {
  const std::string form = file.unread_form();
  throw Error(
      ErrorKind::usage,
      fmt::format("{}: this photo carries {}, and none is named (--depth FILE; of batch --depth-pattern)",
                  input_name(input),
                  form.empty() ? "no depth map" : "its depth map as " + form + ", which is not read"));
}

Picture picture_in(const PhotoFile& file, const PhotoOptions& options, FloatSamples floats,
                   const Session& session) {
  Picture picture = session.staged("decode", [&] { return file.picture(floats); });
  session.say(fmt::format("{}: {}", input_name(options.input), picture.description()));
  session.report(input_name(options.input), picture.remarks);
  return picture;
}

}  // namespace

Depth fitted(Depth depth, const PhotoRows& photo, DepthResample resample, const std::filesystem::path& file,
             const Session& session) {
  const std::int64_t map_width = depth.disparity.width(), map_height = depth.disparity.height();
  const std::int64_t width = photo.format.width, height = photo.format.height;
  if (map_width == width && map_height == height) return depth;
  const std::string name = input_name(file);
  const bool grows = map_width < width || map_height < height;
  session.assume(fmt::format("{}: resampled from {} x {} to the picture's {} x {}, {}", name, map_width,
                             map_height, width, height, words_for(resample, grows)));
  if (const std::string how = misfit(map_width, map_height, width, height); !how.empty())
    session.warn(fmt::format("{}: {}", name, how));
  session.require_host_memory(name, resizing_bytes(depth, photo.format, resample));
  return about(name, [&] { return resized(std::move(depth), photo, resample); });
}

Blur load_blur(const PhotoOptions& options, const Picture& picture, const Depth& depth, Context& context,
               const Session& session) {
  LensOptions lens = options.lens;
  if (options.autofocus)
    lens.sharpest = session.timed("autofocus", [&] {
      return autofocus(context, picture, depth.disparity, input_name(options.input), session);
    });
  std::string account;
  ThinLens otherwise;
  if (takes_lens(lens, depth)) {
    otherwise = photo_lens(lens, exif_lens(picture), account);
    if (!account.empty()) session.assume(fmt::format("{}: {}", input_name(options.input), account));
  }
  const Blur blur = blur_for(lens, depth, account, otherwise);
  session.assume(account);
  return blur;
}

PictureAndDepth load_picture_and_depth(const PhotoOptions& options, DepthNeed need, const Session& session,
                                       const Limits& limits, FloatSamples floats) {
  const bool inside = options.depth.empty();
  PictureAndDepth loaded;
  std::optional<Depth>& depth = loaded.depth;
  {
    const auto open = [&] { return PhotoFile(options.input, limits); };
    const PhotoFile file = session.staged("decode", open);
    if (inside && need != DepthNeed::none)
      depth = session.staged("depth", [&] { return file.depth(options.depth_options); });
    if (inside && !depth && need == DepthNeed::required) refuse_without_depth(file, options.input);
    loaded.picture = picture_in(file, options, floats, session);
  }
  if (!inside && need != DepthNeed::none)
    depth = session.staged("depth", [&] { return read_depth(options.depth, options.depth_options, limits); });
  if (!depth) return loaded;
  const std::filesystem::path& source = inside ? options.input : options.depth;
  session.assume(fmt::format("{}: {}", input_name(source), depth->convention));
  session.report(input_name(source), depth->remarks);
  depth = session.staged("depth", [&] {
    return fitted(std::move(*depth), rows_of(loaded.picture), options.depth_options.resample, source,
                  session);
  });
  return loaded;
}

Photo load_photo(const PhotoOptions& options, Context& context, const Session& session) {
  PictureAndDepth loaded = load_picture_and_depth(options, DepthNeed::required, session, session.limits());
  const Blur blur = load_blur(options, loaded.picture, *loaded.depth, context, session);
  return {std::move(loaded.picture), std::move(*loaded.depth), blur};
}

}  // namespace scanlens
