// Summed-area tables per backend. Called by the checked public functions only, with tables that are not
// empty.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/sat.h"

namespace scanlens {

/// Positions of the entries of tables, interleaved or planar, bordered or not: at(b, x, y, c) is the sum up
/// to pixel (x, y) of image b. Borders have the indices -1.
template <class S>
struct TablePlaces {
  S* origin = nullptr;     ///< of image 0, pixel (0, 0), channel 0; null: not asked for
  std::int64_t pitch = 0;  ///< from a row to the next
  std::int64_t plane = 0;  ///< from a channel to the next: 1 when interleaved
  int step = 1;            ///< from a pixel to the next: the channels when interleaved, else 1
  std::int64_t image = 0;  ///< from an image's table to the next

  SCANLENS_HOST_DEVICE S* row(std::int64_t b, std::int64_t y) const { return origin + b * image + y * pitch; }
  SCANLENS_HOST_DEVICE S& at(std::int64_t b, std::int64_t x, std::int64_t y, int c) const {
    return row(b, y)[x * step + c * plane];
  }
};

enum class Above {
  nothing,
  zeros,  ///< row -1 is to be written, with zeros
  sums,   ///< row -1 holds the table's row before the first, to be read
};

/// All that a call of summed_area_table and its kin asks for.
template <class T, class S>
struct SatTask {
  View<const T> image;  ///< all images, one beneath the other
  std::int64_t images = 1;
  std::int64_t height = 0;  ///< of one image
  int channels = 1;         ///< of the tables: the image's, or 4 for 3, or 1, packed
  bool zeros_left = false;  ///< column -1 is to be written, with zeros
  Above above = Above::nothing;
  TablePlaces<S> table;
  TablePlaces<SquareSum<S>> squares;
  Terms terms;
};

/// The same task for the table of squares alone.
template <class T, class S>
SatTask<T, SquareSum<S>> squares_of(const SatTask<T, S>& task) {
  SatTask<T, SquareSum<S>> squares;
  squares.image = task.image;
  squares.images = task.images;
  squares.height = task.height;
  squares.channels = task.channels;
  squares.zeros_left = task.zeros_left;
  squares.above = task.above;
  squares.table = task.squares;
  squares.terms = task.terms;
  return squares;
}

/// True if terms are looked up. Bytes that are summed as they are in 32 bits cannot be weighed: those that
/// are looked up can.
template <class T, class S>
bool looks_up(const Terms& terms) {
  return terms.lut || (sizeof(T) == 1 && sizeof(S) == 4 && terms.weigh_by_alpha);
}

/// True if `channels` is one of those that a row of SCANLENS_FOR_EACH_TABLE lists.
constexpr bool lists(int list, int channels) {
  for (; list > 0; list /= 10)
    if (list % 10 == channels) return true;
  return false;
}

/// The channels of image and table, known when a call of core/sat_with.h is compiled.
template <int kIn, int kOut>
struct SatChannels {};

// The kinds of tables that the library holds compiled. The CPU's code serves all channels and look-up tables,
// and squares if SquaresInLibrary; CUDA has a kernel for each kind of the list.
namespace cpu {
template <class T, class S>
void summed_area_table(Context& context, const SatTask<T, S>& task);
}
namespace gpu {
template <class T, class S>
void summed_area_table(Context& context, const SatTask<T, S>& task);
/// Makes the table of squares, which is `task.table`.
template <class T, class S>
void table_of_squares(Context& context, const SatTask<T, S>& task);
}  // namespace gpu

}  // namespace scanlens
