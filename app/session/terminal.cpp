#include "app/session/terminal.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>

#include "app/io/text.h"

namespace scanlens {
namespace {

std::mutex line_mutex;
bool line_is_shown = false;

void erase_line() {
  if (line_is_shown) std::fputs("\r\033[K", stderr);
  line_is_shown = false;
}

}  // namespace

void print_line(const std::string& line) {
  const std::lock_guard lock(line_mutex);
  erase_line();
  std::fprintf(stderr, "%s\n", printable(line).c_str());
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
    constexpr std::chrono::seconds kBeforeItIsShown{1};
    std::mutex mutex;
    std::condition_variable_any wakes;
    std::unique_lock lock(mutex);
    wakes.wait_for(lock, stop, kBeforeItIsShown, [] { return false; });
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
