// Summed-area tables: a box of any size, summed with four reads.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/view.h"

namespace scanlens {

/// How a sample becomes the term that is summed. By default a term is the sample itself.
struct Terms {
  /// For uint8_t and uint16_t samples: one entry for each of the 256 or 65536 values, in memory that the
  /// backend can read (Context::resident). Applied to the colour channels: all of 1- and 3-channel images,
  /// the first three of four.
  const std::uint32_t* lut = nullptr;

  /// For float samples: the colour term is min(most, max(0, sample) * scale), rounded to nearest; NaN becomes
  /// 0.
  float scale = 1;
  float most = 16777215;

  /// Four-channel images: colour terms are multiplied by the alpha sample (floats by alpha_terms(alpha)), so
  /// that sum(colour) / sum(alpha) is the mean colour of what is there. Takes a table of uint64_t.
  bool weigh_by_alpha = false;
};

/// The term of a float alpha of 0..1 (clipped): 0..65535.
SCANLENS_HOST_DEVICE inline std::uint32_t alpha_term(float alpha) {
  return static_cast<std::uint32_t>((alpha > 0 ? (alpha < 1 ? alpha : 1.f) : 0.f) * 65535.f + 0.5f);
}

/// table(x, y, c) = the sum of terms of image(i, j, c) over i <= x, j <= y, modulo 2^32 or 2^64.
///
/// Since the difference of four entries is exact modulo 2^32, a box sum is exact as long as the sum over that
/// box is below 2^32 (uint32_t) or 2^64 (uint64_t), however large the image.
///
/// Shapes: the table is either as large as the image (inclusive), or one column and one row larger, as
/// cv::integral has it: then its first row and column are zero and table(x + 1, y + 1) is the sum above.
/// Image channels: 1, 3 or 4, the table's the same; or image 3 and table 4, whose last channel then counts
/// pixels (coverage). Types: T is uint8_t, uint16_t or float; Sum is uint32_t or uint64_t. Any pitch.
/// Aliasing: the views must not overlap.
/// Determinism: exact integers; the same bits on every backend.
/// Source: Crow, "Summed-Area Tables for Texture Mapping", 1984; GPU Gems 3, section 39.3.2: de-interleave
/// the channels, scan the rows, transpose, scan the rows again, interleave.
template <class T, class Sum>
void summed_area_table(Context& context, View<const T> image, View<Sum> table, const Terms& terms = {});

/// Scratch memory that `summed_area_table` takes from the context.
std::int64_t summed_area_table_workspace(std::int64_t width, std::int64_t height, int channels,
                                         int sum_bytes);

/// The sum over columns x0 .. x1 and rows y0 .. y1, both inclusive, read from an inclusive table. The box
/// must lie inside.
template <class Sum>
SCANLENS_HOST_DEVICE Sum box_sum(const View<const Sum>& table, std::int64_t x0, std::int64_t y0,
                                 std::int64_t x1, std::int64_t y1, int c) {
  const Sum above = y0 > 0 ? table(x1, y0 - 1, c) : Sum{0};
  const Sum left = x0 > 0 ? table(x0 - 1, y1, c) : Sum{0};
  const Sum corner = x0 > 0 && y0 > 0 ? table(x0 - 1, y0 - 1, c) : Sum{0};
  return table(x1, y1, c) - above - left + corner;
}

}  // namespace scanlens
