// A shell's line that runs while the window goes on.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "app/io/patience.h"

namespace scanlens {

/// Runs a shell's line while the viewer goes on.
class BackgroundCommand {
 public:
  BackgroundCommand() = default;
  ~BackgroundCommand();
  BackgroundCommand(const BackgroundCommand&) = delete;
  BackgroundCommand& operator=(const BackgroundCommand&) = delete;

  /// Starts a command, after the one before has ended. Throws Error if it cannot be started.
  void start(const std::string& line);
  bool running() const { return process_ > 0; }
  /// Returns how far the command is, in its own words: "clip: 42 %, 8 s left"; "" where it does not say.
  std::string progress() const;
  /// Lets the command, and all that it has started, end without a file.
  void cancel();
  bool is_cancelled() const { return cancelled_; }

  struct Ended {
    bool well;
    std::string said;  ///< its last line
  };
  /// Returns how it ended, once. Ends it where it gives no sign of life.
  std::optional<Ended> poll();
  /// Waits for its end.
  Ended wait();

 private:
  void read_some();
  Ended ended(int status);
  Ended give_up();

  int process_ = 0, output_ = -1;
  std::uint64_t heard_ = 0;  ///< bytes
  std::string said_;
  bool cancelled_ = false;
  Patience patience_{0};
  std::chrono::steady_clock::time_point second_ = {};  ///< when that has counted the last one
};

}  // namespace scanlens
