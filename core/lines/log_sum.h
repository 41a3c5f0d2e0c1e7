// The running log of a sum of exponentials on the CPU.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "core/cpu/running.h"
#include "core/lines/elements.h"
#include "core/runtime/compensated_sum.h"

namespace scanlens::cpu {

/// Holds the sum of exp(value - reference), for a reference near the greatest value so far: one exponential
/// for a value appended, and one logarithm for a result.
template <class T>
class LogSum {
 public:
  /// Appends times * exp(value).
  void append(double value, double times) {
    if (value == -std::numeric_limits<double>::infinity()) return;
    if (!begun_) {
      begun_ = true;
      reference_ = value;
      set(times);
    } else if (!std::isfinite(value) || !std::isfinite(reference_)) {
      reference_ = std::isnan(value) || std::isnan(reference_) ? value + reference_
                                                               : std::numeric_limits<double>::infinity();
    } else if (value - reference_ > kFar) {
      const double before = sum() * std::exp(reference_ - value);
      reference_ = value;
      set(times);
      add(before);
    } else {
      add(times * std::exp(value - reference_));
    }
  }
  void append(const LogSum& later) {
    if (later.begun_) append(later.reference_, later.sum());
  }
  LogTerm<T> value() const {
    if (!begun_) return AddLogTerms::identity<LogTerm<T>>();
    return {static_cast<T>(reference_), static_cast<T>(std::isfinite(reference_) ? sum() : 1)};
  }

 private:
  // Below this distance exp() cannot overflow. A reference is left behind for one so far above that the sum
  // so far, with its roundings, hardly counts.
  static constexpr double kFar = 32;

  // Sums of doubles need more than double.
  using Sum = std::conditional_t<std::is_same_v<T, float>, double, CompensatedSum>;
  double sum() const {
    if constexpr (std::is_same_v<T, float>)
      return sum_;
    else
      return sum_.rounded();
  }
  void add(double value) {
    if constexpr (std::is_same_v<T, float>)
      sum_ += value;
    else
      sum_.add(value);
  }
  void set(double value) {
    sum_ = Sum{};
    add(value);
  }

  double reference_ = 0;
  Sum sum_ = {};
  bool begun_ = false;
};

template <class T>
class Running<LogTerm<T>, AddLogTerms> {
 public:
  explicit Running(AddLogTerms) {}
  void append(const LogTerm<T>& term) { sum_.append(term.most, term.sum); }
  void append(const Running& later) { sum_.append(later.sum_); }
  LogTerm<T> value() const { return sum_.value(); }

 private:
  LogSum<T> sum_;
};

}  // namespace scanlens::cpu
