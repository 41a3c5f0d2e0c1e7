// Says things in the window for a few seconds, failures among them.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace scanlens {

struct Notice {
  std::string text;
  bool warning = false;
  double seconds_left = 6;
};

class Notices {
 public:
  const std::deque<Notice>& shown() const { return shown_; }
  void say(std::string text);
  /// A failure that repeats in every frame is shown once.
  void complain(std::string text);
  void pass(double seconds) {
    for (Notice& notice : shown_) notice.seconds_left -= seconds;
    std::erase_if(shown_, [](const Notice& notice) { return notice.seconds_left <= 0; });
  }
  /// Does work that a person asks for. A failure is shown in the window. Returns true if there was none.
  bool try_to(const std::function<void()>& work) {
    try {
      work();
      return true;
    } catch (const std::exception& error) {
      failure_ = std::current_exception();
      complain(error.what());
      return false;
    }
  }
  /// Throws the last failure. For callers whose notices nobody sees.
  void rethrow_failure() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  std::deque<Notice> shown_;
  std::exception_ptr failure_;
};

}  // namespace scanlens
