#include "app/session/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <utility>

#include "app/io/text.h"

namespace scanlens {
namespace {

std::mutex line_mutex;
bool line_is_shown = false;

void erase_line() {
  if (line_is_shown) std::fputs("\r\033[K", stderr);
  line_is_shown = false;
}

/// Returns true if colours are shown: on a terminal, unless NO_COLOR (no-color.org) is set.
bool shows_colors() {
  const char* none = std::getenv("NO_COLOR");
  return is_terminal() && !(none && *none);
}

}  // namespace

bool is_terminal() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal && std::string_view(terminal) != "dumb";
}

void print_line(const std::string& line) {
  constexpr std::pair<std::string_view, const char*> kColored[] = {{"scanlens: warning: ", "\033[1;33m"},
                                                                   {"scanlens: ", "\033[1;31m"}};
  std::string text = printable(line);
  if (shows_colors())
    for (const auto& [beginning, color] : kColored)
      if (text.starts_with(beginning)) {
        text.insert(beginning.size() - 1, "\033[0m").insert(0, color);
        break;
      }
  const std::lock_guard lock(line_mutex);
  erase_line();
  std::fprintf(stderr, "%s\n", text.c_str());
}

void show_line(const std::string& line) {
  const std::lock_guard lock(line_mutex);
  std::fprintf(stderr, "\r\033[K%s", printable(line).c_str());
  line_is_shown = true;
}

void clear_line() {
  const std::lock_guard lock(line_mutex);
  erase_line();
}

LongWork::LongWork(const std::string& name, bool wanted) {
  if (!wanted) return;
  waits_ = std::jthread([name](const std::stop_token& stop) {
    using Clock = std::chrono::steady_clock;
    static const Clock::time_point first_work = Clock::now();
    constexpr std::chrono::seconds kBeforeAnythingIsShown{1};
    constexpr std::chrono::milliseconds kBeforeItIsShown{100};
    std::mutex mutex;
    std::condition_variable_any wakes;
    std::unique_lock lock(mutex);
    wakes.wait_until(lock, stop,
                     std::max(first_work + kBeforeAnythingIsShown, Clock::now() + kBeforeItIsShown),
                     [] { return false; });
    if (!stop.stop_requested()) show_line(name + " ...");
  });
}

LongWork::~LongWork() {
  if (!waits_.joinable()) return;
  waits_.request_stop();
  waits_.join();
  clear_line();
}

}  // namespace scanlens
