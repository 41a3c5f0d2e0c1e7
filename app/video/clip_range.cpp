#include "app/video/clip_range.h"

#include <fmt/format.h>

#include "app/options/options.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// A moment that other options may share: it is this one's if is_own(), and taken() is called with it.
template <class IsOwn, class Taken>
Target into_moment(std::optional<Moment>& moment, const IsOwn& is_own, const Taken& taken) {
  return {[&moment, taken](const std::string& text) {
            moment = parse_moment(text);
            taken();
            return moment ? std::string() : fmt::format("takes {}, not '{}'", moment_forms(), text);
          },
          [&moment, is_own]() -> std::string {
            if (!moment || !is_own()) return "";
            return moment->timed ? fmt::format("{}s", moment->at) : fmt::format("{}", moment->frame());
          }};
}

}  // namespace

void ClipRange::add_options(const OptionGroup& group) {
  group.add("--from MOMENT",
            into_moment(
                from, [this] { return !one; }, [] {}),
            "begin here: a frame's number from 0 (48), seconds (2.5s) or a time (1:02.5)");
  group.add("--to MOMENT",
            into_moment(
                to, [] { return true; }, [] {}),
            "end here: the last frame, which is part of the clip, or the time at which it ends");
}

void ClipRange::add_frame(Command& command, const OptionGroup& group) {
  const Target frame = into_moment(
      from, [this] { return one; }, [this] { one = true; });
  group.add("--frame MOMENT", frame, "make one frame of a clip, as a picture")
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
