// The filters that the command line knows by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/context.h"

namespace scanlens {

/// A parameter of a filter: `least` <= value <= `most`; `value` is taken where none is given.
struct Param {
  std::string_view name;
  std::string_view help;
  double least, most, value;
  bool whole;  ///< only whole numbers
};

/// Rows of packed samples, 1 (uint8_t) or 2 (uint16_t) bytes each.
struct RowFormat {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int channels = 1;
  int sample_bytes = 1;

  std::size_t row_bytes() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels * sample_bytes);
  }
};

/// A picture on its way through a filter, from and to host memory: BoxFilterStream says how it is used.
class RowFilter {
 public:
  virtual ~RowFilter() = default;
  virtual std::span<const std::byte> push(std::span<const std::byte> rows) = 0;
  virtual std::span<const std::byte> finish() = 0;
};

/// `values` are those of `params`, in their order.
struct Filter {
  std::string_view name;
  std::string_view help;
  std::span<const Param> params;
  std::unique_ptr<RowFilter> (*run)(Context& context, const RowFormat& format, std::span<const double> values,
                                    std::int64_t band_rows);
  /// Bytes that `run` takes where the context works.
  std::int64_t (*memory)(const RowFormat& format, std::span<const double> values, std::int64_t band_rows);
};

std::span<const Filter> all_filters();

struct FilterCall {
  const Filter* filter = nullptr;
  std::vector<double> values;
};

/// "name" or "name:key=value:key=value". Throws Error (usage) that says what is wrong and what there is.
FilterCall parse_filter(std::string_view text);

/// All filters with their parameters, for help.
std::string describe_filters();

}  // namespace scanlens
