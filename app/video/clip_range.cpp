#include "app/video/clip_range.h"

#include <fmt/format.h>

#include "app/options/options.h"
#include "core/error.h"

namespace scanlens {
namespace {

Target moment(std::optional<Moment>& moment) {
  const auto take = [&moment](const std::string& text) {
    moment = parse_moment(text);
    return moment ? std::string() : fmt::format("takes {}, not '{}'", moment_forms(), text);
  };
  return Target(take, [&moment]() -> std::string {
    if (!moment) return "";
    return moment->timed ? fmt::format("{}s", moment->at) : fmt::format("{}", moment->frame());
  });
}

}  // namespace

void ClipRange::add_options(const OptionGroup& group) {
  group.add("--from MOMENT", moment(from),
            "begin here: a frame's number from 0 (48), seconds (2.5s) or a time (1:02.5)");
  group.add("--to MOMENT", moment(to),
            "end here: the last frame, which is part of the clip, or the time at which it ends");
}

void ClipRange::check() const {
  if (!from || !to || from->timed != to->timed) return;
  if (to->at < from->at || (to->timed && to->at == from->at))
    throw Error(ErrorKind::usage, fmt::format("--to {} lies before --from {}; nothing is between them",
                                              to->text(), from->text()));
}

std::optional<std::int64_t> ClipRange::last() const {
  return to && !to->timed ? std::optional(to->frame()) : std::nullopt;
}

}  // namespace scanlens
