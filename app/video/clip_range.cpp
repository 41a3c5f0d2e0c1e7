#include "app/video/clip_range.h"

#include <fmt/format.h>

#include "app/options/options.h"
#include "core/error.h"

namespace scanlens {
namespace {

Target into_moment(std::optional<Moment>& moment) {
  return [&moment](const std::string& text) {
    moment = parse_moment(text);
    return moment ? std::string() : fmt::format("takes {}, not '{}'", moment_forms(), text);
  };
}

}  // namespace

void ClipRange::add_options(const OptionGroup& group) {
  group.add("--from MOMENT", into_moment(from),
            "begin here: a frame's number from 0 (48), seconds (2.5s) or a time (1:02.5)");
  group.add("--to MOMENT", into_moment(to),
            "end here: the last frame, which is part of the clip, or the time at which it ends");
}

void ClipRange::add_frame(Command& command, const OptionGroup& group) {
  const auto take = [this, take = into_moment(from)](const std::string& text) {
    one = true;
    return take(text);
  };
  group.add("--frame MOMENT", take, "make one frame of a clip, as a picture")
      .excludes(command.at("--from"))
      .excludes(command.at("--to"));
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
