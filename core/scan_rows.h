// Many independent scans: the rows, or the columns, of a two-dimensional array.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/array.h"
#include "core/context.h"
#include "core/operators.h"
#include "core/view.h"

namespace scanlens {

/// out(x, y) = in(0, y) op … op in(x, y), for every row. Few long rows and many short ones alike.
///
/// Shapes: both views one channel and the same size; any width and height, 0 included; any pitch. A batch of
/// images is the taller view of all their rows.
/// Types and operators: those of SCANLENS_ROW_SCANS, below. Integers wrap around.
/// Aliasing: `out` may be `in` itself; any other overlap is an error.
/// Determinism: as in core/scan.h: the same bits every run; integers the same on every backend.
/// Bytes moved: each element is read once and written once.
template <class T, class Op = Sum>
void scan_rows(Context& context, View<const T> in, View<T> out, Op op = {});

/// out(x, y) = in(x, 0) op … op in(x, y), for every column, without a transpose.
///
/// A batch: `in` and `out` hold `images` arrays of height / images rows each, one beneath the other, and the
/// sums begin afresh at the first row of each. The height must divide evenly. All else as above.
template <class T, class Op = Sum>
void scan_columns(Context& context, View<const T> in, View<T> out, std::int64_t images = 1, Op op = {});

// The same for an input that is not constant.
template <class T, class Op = Sum>
requires(!std::is_const_v<T>) void scan_rows(Context& context, View<T> in, View<T> out, Op op = {}) {
  scan_rows<T, Op>(context, View<const T>(in), out, op);
}
template <class T, class Op = Sum>
requires(!std::is_const_v<T>) void scan_columns(Context& context, View<T> in, View<T> out,
                                                std::int64_t images = 1, Op op = {}) {
  scan_columns<T, Op>(context, View<const T>(in), out, images, op);
}

// The scans that the library holds compiled: X(T, Op). int32_t goes by uint32_t where the bits are the same.
#define SCANLENS_ROW_SCANS(X) SCANLENS_UNSIGNED_ROW_SUMS(X) SCANLENS_FLOAT_ROW_SCANS(X)
#define SCANLENS_UNSIGNED_ROW_SUMS(X) X(std::uint32_t, ::scanlens::Sum) X(std::uint64_t, ::scanlens::Sum)
#define SCANLENS_FLOAT_ROW_SCANS(X) \
  X(float, ::scanlens::Sum) X(float, ::scanlens::Max) X(double, ::scanlens::Sum)

namespace compiled {
template <class T, class Op>
inline constexpr bool kHoldsRowScan = false;
#define SCANLENS_HOLDS_ROW_SCAN(T, Op) \
  template <>                          \
  inline constexpr bool kHoldsRowScan<T, Op> = true;
SCANLENS_ROW_SCANS(SCANLENS_HOLDS_ROW_SCAN)
#undef SCANLENS_HOLDS_ROW_SCAN
template <class T, class Op>
void scan_rows(Context& context, View<const T> in, View<T> out, Op op);
template <class T, class Op>
void scan_columns(Context& context, View<const T> in, View<T> out, std::int64_t images, Op op);
}  // namespace compiled

/// True if the library holds the scans compiled.
template <class T, class Op>
inline constexpr bool kRowScanInLibrary = compiled::kHoldsRowScan<SameBits<T, Op>, Op>;

template <class T, class Op>
void scan_rows(Context& context, View<const T> in, View<T> out, Op op) {
  static_assert(kRowScanInLibrary<T, Op>,
                "scan_rows: not of the types and operators that core/scan_rows.h names");
  using As = SameBits<T, Op>;
  compiled::scan_rows(context, in.template as<const As>(), out.template as<As>(), op);
}
template <class T, class Op>
void scan_columns(Context& context, View<const T> in, View<T> out, std::int64_t images, Op op) {
  static_assert(kRowScanInLibrary<T, Op>,
                "scan_columns: not of the types and operators that core/scan_rows.h names");
  using As = SameBits<T, Op>;
  compiled::scan_columns(context, in.template as<const As>(), out.template as<As>(), images, op);
}

}  // namespace scanlens
