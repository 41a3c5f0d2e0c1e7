#include "app/batch/progress.h"

#include <fmt/format.h>

#include <cstdio>

#include "app/io/json.h"
#include "app/session/progress.h"
#include "app/session/terminal.h"

namespace scanlens {
namespace {

constexpr std::chrono::milliseconds kBetweenLines{200}, kBetweenObjects{500};

}  // namespace

BatchProgress::BatchProgress(const Talk& talk, ProgressKind kind, std::size_t pictures)
    : kind_(kind == ProgressKind::terminal && !talk.shows_progress() ? ProgressKind::none : kind),
      pictures_(pictures),
      next_(start_ + kBetweenObjects) {}

BatchProgress::~BatchProgress() {
  clear();
}

double BatchProgress::elapsed() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

/// Pictures a second, of those that were worked on: skipping takes no time worth the name.
double BatchProgress::rate(const Totals& totals) const {
  const double seconds = elapsed();
  return seconds > 0 ? static_cast<double>(totals.done() - totals.skipped) / seconds : 0;
}

void BatchProgress::show(const Totals& totals) {
  if (kind_ == ProgressKind::none || Clock::now() < next_) return;
  next_ = Clock::now() + (kind_ == ProgressKind::json ? kBetweenObjects : kBetweenLines);
  kind_ == ProgressKind::json ? print_json(totals, false) : show_person(totals);
}

void BatchProgress::finish(const Totals& totals) {
  clear();
  if (kind_ == ProgressKind::json) print_json(totals, true);
}

void BatchProgress::clear() {
  if (kind_ == ProgressKind::terminal) clear_line();
}

void BatchProgress::print_json(const Totals& totals, bool finished) const {
  const double speed = rate(totals);
  Json line = {{"done", totals.done()},         {"total", pictures_},
               {"written", totals.written},     {"measured", totals.measured},
               {"skipped", totals.skipped},     {"failed", totals.failed},
               {"retry", totals.retry},         {"seconds", elapsed()},
               {"pictures_per_second", speed},  {"bytes_in", totals.bytes_in},
               {"bytes_out", totals.bytes_out}, {"finished", finished}};
  line["seconds_left"] = speed > 0 ? Json(static_cast<double>(pictures_ - totals.done()) / speed) : Json();
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

void BatchProgress::show_person(const Totals& totals) {
  const double speed = rate(totals);
  std::string line = fmt::format("{} of {} pictures", totals.done(), pictures_);
  if (speed > 0)
    line += fmt::format(", {:.3g} per second, {} left", speed,
                        time_text(static_cast<double>(pictures_ - totals.done()) / speed));
  if (totals.failed + totals.retry > 0) line += fmt::format(", {} failed", totals.failed + totals.retry);
  show_line(line);
}

}  // namespace scanlens
