// The end of a wait for another program.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace scanlens {

/// Returns the seconds for which another program may give no sign of life while somebody waits for it: 30, or
/// what the environment's SCANLENS_PATIENCE says.
int most_silence();

/// Counts the seconds of a wait for a program, as long as this program runs itself: a person may stop both.
/// Signs of life are words, bytes of pipes and files, and processor time, also of programs that it started.
class Patience {
 public:
  explicit Patience(pid_t program) : program_(program) {}

  /// Takes a second that has been waited. `passed` grows with all that passes between the two programs.
  /// Returns true when the wait is over: nothing was seen of the program for most_silence(), or nothing
  /// passed for 120 times as long, whatever it does.
  bool is_over(std::uint64_t passed);

  /// Begins anew: nobody waits.
  void reset();

 private:
  pid_t program_;
  std::optional<std::uint64_t> passed_;
  std::uint64_t ticks_ = 0, bytes_ = 0;  ///< of the processor, and moved, by the second before
  int silent_ = 0, seconds_ = 0;
};

/// Returns a program and those that it started, and these, which run.
std::vector<pid_t> family_of(pid_t program);

}  // namespace scanlens
