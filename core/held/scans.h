// Scans as the library holds them compiled.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "core/array.h"
#include "core/context.h"
#include "core/operators.h"
#include "core/scan_kinds.h"
#include "core/view.h"

namespace scanlens {

/// The options of the same scan by integers of another sign.
template <class As, class T>
ScanOptions<As> options_as(const ScanOptions<T>& options) {
  if constexpr (std::is_same_v<As, T>) {
    return options;
  } else {
    ScanOptions<As> same;
    if (options.initial) same.initial = static_cast<As>(*options.initial);
    same.initial_at = reinterpret_cast<const As*>(options.initial_at);
    same.length = options.length;
    same.reverse = options.reverse;
    return same;
  }
}

namespace compiled {

template <class In, class Out, class Op>
inline constexpr bool kHoldsScan = false;
template <class T, class Op>
inline constexpr bool kHoldsSegmentedScan = false;
template <class T, class Op>
inline constexpr bool kHoldsRowScan = false;
template <class In, class Out, class Op>
inline constexpr bool kHoldsAxisScan = false;
#define SCANLENS_HOLDS_SCAN(name, In, Out, Op) \
  template <>                                  \
  inline constexpr bool kHoldsScan<In, Out, Op> = true;
SCANLENS_SCANS(SCANLENS_HOLDS_SCAN)
#undef SCANLENS_HOLDS_SCAN
#define SCANLENS_HOLDS_SEGMENTED_SCAN(name, In, Out, Op) \
  template <>                                            \
  inline constexpr bool kHoldsSegmentedScan<Out, Op> = true;
SCANLENS_SEGMENTED_SCANS(SCANLENS_HOLDS_SEGMENTED_SCAN)
#undef SCANLENS_HOLDS_SEGMENTED_SCAN
#define SCANLENS_HOLDS_ROW_SCAN(T, Op) \
  template <>                          \
  inline constexpr bool kHoldsRowScan<T, Op> = true;
SCANLENS_ROW_SCANS(SCANLENS_HOLDS_ROW_SCAN)
#undef SCANLENS_HOLDS_ROW_SCAN
#define SCANLENS_HOLDS_AXIS_SCAN(name, In, Out, Op) \
  template <>                                       \
  inline constexpr bool kHoldsAxisScan<In, Out, Op> = true;
SCANLENS_AXIS_SCANS(SCANLENS_HOLDS_AXIS_SCAN)
#undef SCANLENS_HOLDS_AXIS_SCAN

/// The types by which a scan is compiled.
template <class In, class Out, class Op>
using ScannedIn = std::conditional_t<std::is_same_v<In, Out>, SameBits<Out, Op>, In>;

template <class In, class Out, class Op>
void scan(Context& context, const char* call, bool inclusive, std::span<const In> in, std::span<Out> out,
          Op op, const ScanOptions<Out>& options);
template <class T, class Op>
void segmented_scan(Context& context, const char* call, bool inclusive, std::span<const T> in,
                    std::span<const std::uint8_t> heads, std::span<T> out, Op op,
                    const ScanOptions<T>& options);
template <class T, class Op>
void scan_rows(Context& context, const char* call, bool inclusive, View<const T> in, View<T> out, Op op,
               const ScanOptions<T>& options);
template <class T, class Op>
void scan_columns(Context& context, const char* call, bool inclusive, View<const T> in, View<T> out,
                  std::int64_t images, Op op, const ScanOptions<T>& options);
template <class In, class Out, class Op>
void scan_axis(Context& context, const char* call, bool inclusive, std::span<const In> in, std::span<Out> out,
               const Axis& axis, Op op, const ScanOptions<Out>& options);

}  // namespace compiled

/// True of the types and operators that the library holds the scans compiled for.
template <class In, class Out, class Op>
concept ScanInLibrary = compiled::kHoldsScan<compiled::ScannedIn<In, Out, Op>, SameBits<Out, Op>, Op>;
template <class T, class Op>
concept SegmentedScanInLibrary = compiled::kHoldsSegmentedScan<SameBits<T, Op>, Op>;
template <class T, class Op>
concept RowScanInLibrary = compiled::kHoldsRowScan<SameBits<T, Op>, Op>;
template <class In, class Out, class Op>
concept AxisScanInLibrary = compiled::kHoldsAxisScan<compiled::ScannedIn<In, Out, Op>, SameBits<Out, Op>, Op>;

template <class T, class Op>
void scan_held_rows(Context& context, const char* call, bool inclusive, View<const T> in, View<T> out, Op op,
                    const ScanOptions<T>& options) {
  static_assert(RowScanInLibrary<T, Op>,
                "scan_rows, scan_columns: not of the types and operators of SCANLENS_ROW_SCANS");
  using As = SameBits<T, Op>;
  compiled::scan_rows<As, Op>(context, call, inclusive, in.template as<const As>(), out.template as<As>(), op,
                              options_as<As>(options));
}
template <class T, class Op>
void scan_held_columns(Context& context, const char* call, bool inclusive, View<const T> in, View<T> out,
                       std::int64_t images, Op op, const ScanOptions<T>& options) {
  static_assert(RowScanInLibrary<T, Op>,
                "scan_rows, scan_columns: not of the types and operators of SCANLENS_ROW_SCANS");
  using As = SameBits<T, Op>;
  compiled::scan_columns<As, Op>(context, call, inclusive, in.template as<const As>(), out.template as<As>(),
                                 images, op, options_as<As>(options));
}
template <class In, class Out, class Op>
void scan_held_axis(Context& context, const char* call, bool inclusive, std::span<const In> in,
                    std::span<Out> out, const Axis& axis, Op op, const ScanOptions<Out>& options) {
  static_assert(AxisScanInLibrary<In, Out, Op>,
                "scan_axis: not of the types and operators of SCANLENS_AXIS_SCANS");
  using As = SameBits<Out, Op>;
  compiled::scan_axis(context, call, inclusive, elements_as<compiled::ScannedIn<In, Out, Op>>(in),
                      elements_as<As>(out), axis, op, options_as<As>(options));
}

}  // namespace scanlens
