// Shows how far long work has come.
#pragma once

#include <chrono>
#include <string>

#include "app/session/talk.h"

namespace scanlens {

/// Returns a span of time in words: "20 s", "3 min".
std::string time_text(double seconds);

/// Shows the share that is done and the time that remains, on one line of the terminal that is erased at the
/// end. Nothing is shown in the first second, under --quiet, and where stderr is no terminal.
class Progress {
 public:
  Progress(const Talk& talk, std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Returns true if there is anybody to show it to.
  bool wanted() const { return wanted_; }

  /// Returns true if `show` would show something now.
  bool due() const;

  /// Shows that this share is done, 0 to 1, when it is due.
  void show(double done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool wanted_, shown_ = false;
  Clock::time_point start_ = Clock::now(), next_;
};

}  // namespace scanlens
