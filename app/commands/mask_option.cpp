#include "app/commands/mask_option.h"

#include <fmt/format.h>

#include "app/filtering/filter_maps.h"
#include "app/options/options.h"

namespace scanlens {

void MaskOption::add_option(Command& command) {
  command.add("--mask FILE", &file, "picture of the same size that mask stands for in --where");
}

void MaskOption::refuse_idle(const Command& command, const Selection& selection, bool takes_depth) const {
  if (!takes_depth) refuse_options(command, {Group::depth}, "has no effect without --depth");
  if (!selection.asks_for(Quantity::coc))
    refuse_options(command, {Group::lens}, "has no effect without coc in --where");
  const bool asks = selection.asks_for(Quantity::mask);
  if (!asks && !file.empty()) throw Error(ErrorKind::usage, "--mask has no effect without mask in --where");
  if (asks && file.empty())
    throw Error(ErrorKind::usage, "--where uses mask, but no picture is given; name it with --mask FILE");
}

Image<float> MaskOption::read(const Selection& selection, const Picture& picture, Talk& talk) const {
  if (!selection.asks_for(Quantity::mask)) return {};
  const Picture read = talk.timed("decode", [&] { return read_picture(file, talk.settings.limits()); });
  talk.report(file.string(), read.remarks);
  if (read.width() != picture.width() || read.height() != picture.height())
    throw Error(fmt::format("{}: the mask is of {} x {} pixels, the picture of {} x {}", file.string(),
                            read.width(), read.height(), picture.width(), picture.height()));
  return mask_of(read);
}

}  // namespace scanlens
