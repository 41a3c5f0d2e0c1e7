// Filters one after the other on the same bands.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/context.h"
#include "filters/bands/work.h"
#include "filters/filter.h"

namespace scanlens {

/// Rows of a picture as they come to a filter, or from the last one.
struct BandShape {
  RowFormat format;
  std::int64_t rows;  ///< of a band, at most
};

/// Returns the shapes before each filter, and last the result's. A filter that changes the height changes
/// that of bands in proportion.
std::vector<BandShape> shapes_of(std::span<const FilterCall> calls, const RowFormat& format,
                                 std::int64_t band_rows);

/// Returns the work of all calls, each on what the one before makes; at least one.
std::unique_ptr<BandWork> open_chain(Context& context, std::span<const FilterCall> calls,
                                     const RowFormat& format, std::int64_t band_rows);

}  // namespace scanlens
