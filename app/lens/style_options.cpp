#include "app/lens/style_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/io/format.h"
#include "app/lens/dof_options.h"
#include "app/options/values.h"
#include "core/error.h"

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
  for (const DofParam& param : kDofParams) {
    if (param.group != kLookGroup) continue;
    Option& added = add_dof_option(command, param, given, DofValues(), false);
    if (codec_quality && param.given_at == &DofGiven::quality) take_numbers(added, *codec_quality);
  }
}

DofStyle StyleOptions::style() const {
  DofValues values;
  values.take(given);
  return values.style();
}

void require_heeded(const Command& command, const DofStyle& style) {
  if (style.quality != DofQuality::draft) return;
  for (const DofParam& param : kDofParams)
    if (!param.of_drafts && command.given(fmt::format("--{}", param.name)))
      throw Error(ErrorKind::usage, fmt::format("--{} has no effect with --quality draft", param.name));
}

}  // namespace scanlens
