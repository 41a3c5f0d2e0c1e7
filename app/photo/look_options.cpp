// The options of the command line that say how depth of field is to look.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/io/format.h"
#include "app/io/gain_map.h"
#include "app/io/picture.h"
#include "app/options/values.h"
#include "app/photo/dof_options.h"
#include "app/photo/lens_looks.h"
#include "app/photo/lens_options.h"
#include "core/error.h"
#include "core/image.h"
#include "filters/bokeh_picture.h"
#include "filters/dof_shape.h"

namespace scanlens {
namespace {

/// Lets --quality take numbers, too, which are of files.
void take_numbers(Option& quality, int& of_files) {
  quality.type += "|Q";
  quality.help += fmt::format("; a number is the quality of {} files, 1 to 100 ({}); both may be given",
                              formats_with_quality(), of_files);
  const Target names = quality.target;
  const auto take = [names, &of_files](const std::string& text) -> std::string {
    if (std::find(names.choices.begin(), names.choices.end(), text) != names.choices.end())
      return names.take({text});
    if (std::string word = text; !whole_within(1, 100)(word).empty())
      return fmt::format("takes draft, good or best, or 1 to 100 for {}, not '{}'", formats_with_quality(),
                         text);
    of_files = static_cast<int>(*parse_whole(text));
    return "";
  };
  quality.target = Target(take);
  quality.target.words = names.words;
  quality.target.choices = names.choices;
  quality.judge = {};
  quality.takes(Values::each);
}

}  // namespace

void LensOptions::add_look_options(Command& command, int* codec_quality) {
  if (codec_quality) command.remove("--quality");
  OptionGroup(command, Group::look)
      .add("--lens-look NAME", choice(lens_look, kLensLookNames),
           "the look of a known lens, as far as options do not say otherwise; not of drafts");
  for (const DofParam& param : kDofParams) {
    if (param.group != kLookGroup) continue;
    Option& added = add_dof_option(command, param, *this, DofValues(), false);
    if (codec_quality && param.given_at == &DofGiven::quality) take_numbers(added, *codec_quality);
  }
}

DofGiven LensOptions::of(std::string_view group) const {
  DofGiven given;
  for (const DofParam& param : kDofParams)
    if (param.group == group) given.*param.given_at = this->*param.given_at;
  return given;
}

DofGiven LensOptions::look() const {
  DofGiven look = of(kLookGroup);
  if (!lens_look) return look;
  for (const LensLook::Value& value : kLensLooks[*lens_look].values)
    if (value.at && !(look.*value.at)) look.*value.at = Amount(value.value);
  return look;
}

DofStyle LensOptions::style(std::int64_t width) const {
  DofValues values;
  values.take(look(), width);
  DofStyle style = values.style(width);
  style.frame = frame;
  style.picture = picture.get();
  return style;
}

void LensOptions::add_picture_option(Command& command) {
  command
      .add("--bokeh-picture FILE", &bokeh_picture,
           "the outline of blurred lights: what is bright in this picture, such as a white heart on black;\n"
           "in place of --bokeh and --blades; not of drafts",
           Group::look)
      .keeps();
}

void LensOptions::open_picture(const Limits& limits) {
  if (bokeh_picture.empty()) return;
  const Picture read = read_picture(bokeh_picture, limits);
  const bool is_light = std::holds_alternative<Image<float>>(read.samples);
  const Picture lit = is_light ? Picture() : light_of(read.samples, read.metadata);
  try {
    picture =
        std::make_shared<const BokehPicture>(std::get<Image<float>>((is_light ? read : lit).samples).view());
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("--bokeh-picture {}: {}", bokeh_picture.string(), error.what()));
  }
}

void refuse_pixels(const DofGiven& look) {
  for (const DofParam& param : kDofParams) {
    if (!param.style_at || param.measure != Measure::pixels_or_percent) continue;
    const std::optional<Amount>& amount = look.*param.given_at;
    if (amount && amount->unit != Unit::percent && amount->value != 0)
      throw Error(ErrorKind::usage,
                  fmt::format("--{}: takes percent of the width in a window, such as 0.3%", param.name));
  }
}

void require_heeded(const Command& command, const DofStyle& style) {
  if (style.roundness > 0 && sides_of(style) == 0)
    throw Error(ErrorKind::usage, "--roundness curves the sides of blades; add --blades N");
  if (command.given("--bokeh-picture") && (sides_of(style) > 0 || needs_pupils(style)))
    throw Error(
        ErrorKind::usage,
        "--bokeh-picture is the outline of lights; leave out --blades, --bokeh and what changes lights "
        "over the frame");
  if (style.quality != DofQuality::draft) return;
  if (command.given("--bokeh-picture"))
    throw Error(ErrorKind::usage, "--bokeh-picture has no effect with --quality draft");
  if (command.given("--lens-look"))
    throw Error(ErrorKind::usage, "--lens-look has no effect with --quality draft");
  for (const DofParam& param : kDofParams)
    if (!param.of_drafts && command.given(fmt::format("--{}", param.name)))
      throw Error(ErrorKind::usage, fmt::format("--{} has no effect with --quality draft", param.name));
}

}  // namespace scanlens
