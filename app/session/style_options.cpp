#include "app/session/style_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <vector>

#include "app/session/values.h"

namespace scanlens {
namespace {

constexpr const char* kGroup = "Look";

}  // namespace

void StyleOptions::add_options(CLI::App& command, int* codec_quality) {
  if (codec_quality) command.remove_option(command.get_option("--quality"));
  const std::string of_files =
      codec_quality ? fmt::format("; a number is of JPEG and WebP files, 1 to 100 ({}); both may be given",
                                  *codec_quality)
                    : "";
  command
      .add_option_function<std::vector<std::string>>(
          "--quality",
          [this, codec_quality](const std::vector<std::string>& given) {
            for (const std::string& text : given) take_quality(text, codec_quality);
          },
          "of the blur: draft (fast, sharp colours bleed), good (the default) or best (more layers, rounder "
          "discs)" +
              of_files)
      ->expected(1)
      ->take_all()
      ->type_name(codec_quality ? "NAME|Q" : "NAME")
      ->group(kGroup);
  command.add_option("--bokeh", style.bokeh, "shape of a blurred light: disc (the default), hexagon or box")
      ->transform(named<Bokeh>(kBokehNames))
      ->type_name("NAME")
      ->group(kGroup);
  command
      .add_option("--anamorphic", style.anamorphic,
                  "height of a blurred light by its width, 0.25 to 4: 2 for ovals (1)")
      ->check(within(0.25, 4))
      ->type_name("RATIO")
      ->group(kGroup);
  const auto add_factor = [&](const char* name, float& factor, const std::string& what) {
    command.add_option(name, factor, what + ", times this, 0 to 8 (1)")
        ->check(within(0, 8))
        ->type_name("FACTOR")
        ->group(kGroup);
  };
  add_factor("--near", style.near, "blur before the focus");
  add_factor("--far", style.far, "blur behind the focus");
  command
      .add_option("--highlights", style.highlights,
                  "of 8- and 16-bit pictures: light that white has beyond what they can hold, 0 to 15 (0)")
      ->check(within(0, 15))
      ->type_name("BOOST")
      ->group(kGroup);
}

void StyleOptions::take_quality(const std::string& text, int* codec_quality) {
  const auto* name = std::find(std::begin(kDofQualityNames), std::end(kDofQualityNames), text);
  if (name != std::end(kDofQualityNames)) {
    style.quality = static_cast<DofQuality>(name - kDofQualityNames);
    return;
  }
  std::string number = text;
  if (!codec_quality || !whole_within(1, 100)(number).empty())
    throw CLI::ValidationError("--quality",
                               fmt::format("takes draft, good or best{}, not '{}'",
                                           codec_quality ? ", or 1 to 100 for JPEG and WebP" : "", text));
  *codec_quality = std::stoi(number);
}

void require_heeded(const CLI::App& command, const DofStyle& style) {
  if (style.quality == DofQuality::draft)
    refuse_options(command, {kGroup}, "says nothing with --quality draft", "--quality");
}

}  // namespace scanlens
