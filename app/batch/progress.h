// Shows how far a batch has come: to a person, or to a program.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "app/batch/plan/outcome.h"
#include "app/session/session.h"

namespace scanlens {

enum class ProgressKind {
  terminal,  ///< one line, where stderr is a terminal and nobody asked for quiet
  json,      ///< a JSON object a line on stdout, twice a second and at the end
  none,
};
inline constexpr std::string_view kProgressKindNames[] = {"terminal", "json"};

/// Not safe for use by two threads at once.
class BatchProgress {
 public:
  BatchProgress(const Talk& talk, ProgressKind kind, std::size_t pictures);
  ~BatchProgress();
  BatchProgress(const BatchProgress&) = delete;
  BatchProgress& operator=(const BatchProgress&) = delete;

  /// Shows how many are done, when it is time to.
  void show(const Totals& totals);

  /// Shows the end, to a program.
  void finish(const Totals& totals);

 private:
  using Clock = std::chrono::steady_clock;
  void clear();
  double elapsed() const;
  double rate(const Totals& totals) const;
  void print_json(const Totals& totals, bool finished) const;
  void show_person(const Totals& totals);

  ProgressKind kind_;
  std::size_t pictures_;
  Clock::time_point start_ = Clock::now(), next_;
};

}  // namespace scanlens
