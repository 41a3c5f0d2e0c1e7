// The running total of a sequential scan on the CPU.
#pragma once

#include "core/operators.h"
#include "core/runtime/compensated_sum.h"

namespace scanlens::cpu {

/// Holds what has been appended so far, combined in order.
template <class T, class Op>
class Running {
 public:
  explicit Running(Op op) : op_(op) {}
  Running(const Running&) = default;
  /// Takes the total only: all that meet hold the same operator, which need not be assignable.
  Running& operator=(const Running& other) {
    total_ = other.total_;
    return *this;
  }
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

template <>
class Running<double, Sum> {
 public:
  explicit Running(Sum) {}
  void append(double value) { total_.add(value); }
  void append(const Running& later) { total_.add(later.total_); }
  double value() const { return total_.rounded(); }

 private:
  CompensatedSum total_;
};

}  // namespace scanlens::cpu
