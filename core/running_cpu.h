// The running total of a sequential scan on the CPU.
#pragma once

#include "core/operators.h"

namespace scanlens::cpu {

/// What has been appended so far, combined in order.
template <class T, class Op>
class Running {
 public:
  explicit Running(Op op) : op_(op) {}
  void append(T value) { total_ = op_(total_, value); }
  void append(const Running& later) { append(later.total_); }
  T value() const { return total_; }

 private:
  T total_ = Op::template identity<T>();
  [[no_unique_address]] Op op_;
};

// Sums of floats run at twice their precision. A prefix is then off by a few roundings, however long the
// array, and the bound of core/scan.h holds without a tree of partial sums.

template <>
class Running<float, Sum> {
 public:
  explicit Running(Sum) {}
  void append(double value) { total_ += value; }
  void append(const Running& later) { total_ += later.total_; }
  float value() const { return static_cast<float>(total_); }

 private:
  double total_ = 0;
};

/// The sum, and beside it what its roundings lost. Only the first of the two chains of additions has to be
/// waited for, so that this takes no longer than the plain sum. Source: Ogita, Rump and Oishi, "Accurate Sum
/// and Dot Product", 2005, algorithm 4.4 (Sum2).
template <>
class Running<double, Sum> {
 public:
  explicit Running(Sum) {}
  void append(double value) {
    const double sum = total_ + value;
    const double added = sum - total_;
    lost_ += (total_ - (sum - added)) + (value - added);
    total_ = sum;
  }
  void append(const Running& later) {
    append(later.total_);
    lost_ += later.lost_;
  }
  /// Of an infinite sum nothing is lost: inf - inf is no number.
  double value() const { return lost_ == lost_ ? total_ + lost_ : total_; }

 private:
  double total_ = 0;
  double lost_ = 0;
};

}  // namespace scanlens::cpu
