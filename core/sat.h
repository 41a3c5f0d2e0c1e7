// Summed-area tables: a box of any size, summed with four reads.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/array.h"
#include "core/context.h"
#include "core/sat_box.h"
#include "core/view.h"

namespace scanlens {

/// Makes a sample the term that is summed. By default a term is the sample itself.
struct Terms {
  /// For uint8_t and uint16_t samples: one entry for each of the 256 or 65536 values, in memory that the
  /// backend can read (Context::readable). Applied to the colour channels: all of 1- and 3-channel images,
  /// the first three of four.
  const std::uint32_t* lut = nullptr;

  /// For float samples and integer sums: the colour term is min(most, max(0, sample) * scale), rounded to
  /// nearest; NaN becomes 0. `most` is below 2^32.
  float scale = 1;
  float most = 16777215;

  /// Four-channel images: colour terms are multiplied by the alpha sample (floats by alpha_terms(alpha)), so
  /// that sum(colour) / sum(alpha) is the mean colour of what is there. Takes a table of uint64_t, or of
  /// uint32_t for samples of uint8_t.
  bool weigh_by_alpha = false;

  /// Three channels of uint8_t in one of uint64_t: the term of a pixel is red + green * 2^21 + blue * 2^42.
  /// A table takes two thirds of the memory, and a box one read a corner; unpacked() gives its three sums as
  /// long as it has at most kMostPackedPixels. Takes no look-up table.
  bool packed = false;
};

inline constexpr int kPackedBits = 21;
inline constexpr std::int64_t kMostPackedPixels = ((std::int64_t{1} << kPackedBits) - 1) / 255;

/// The sum of channel c over a box, from the box's sum of packed terms.
SCANLENS_HOST_DEVICE inline std::uint32_t unpacked(std::uint64_t box, int c) {
  return static_cast<std::uint32_t>(box >> (c * kPackedBits)) & ((1u << kPackedBits) - 1);
}

/// The term of a float alpha of 0..1 (clipped): 0..65535.
SCANLENS_HOST_DEVICE inline std::uint32_t alpha_term(float alpha) {
  return static_cast<std::uint32_t>((alpha > 0 ? (alpha < 1 ? alpha : 1.f) : 0.f) * 65535.f + 0.5f);
}

/// The type of sums of squares beside sums of type Sum.
template <class Sum>
using SquareSum = std::conditional_t<std::is_floating_point_v<Sum>, double, std::uint64_t>;

/// The kinds of tables that the library holds compiled: X(T, S, summed, looked_up, squared). The numbers list
/// the channels of an image, 134 are 1, 3 and 4, whose samples are summed as they are, through a look-up
/// table, and as squares. The table has as many channels. Bytes weighed by alpha in sums of uint32_t count as
/// looked up; packed terms are held for bytes in sums of uint64_t.
#define SCANLENS_FOR_EACH_TABLE(X)              \
  X(std::uint8_t, std::uint32_t, 134, 134, 0)   \
  X(std::uint8_t, std::uint64_t, 134, 134, 13)  \
  X(std::uint16_t, std::uint32_t, 134, 0, 0)    \
  X(std::uint16_t, std::uint64_t, 134, 134, 13) \
  X(std::uint32_t, std::uint32_t, 1, 0, 0)      \
  X(float, std::uint64_t, 134, 0, 0)            \
  X(float, double, 134, 0, 13)

/// A row of the list; zeros for types that it lacks.
struct TablesHeld {
  int summed = 0, looked_up = 0, squared = 0;
};
template <class T, class S>
inline constexpr TablesHeld kTablesHeld = {};
#define SCANLENS_HOLD(T, S, summed, looked_up, squared) \
  template <>                                           \
  inline constexpr TablesHeld kTablesHeld<T, S> = {summed, looked_up, squared};
SCANLENS_FOR_EACH_TABLE(SCANLENS_HOLD)
#undef SCANLENS_HOLD

/// True of the types of tables, and of tables with squares beside them, that the library holds compiled.
template <class T, class S>
concept TableInLibrary = (kTablesHeld<T, S>.summed != 0);
template <class T, class S>
concept SquaresInLibrary = (kTablesHeld<T, SquareSum<S>>.squared != 0);

/// table(x, y, c) = the sum of terms of image(i, j, c) over i <= x, j <= y; integers modulo 2^32 or 2^64.
///
/// The difference of four entries is exact modulo 2^32. So a box sum below 2^32 (uint32_t) or 2^64 (uint64_t)
/// is exact, however large the image.
///
/// Shapes: the table is either as large as the image (inclusive), or one column and one row larger, as
/// cv::integral has it: then its first row and column are zero and table(x + 1, y + 1) is the sum above.
/// Image channels: 1, 3 or 4, the table's the same; or image 3 and table 4, whose last channel then counts
/// pixels (coverage); or image 3 and table 1, of packed terms. A table of one channel that is 3 or 4 times as
/// high is planar: one channel's rows, then the next one's.
///
/// A batch: `image` holds `images` of equal height one beneath the other, and so does `table` their tables.
///
/// Types: T is uint8_t, uint16_t or float; S is uint32_t or uint64_t, or double for float images. The terms
/// of double are the samples themselves, negative ones, infinities and NaN included; `terms` keeps its
/// default. Or both are uint32_t, without a look-up table. Any pitch; regions of larger images and tables are
/// views like any other.
///
/// The library holds those kinds of tables that SCANLENS_FOR_EACH_TABLE lists. Other types do not compile,
/// other channels are an error (usage) on every backend: core/sat_with.h makes these.
///
/// Aliasing: the views must not overlap; but for uint32_t `table` may be `image` itself.
///
/// Determinism: integers are exact, the same bits on every backend. Sums of doubles are the same bits every
/// run of one backend; an entry is off by at most 2 (w + h) rounding errors of the sum of magnitudes.
///
/// Bytes moved: the image is read once and the table written once.
///
/// Workspace: a few per cent of a table that is large both ways, see summed_area_table_workspace.
///
/// Source: Crow, "Summed-Area Tables for Texture Mapping", 1984; TablePlan names the schedules.
/// core/sat_classic.h is the pipeline of GPU Gems 3.
template <class T, class S>
requires TableInLibrary<T, S>
void summed_area_table(Context& context, View<const T> image, View<S> table, const Terms& terms = {},
                       std::int64_t images = 1);

/// Also squares(x, y, c) = the same of squared terms: what variances take. `squares` has the shape of
/// `table`. The CPU makes both in the same pass; CUDA reads the image once for each.
template <class T, class S>
requires TableInLibrary<T, S> && SquaresInLibrary<T, S>
void summed_area_tables(Context& context, View<const T> image, View<S> table, View<SquareSum<S>> squares,
                        const Terms& terms = {}, std::int64_t images = 1);

/// Goes on with the table of a larger image from one band of rows to the next: `band` are the rows that
/// follow, row 0 of `table` holds the last row of the table so far (zeros before the first band) and is left
/// as it is, rows 1 .. band.height are written. `table` is as wide as the band, or one column wider, which is
/// then zero; planar ones have such a row 0 in each plane. All else as above. Bands of any height give the
/// bits of the whole (doubles but for their rounding).
template <class T, class S>
requires TableInLibrary<T, S>
void continue_summed_area_table(Context& context, View<const T> band, View<S> table, const Terms& terms = {});

/// The schedule that makes a table.
enum class TablePlan {
  bands,     ///< on the CPU: bands of rows that fit a core's cache (core/sat/cpu)
  resident,  ///< on CUDA: tiles that stay in shared memory, for small 8-bit images
             ///< (core/sat/cuda/resident.cuh)
  stripes,   ///< on CUDA: stripes of columns, for wide 8-bit images (core/sat/cuda/stripes.cuh)
  tiles,     ///< on CUDA: tiles that blocks take in turn, for all others (core/sat/cuda/tiles.cuh)
};

/// Says how summed_area_table would make this table, for those who measure. Takes the same arguments and
/// reads no sample.
template <class T, class S>
TablePlan summed_area_table_plan(const Context& context, View<const T> image, View<S> table,
                                 const Terms& terms = {},
                                 std::int64_t images = 1) requires TableInLibrary<T, S>;

/// Bytes of scratch memory, at most, that a context takes and keeps for the table of one image of `width` x
/// `height` pixels, without squares; a GPU older than compute capability 9.0 may take half as much again, one
/// older than 8.0 four times as much.
std::int64_t summed_area_table_workspace(std::int64_t width, std::int64_t height, int channels,
                                         int sum_bytes);

// The same for an image that is not constant.
template <class T, class S>
void summed_area_table(Context& context, View<T> image, View<S> table, const Terms& terms = {},
                       std::int64_t images = 1) {
  static_assert(TableInLibrary<std::remove_const_t<T>, S>,
                "summed_area_table: not of the types that core/sat.h lists; core/sat_with.h takes others");
  summed_area_table<std::remove_const_t<T>, S>(context, View<const T>(image), table, terms, images);
}
template <class T, class S>
void summed_area_tables(Context& context, View<T> image, View<S> table, View<SquareSum<S>> squares,
                        const Terms& terms = {}, std::int64_t images = 1) {
  static_assert(TableInLibrary<std::remove_const_t<T>, S> && SquaresInLibrary<std::remove_const_t<T>, S>,
                "summed_area_tables: not of the types that core/sat.h lists; core/sat_with.h takes others");
  summed_area_tables<std::remove_const_t<T>, S>(context, View<const T>(image), table, squares, terms, images);
}
template <class T, class S>
void continue_summed_area_table(Context& context, View<T> band, View<S> table, const Terms& terms = {}) {
  static_assert(
      TableInLibrary<std::remove_const_t<T>, S>,
      "continue_summed_area_table: not of the types that core/sat.h lists; core/sat_with.h takes others");
  continue_summed_area_table<std::remove_const_t<T>, S>(context, View<const T>(band), table, terms);
}

}  // namespace scanlens
