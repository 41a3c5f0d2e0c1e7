// Many independent scans: the rows, or the columns, of a two-dimensional array.
#pragma once

#include <cstdint>

#include "core/held/scans.h"

namespace scanlens {

/// out(x, y) = in(0, y) op … op in(x, y), for every row; the exclusive scan leaves in(x, y) itself out. Few
/// long rows and many short ones alike.
///
/// Shapes: both views one channel and the same size; any width and height, 0 included; any pitch. A batch of
/// images is the taller view of all their rows. Types and operators: those of SCANLENS_ROW_SCANS. Aliasing:
/// `out` may be `in` itself. Bytes moved: each element is read once and written once. Options: all but
/// `length`; an initial value begins every row, and in reverse each goes from its end.
template <class T, class Op = Sum>
void inclusive_scan_rows(Context& context, ConstView<T> in, View<T> out, Op op = {},
                         const ScanOptions<T>& options = {}) {
  scan_held_rows(context, "inclusive_scan_rows", true, in, out, op, options);
}
template <class T, class Op = Sum>
void exclusive_scan_rows(Context& context, ConstView<T> in, View<T> out, Op op = {},
                         const ScanOptions<T>& options = {}) {
  scan_held_rows(context, "exclusive_scan_rows", false, in, out, op, options);
}

/// out(x, y) = in(x, 0) op … op in(x, y), for every column, without a transpose.
///
/// A batch: `in` and `out` hold `images` arrays of height / images rows each, one beneath the other. The sums
/// start again at the first row of each. The height must divide evenly. All else as above.
template <class T, class Op = Sum>
void inclusive_scan_columns(Context& context, ConstView<T> in, View<T> out, std::int64_t images = 1,
                            Op op = {}, const ScanOptions<T>& options = {}) {
  scan_held_columns(context, "inclusive_scan_columns", true, in, out, images, op, options);
}
template <class T, class Op = Sum>
void exclusive_scan_columns(Context& context, ConstView<T> in, View<T> out, std::int64_t images = 1,
                            Op op = {}, const ScanOptions<T>& options = {}) {
  scan_held_columns(context, "exclusive_scan_columns", false, in, out, images, op, options);
}

/// out[o, i, j] = in[o, 0, j] op … op in[o, i, j], for every o and j, without a transpose: rows where inner
/// is 1, columns where outer is. Made for few inner elements as for many.
///
/// Shapes: arrays of outer * length * inner elements. Axes that are not dense: a pitch is for scan_rows and
/// scan_columns, anything else for pack() (core/strided.h) before. Types and operators: those of
/// SCANLENS_AXIS_SCANS. Options: all but `length`, which only an array of one line takes (core/scan.h).
/// Aliasing: `out` may be `in` itself when the types are the same. Determinism, the bound of float sums with
/// n = length, and bytes moved: as in core/scan.h.
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void inclusive_scan_axis(Context& context, const In& in, Out&& out, Axis axis, Op op = {},
                         const ScanOptions<ElementOf<Out>>& options = {}) {
  scan_held_axis(context, "inclusive_scan_axis", true, elements_of(in), room_of(out), axis, op, options);
}
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void exclusive_scan_axis(Context& context, const In& in, Out&& out, Axis axis, Op op = {},
                         const ScanOptions<ElementOf<Out>>& options = {}) {
  scan_held_axis(context, "exclusive_scan_axis", false, elements_of(in), room_of(out), axis, op, options);
}

}  // namespace scanlens
