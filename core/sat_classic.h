// The summed-area table as GPU Gems 3 builds it, to read and to compare: one step, one call.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/sat.h"
#include "core/view.h"

namespace scanlens {

/// True of the types of tables that the library holds compiled.
template <class T, class S>
concept ClassicTableInLibrary =
    kOneOf<T, std::uint8_t, std::uint16_t, float> && kOneOf<S, std::uint32_t, std::uint64_t>;

/// As summed_area_table (core/sat.h) for one image, interleaved tables and integer sums. T is uint8_t,
/// uint16_t or float, S uint32_t or uint64_t; images of 1, 3 or 4 channels, or of 3 into tables of 4.
///
/// Bytes moved: the planes of all channels are written three times and read three times between the image and
/// the table.
/// Workspace: two such sets of planes.
/// Source: GPU Gems 3, section 39.3.2: de-interleave the channels, scan the rows, transpose, scan the rows
/// again, interleave.
template <class T, class S>
requires ClassicTableInLibrary<T, S>
void classic_summed_area_table(Context& context, View<const T> image, View<S> table, const Terms& terms = {});
template <class T, class S>
void classic_summed_area_table(Context& context, View<T> image, View<S> table, const Terms& terms = {}) {
  static_assert(ClassicTableInLibrary<std::remove_const_t<T>, S>,
                "classic_summed_area_table: not of the types that core/sat_classic.h names");
  classic_summed_area_table<std::remove_const_t<T>, S>(context, View<const T>(image), table, terms);
}

/// Scratch memory that `classic_summed_area_table` takes from the context.
std::int64_t classic_summed_area_table_workspace(std::int64_t width, std::int64_t height, int channels,
                                                 int sum_bytes);

}  // namespace scanlens
