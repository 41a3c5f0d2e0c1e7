// Summed-area tables per backend. Called by the checked public functions only, with tables that are not
// empty.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/sat.h"

namespace scanlens {

/// Where the entries of tables lie, interleaved or planar, bordered or not: at(b, x, y, c) is the sum up to
/// pixel (x, y) of image b. Borders have the indices -1.
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

namespace cpu {
template <class T, class S>
void summed_area_table(Context& context, const SatTask<T, S>& task);
}
namespace gpu {
template <class T, class S>
void summed_area_table(Context& context, const SatTask<T, S>& task);
}

/// The tables that the library holds ready compiled, for both backends: X(T, S) for each.
#define SCANLENS_FOR_EACH_TABLE(X) \
  X(std::uint8_t, std::uint32_t)   \
  X(std::uint8_t, std::uint64_t)   \
  X(std::uint16_t, std::uint32_t)  \
  X(std::uint16_t, std::uint64_t)  \
  X(std::uint32_t, std::uint32_t)  \
  X(float, std::uint32_t)          \
  X(float, std::uint64_t)          \
  X(float, double)

}  // namespace scanlens
