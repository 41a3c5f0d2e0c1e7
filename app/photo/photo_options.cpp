#include "app/photo/photo_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "app/depth/strokes/strokes.h"
#include "app/options/values.h"

namespace scanlens {

void add_options(Command& command, DepthOptions& depth) {
  const OptionGroup group(command, Group::depth);
  group.add("--depth-kind KIND", choice(depth.kind, kDepthKindNames),
            "depth: value x scale = metres; disparity: (value + offset) x scale = 1/metre; inverse: no\n"
            "unit, larger is nearer; by default from the file's words, else from its values");
  group.add("--depth-scale S", &depth.scale, "unit of a value (integers: 0.001, millimetres; floats: 1)")
      .check(positive());
  group.add("--depth-offset O", &depth.offset, "added to disparity before scaling (Middlebury's doffs)")
      .check(any_number());
  group.add(
      "--depth-resample HOW", choice(depth.resample, kDepthResampleNames),
      "how a small map is brought to the photo's size: edges (the default: where depth jumps it follows\n"
      "the photo's edges, also where the map has the photo's size; depth in an EXR, or written by this\n"
      "program, is exact and stays), bilinear (smooth), or nearest (only the map's own depths); "
      "larger\nmaps are averaged, or nearest");
  const auto take_range = [&depth](const std::vector<std::string>& texts) {
    std::vector<double> ends;
    for (const std::string& text : texts)
      if (const std::optional<Amount> end = parse_amount(text)) ends.push_back(end->value);
    if (ends.size() != 2 || texts.size() != 2 || !(ends[0] < ends[1]))
      return fmt::format("takes two numbers, the smaller one first, as in 0.5,14, not '{}'",
                         fmt::join(texts, ","));
    depth.range = {ends[0], ends[1]};
    return std::string();
  };
  const auto give_range = [&depth] {
    return depth.range ? fmt::format("{},{}", depth.range->farthest, depth.range->nearest) : "";
  };
  group
      .add("--depth-range FAR,NEAR", Target(take_range, give_range),
           "farthest and nearest value of maps without a unit, in place of the map's own;\n"
           "frames that share it are normalised alike")
      .takes(Values::pair);
  group.add("--invert", &depth.invert, "larger values are farther (maps without a unit)");
  group.add("--depth-channel NAME", &depth.channel,
            "the channel or layer of an EXR (Z, ViewLayer.Depth.Z), the array of an NPZ, or the channel of\n"
            "a picture (R, G, B, A) that holds the depth; by default by its name");
  const std::vector<std::string> turns = {"auto", "none", "90", "180", "270"};
  const auto take_turn = [&depth](std::size_t at) {
    depth.orientation = at == 0 ? std::nullopt : std::optional(kDepthOrientations[at - 1]);
  };
  const auto give_turn = [&depth]() -> std::optional<std::size_t> {
    if (!depth.orientation) return std::nullopt;
    return 1 + std::find(std::begin(kDepthOrientations), std::end(kDepthOrientations), *depth.orientation) -
           std::begin(kDepthOrientations);
  };
  group.add("--depth-orientation TURN", choice(turns, take_turn, give_turn),
            "turn the map clockwise: none, 90, 180 or 270 degrees; auto (the default) turns a map that lies\n"
            "on its side as the photo's EXIF says");
}

Strokes PhotoOptions::strokes_on(std::int64_t width, std::int64_t height) const {
  Strokes drawn = {width, height, false, {}};
  for (const std::string& text : strokes) parse_stroke(text, width, height, drawn.strokes.emplace_back());
  return drawn;
}

void PhotoOptions::add_options(Command& command) {
  command.add("IMAGE", &input, input_help()).required();
  add_depth_options(command);
  add_stroke_options(command);
}

void PhotoOptions::add_stroke_options(Command& command) {
  const auto take = [this](const std::string& text) {
    Stroke stroke;
    strokes.push_back(text);
    return parse_stroke(text, 1, 1, stroke);
  };
  command
      .add(
          "--stroke DEPTH:X,Y:X,Y...", take,
          R"(no map: draw how far things are, 0 (infinitely far) to 1 (nearest), and scanlens spreads it along
the photo's edges; two depths (0.9,0.1:X,Y:X,Y) are a slope, such as the ground; X and Y in pixels or
percent; once for each stroke)",
          Group::depth)
      .takes(Values::each)
      .excludes(command.at("--depth"))
      .excludes(command.at("--depth-network"));
  command.add("--strokes-out FILE", &strokes_out,
              "write these strokes, or those of --depth guess, as a file, which --depth takes", Group::depth);
}

void PhotoOptions::add_depth_options(Command& command) {
  command.add(
      "--depth FILE", &depth,
      "depth map, of any size: PNG, PFM, EXR, NPY, NPZ, a grey picture, a file of strokes; a phone's\n"
      "JPEG or HEIC, and an EXR, may carry their own; or guess: a first guess, to be corrected by strokes");
  network.add_options(command, Group::depth).excludes(command.at("--depth"));
  scanlens::add_options(command, depth_options);
  lens.add_options(command);
  command.add("--autofocus", &autofocus, "focus on the depth of the sharpest region", Group::lens)
      .excludes(command.at("--focus-plane"))
      .excludes(command.at("--focus"))
      .excludes(command.at("--focus-at"));
}

}  // namespace scanlens
