// The one exception type of scanlens.
#pragma once

#include <stdexcept>
#include <string>

namespace scanlens {

/// What kind of failure it is; decides the exit code of the program.
enum class ErrorKind {
  failed,  ///< the work could not be done: an unreadable input, an unwritable output (exit code 1)
  usage,   ///< the call itself is wrong: mismatched views, a forbidden option (exit code 2)
  retry,   ///< may succeed later or elsewhere: out of memory, a lost device (exit code 75)
};

/// The message says what failed, on which input, and what to do about it. One sentence or two, no trailing
/// full stop needed, no newline.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  explicit Error(const std::string& message) : Error(ErrorKind::failed, message) {}

  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace scanlens
