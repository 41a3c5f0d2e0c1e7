// Summed-area tables side by side with OpenCV's integral: are they equal, and how long do they take.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/picture.h"
#include "core/context.h"

namespace scanlens {

struct TableResult {
  std::string name;    ///< of the implementation: "classic"
  std::string device;  ///< "cpu", "cuda:0"
  bool equal = true;
  std::uint64_t max_abs_diff = 0;  ///< of two sums, modulo the table's width, as a signed number
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

/// Builds every table of this build on every context, (width + 1) x (height + 1) like cv::integral, and
/// compares: 8-bit pictures as 32-bit sums modulo 2^32, 16-bit ones as 64-bit sums, which OpenCV keeps
/// exactly in doubles. Float pictures are refused (usage).
Comparison compare_tables(const Picture& picture, std::vector<Context>& contexts);

/// Memory that it takes on the host and on each CUDA device.
std::int64_t compare_host_bytes(const Picture& picture);
std::int64_t compare_device_bytes(const Picture& picture);

/// The difference as a picture of the size of the image: dark blue where equal, from yellow to red where not.
Picture heatmap(const Comparison& comparison);

}  // namespace scanlens
