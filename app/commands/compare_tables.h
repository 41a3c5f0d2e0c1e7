// Compares summed-area tables with OpenCV's integral: are they equal, and how long do they take?
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/io/picture.h"
#include "core/context.h"

namespace scanlens {

struct TableResult {
  std::string name;    ///< the implementation's: "classic"
  std::string device;  ///< "cpu", "cuda:0"
  bool equal = true;
  std::uint64_t max_abs_diff = 0;  ///< between two sums, modulo the table's width, as a signed number
  std::optional<std::array<std::int64_t, 3>> first_diff;  ///< x, y, channel in the table
  double ms = 0;                                          ///< median of repeated runs; device time on CUDA
  double speedup = 0;                                     ///< OpenCV's median over this one
};

struct Comparison {
  double opencv_ms = 0;
  std::vector<TableResult> implementations;
  Image<std::uint64_t>
      difference;  ///< largest absolute difference per table entry, over channels and implementations
};

/// Notes in `result` and `difference` where `table` is not what `reference` says. Sums are compared modulo
/// the width of Sum; Reference is int32_t, which wraps to the same bits as uint32_t, or double, which is
/// exact to 2^53.
template <class Sum, class Reference>
void note_differences(View<const Sum> table, View<const Reference> reference, View<std::uint64_t> difference,
                      TableResult& result) {
  for (std::int64_t y = 0; y < table.height; ++y)
    for (std::int64_t x = 0; x < table.width; ++x)
      for (int c = 0; c < table.channels; ++c) {
        const Sum above = table(x, y, c) - static_cast<Sum>(reference(x, y, c));
        if (above == 0) continue;
        const std::uint64_t off = std::min<Sum>(above, Sum{0} - above);
        if (result.equal) result.first_diff = {x, y, c};
        result.equal = false;
        result.max_abs_diff = std::max(result.max_abs_diff, off);
        difference(x, y) = std::max(difference(x, y), off);
      }
}

/// Builds every table of this build on every context, (width + 1) x (height + 1) like cv::integral, and
/// compares: 8-bit pictures as 32-bit sums modulo 2^32, 16-bit ones as 64-bit sums, which OpenCV keeps
/// exactly in doubles. Float pictures are refused (usage).
Comparison compare_tables(const Picture& picture, std::vector<Context>& contexts);

/// Returns the memory that it takes on the host and on each CUDA device.
std::int64_t compare_host_bytes(const Picture& picture);
std::int64_t compare_device_bytes(const Picture& picture);

/// Shows the difference as a picture of the size of the image: dark blue where equal, from yellow to red
/// where not.
Picture heatmap(const Comparison& comparison);

}  // namespace scanlens
