#include "app/session/style_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/options/values.h"

namespace scanlens {
namespace {

constexpr const char* kGroup = "Look";

}  // namespace

void StyleOptions::add_options(Command& command, int* codec_quality) {
  if (codec_quality) command.remove("--quality");
  const std::string of_files =
      codec_quality ? fmt::format("; a number is of JPEG and WebP files, 1 to 100 ({}); both may be given",
                                  *codec_quality)
                    : "";
  const OptionGroup group(command, kGroup);
  group
      .add(
          codec_quality ? "--quality NAME|Q" : "--quality NAME",
          [this, codec_quality](const std::string& text) { return take_quality(text, codec_quality); },
          "of the blur: draft (fast, sharp colours bleed), good (the default) or best (more layers, rounder "
          "discs)" +
              of_files)
      .takes(Values::each);
  group
      .add("--bokeh NAME", into<Bokeh>(style.bokeh),
           "shape of a blurred light: disc (the default), hexagon, octagon or box")
      .check(named(kBokehNames));
  group
      .add("--blades N", &style.blades,
           "sides of a blurred light, 3 to 16, in place of --bokeh; 0: as that says (0)")
      .check(within(0, 16));
  group
      .add("--rotation DEGREES", &style.rotation,
           "turn a blurred light with sides clockwise, 0 to 360; at 0 it stands on a side (0)")
      .check(within(0, 360));
  group
      .add("--anamorphic RATIO", &style.anamorphic,
           "height of a blurred light by its width, 0.25 to 4: 2 for ovals (1)")
      .check(within(0.25, 4));
  group.add("--near FACTOR", &style.near, "blur before the focus, times this, 0 to 8 (1)")
      .check(within(0, 8));
  group.add("--far FACTOR", &style.far, "blur behind the focus, times this, 0 to 8 (1)").check(within(0, 8));
  group
      .add("--highlights BOOST", &style.highlights,
           "of 8- and 16-bit pictures: light that white has beyond what they can hold, 0 to 15 (0)")
      .check(within(0, 15));
}

std::string StyleOptions::take_quality(const std::string& text, int* codec_quality) {
  const auto* name = std::find(std::begin(kDofQualityNames), std::end(kDofQualityNames), text);
  if (name != std::end(kDofQualityNames)) {
    style.quality = static_cast<DofQuality>(name - kDofQualityNames);
    return "";
  }
  std::string number = text;
  if (!codec_quality || !whole_within(1, 100)(number).empty())
    return fmt::format("takes draft, good or best{}, not '{}'",
                       codec_quality ? ", or 1 to 100 for JPEG and WebP" : "", text);
  *codec_quality = static_cast<int>(*parse_whole(number));
  return "";
}

void require_heeded(const Command& command, const DofStyle& style) {
  if (style.quality == DofQuality::draft)
    refuse_options(command, {kGroup}, "has no effect with --quality draft", "--quality");
}

}  // namespace scanlens
