#include "app/lens/style_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/io/format.h"
#include "app/lens/dof_options.h"
#include "app/lens/lens_looks.h"
#include "app/options/values.h"
#include "core/error.h"
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

void StyleOptions::add_options(Command& command, int* codec_quality) {
  if (codec_quality) command.remove("--quality");
  OptionGroup(command, Group::look)
      .add("--lens-look NAME", choice(lens_look, kLensLookNames),
           "the look of a known lens, as far as options do not say otherwise; not of drafts");
  for (const DofParam& param : kDofParams) {
    if (param.group != kLookGroup) continue;
    Option& added = add_dof_option(command, param, given, DofValues(), false);
    if (codec_quality && param.given_at == &DofGiven::quality) take_numbers(added, *codec_quality);
  }
}

DofGiven StyleOptions::all() const {
  DofGiven all = given;
  if (!lens_look) return all;
  for (const LensLook::Value& value : kLensLooks[*lens_look].values)
    if (value.at && !(all.*value.at)) all.*value.at = Amount(value.value);
  return all;
}

DofStyle StyleOptions::style() const {
  DofValues values;
  values.take(all());
  return values.style();
}

void require_heeded(const Command& command, const DofStyle& style) {
  if (style.roundness > 0 && sides_of(style) == 0)
    throw Error(ErrorKind::usage, "--roundness curves the sides of blades; add --blades N");
  if (style.quality != DofQuality::draft) return;
  if (command.given("--lens-look"))
    throw Error(ErrorKind::usage, "--lens-look has no effect with --quality draft");
  for (const DofParam& param : kDofParams)
    if (!param.of_drafts && command.given(fmt::format("--{}", param.name)))
      throw Error(ErrorKind::usage, fmt::format("--{} has no effect with --quality draft", param.name));
}

}  // namespace scanlens
