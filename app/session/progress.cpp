#include "app/session/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace scanlens {
namespace {

constexpr std::chrono::milliseconds kBeforeTheFirst{1000}, kBetween{200};

}  // namespace

std::string time_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} h", seconds / 3600);
}

Progress::Progress(const Talk& talk, std::string what)
    : what_(std::move(what)), wanted_(talk.shows_progress()), next_(start_ + kBeforeTheFirst) {}

Progress::~Progress() {
  if (shown_) clear_line();
}

bool Progress::due() const {
  return wanted_ && Clock::now() >= next_;
}

void Progress::show(double done) {
  if (!due() || !(done > 0)) return;
  next_ = Clock::now() + kBetween;
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const double share = std::min(done, 1.0);
  show_line(fmt::format("{}: {:.0f} %, {} left", what_, std::floor(100 * share),
                        time_text(elapsed / share - elapsed)));
  shown_ = true;
}

}  // namespace scanlens
