// The one exception type of scanlens.
#pragma once

#include <stdexcept>
#include <string>

namespace scanlens {

/// The kind of failure.
enum class ErrorKind {
  failed,  ///< the work could not be done: an unreadable input, an unwritable output
  usage,   ///< the call itself is wrong: mismatched views, a forbidden option
  retry,   ///< may succeed later or elsewhere: out of memory, a lost device
};

/// The message says what failed, on which input, and what to do about it. One sentence or two, no trailing
/// full stop needed, no newline.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, int cuda_code = 0)
      : std::runtime_error(message), kind_(kind), cuda_code_(cuda_code) {}
  explicit Error(const std::string& message) : Error(ErrorKind::failed, message) {}

  ErrorKind kind() const noexcept { return kind_; }
  int cuda_code() const noexcept { return cuda_code_; }  ///< the cudaError_t where a CUDA call failed; else 0

 private:
  ErrorKind kind_;
  int cuda_code_;
};

}  // namespace scanlens
