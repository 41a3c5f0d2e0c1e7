// The row scans as core/scan_axis.h promises them, for the sources that hold them compiled.
#pragma once

#include "core/rows/cpu.h"
#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"
#include "core/scan/checks.h"
#include "core/scan_axis.h"

namespace scanlens {

template <class T>
bool same_view(const View<const T>& in, const View<T>& out) {
  return in.data == out.data && (in.pitch == out.pitch || in.height <= 1);
}

template <class T>
void require_rows(const char* call, const View<const T>& in, const View<T>& out) {
  require_valid(in, call, "in");
  require_valid(out, call, "out");
  SCANLENS_REQUIRE(in.channels == 1 && out.channels == 1,
                   fmt::format("{}: the views must have one channel", call));
  SCANLENS_REQUIRE(same_size(in, out),
                   fmt::format("{}: `in` is {} but `out` is {}", call, shape(in), shape(out)));
  SCANLENS_REQUIRE(same_view(in, out) || !overlap(in, out),
                   fmt::format("{}: `in` and `out` overlap without being the same view", call));
}

/// Initial values must lie outside of `out`: they are read while results are written.
template <class T>
void require_row_options(const char* call, const ScanOptions<T>& options, const View<T>& out) {
  const std::span<const T> all(out.data, static_cast<std::size_t>(out.extent()));
  require_options(call, options, {"out", all}, Refused::length);
}

/// Requires an axis of the array `name`, which has `count` elements.
inline void require_axis(const char* call, const Axis& axis, std::int64_t count, const char* name = "in") {
  SCANLENS_REQUIRE(axis.outer >= 0 && axis.length >= 0 && axis.inner >= 0,
                   fmt::format("{}: an axis of {} x {} x {} elements is not possible", call, axis.outer,
                               axis.length, axis.inner));
  std::int64_t elements = 0;
  const bool too_many = __builtin_mul_overflow(axis.outer, axis.length, &elements) ||
                        __builtin_mul_overflow(elements, axis.inner, &elements);
  SCANLENS_REQUIRE(!too_many, fmt::format("{}: {} x {} x {} elements are beyond what an address can hold",
                                          call, axis.outer, axis.length, axis.inner));
  SCANLENS_REQUIRE(elements == count, fmt::format("{}: `{}` has {} elements, but its axes {} x {} x {}", call,
                                                  name, count, axis.outer, axis.length, axis.inner));
}

template <class T, class Op>
void compiled::scan_rows(Context& context, const char* call, bool inclusive, View<const T> in, View<T> out,
                         Op op, const ScanOptions<T>& options) {
  require_rows(call, in, out);
  require_row_options(call, options, out);
  if (in.empty()) return;
  SCANLENS_DISPATCH(context, scan_rows, in, out, scan_form<Op>(inclusive, options), op);
}

/// Compiles the call, and its work on the CPU.
#define SCANLENS_INSTANTIATE_ROWS(T, Op)                                                     \
  template void compiled::scan_rows(Context&, const char*, bool, View<const T>, View<T>, Op, \
                                    const ScanOptions<T>&);                                  \
  template void cpu::scan_rows(Context&, View<const T>, View<T>, const ScanForm<T>&, Op);

}  // namespace scanlens
