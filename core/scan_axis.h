// Many independent scans: the rows, or the columns, of a two-dimensional array.
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

/// The middle axis of a dense array of outer x length x inner elements, in C order: axis k of an array of any
/// rank has the axes before k as its outer, and those behind it as its inner ones.
struct Axis {
  std::int64_t outer = 1;
  std::int64_t length = 0;
  std::int64_t inner = 1;
};

// The scans that the library holds compiled: X(T, Op). int32_t goes by uint32_t where the bits are the same.
#define SCANLENS_ROW_SCANS(X) SCANLENS_UNSIGNED_ROW_SUMS(X) SCANLENS_FLOAT_ROW_SCANS(X)
#define SCANLENS_UNSIGNED_ROW_SUMS(X) X(std::uint32_t, ::scanlens::Sum) X(std::uint64_t, ::scanlens::Sum)
#define SCANLENS_FLOAT_ROW_SCANS(X) \
  X(float, ::scanlens::Sum) X(float, ::scanlens::Max) X(double, ::scanlens::Sum)

// Rows and columns of arrays with a pitch are what pictures are scanned by; all that NumPy and PyTorch scan
// along axes goes by the axis scans: X(name, In, Out, Op), as in core/scan.h.
#define SCANLENS_AXIS_SCANS(X) \
  SCANLENS_SEGMENTED_SCANS(X) SCANLENS_PRODUCT_SCANS(X) SCANLENS_WIDE_SCANS(X) SCANLENS_HALF_SCANS(X)

namespace compiled {
template <class T, class Op>
inline constexpr bool kHoldsRowScan = false;
#define SCANLENS_HOLDS_ROW_SCAN(T, Op) \
  template <>                          \
  inline constexpr bool kHoldsRowScan<T, Op> = true;
SCANLENS_ROW_SCANS(SCANLENS_HOLDS_ROW_SCAN)
#undef SCANLENS_HOLDS_ROW_SCAN
template <class In, class Out, class Op>
inline constexpr bool kHoldsAxisScan = false;
#define SCANLENS_HOLDS_AXIS_SCAN(name, In, Out, Op) \
  template <>                                       \
  inline constexpr bool kHoldsAxisScan<In, Out, Op> = true;
SCANLENS_AXIS_SCANS(SCANLENS_HOLDS_AXIS_SCAN)
#undef SCANLENS_HOLDS_AXIS_SCAN

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
template <class T, class Op>
concept RowScanInLibrary = compiled::kHoldsRowScan<SameBits<T, Op>, Op>;
template <class In, class Out, class Op>
concept AxisScanInLibrary = compiled::kHoldsAxisScan<compiled::ScannedIn<In, Out, Op>, SameBits<Out, Op>, Op>;

/// out(x, y) = in(0, y) op … op in(x, y), for every row. Few long rows and many short ones alike.
///
/// Shapes: both views one channel and the same size; any width and height, 0 included; any pitch. A batch of
/// images is the taller view of all their rows.
/// Types and operators: those of SCANLENS_ROW_SCANS. Integers wrap around.
/// Aliasing: `out` may be `in` itself; any other overlap is an error.
/// Determinism: as in core/scan.h: the same bits every run; integers the same on every backend.
/// Bytes moved: each element is read once and written once.
/// Options: all but `length`; an initial value begins every row, and in reverse each goes from its end.
/// exclusive_scan_rows leaves in(x, y) itself out of out(x, y).
template <class T, class Op = Sum>
void inclusive_scan_rows(Context& context, ConstView<T> in, View<T> out, Op op = {},
                         const ScanOptions<T>& options = {}) {
  static_assert(RowScanInLibrary<T, Op>,
                "inclusive_scan_rows: not of the types and operators that core/scan_axis.h names");
  using As = SameBits<T, Op>;
  compiled::scan_rows<As, Op>(context, "inclusive_scan_rows", true, in.template as<const As>(),
                              out.template as<As>(), op, options_as<As>(options));
}
template <class T, class Op = Sum>
void exclusive_scan_rows(Context& context, ConstView<T> in, View<T> out, Op op = {},
                         const ScanOptions<T>& options = {}) {
  static_assert(RowScanInLibrary<T, Op>,
                "exclusive_scan_rows: not of the types and operators that core/scan_axis.h names");
  using As = SameBits<T, Op>;
  compiled::scan_rows<As, Op>(context, "exclusive_scan_rows", false, in.template as<const As>(),
                              out.template as<As>(), op, options_as<As>(options));
}

/// out(x, y) = in(x, 0) op … op in(x, y), for every column, without a transpose.
///
/// A batch: `in` and `out` hold `images` arrays of height / images rows each, one beneath the other. The sums
/// start again at the first row of each. The height must divide evenly. All else as above.
template <class T, class Op = Sum>
void inclusive_scan_columns(Context& context, ConstView<T> in, View<T> out, std::int64_t images = 1,
                            Op op = {}, const ScanOptions<T>& options = {}) {
  static_assert(RowScanInLibrary<T, Op>,
                "inclusive_scan_columns: not of the types and operators that core/scan_axis.h names");
  using As = SameBits<T, Op>;
  compiled::scan_columns<As, Op>(context, "inclusive_scan_columns", true, in.template as<const As>(),
                                 out.template as<As>(), images, op, options_as<As>(options));
}
template <class T, class Op = Sum>
void exclusive_scan_columns(Context& context, ConstView<T> in, View<T> out, std::int64_t images = 1,
                            Op op = {}, const ScanOptions<T>& options = {}) {
  static_assert(RowScanInLibrary<T, Op>,
                "exclusive_scan_columns: not of the types and operators that core/scan_axis.h names");
  using As = SameBits<T, Op>;
  compiled::scan_columns<As, Op>(context, "exclusive_scan_columns", false, in.template as<const As>(),
                                 out.template as<As>(), images, op, options_as<As>(options));
}

/// out[o, i, j] = in[o, 0, j] op … op in[o, i, j], for every o and j, without a transpose: rows where inner
/// is 1, columns where outer is. Made for few inner elements as for many.
///
/// Shapes: arrays of outer * length * inner elements; any sizes, 0 included. Axes that are not dense: a pitch
/// is for scan_rows and scan_columns, anything else for pack() (core/strided.h) before.
/// Types and operators: those of SCANLENS_AXIS_SCANS. Integers wrap around; Half and BFloat16 are
/// combined in float. Options: all but `length`, which only an array of one line takes (core/scan.h).
/// Aliasing: `out` may be `in` itself when the types are the same; any other overlap is an error.
/// Determinism, the bound of float sums with n = length, and bytes moved: as in core/scan.h.
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void inclusive_scan_axis(Context& context, const In& in, Out&& out, Axis axis, Op op = {},
                         const ScanOptions<ElementOf<Out>>& options = {}) {
  using From = ElementOf<In>;
  using To = ElementOf<Out>;
  static_assert(AxisScanInLibrary<From, To, Op>,
                "inclusive_scan_axis: not of the types and operators that core/scan_axis.h names");
  using As = SameBits<To, Op>;
  compiled::scan_axis(context, "inclusive_scan_axis", true,
                      elements_as<compiled::ScannedIn<From, To, Op>>(elements_of(in)),
                      elements_as<As>(room_of(out)), axis, op, options_as<As>(options));
}
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void exclusive_scan_axis(Context& context, const In& in, Out&& out, Axis axis, Op op = {},
                         const ScanOptions<ElementOf<Out>>& options = {}) {
  using From = ElementOf<In>;
  using To = ElementOf<Out>;
  static_assert(AxisScanInLibrary<From, To, Op>,
                "exclusive_scan_axis: not of the types and operators that core/scan_axis.h names");
  using As = SameBits<To, Op>;
  compiled::scan_axis(context, "exclusive_scan_axis", false,
                      elements_as<compiled::ScannedIn<From, To, Op>>(elements_of(in)),
                      elements_as<As>(room_of(out)), axis, op, options_as<As>(options));
}

}  // namespace scanlens
