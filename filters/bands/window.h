// Bands for filters that make rows of the result from rows of the picture and keep nothing between calls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/context.h"
#include "core/view.h"
#include "filters/bands/work.h"
#include "filters/filter.h"

namespace scanlens {

/// Rows of a result to be made: row 0 of `out` belongs to row `first` of `rows`. `rows` begins and ends at
/// least the filter's reach beyond them, or where the picture does. Row 0 of `rows` is row `top` of a picture
/// of `height` rows. Where the result lies beyond the picture, `rows` has the nearest row.
template <class T>
struct BandTask {
  View<const T> rows;
  std::int64_t first = 0;
  View<T> out;
  View<const float> map;  ///< its rows beside `rows`, for a filter that takes a map; an overlay is whole
  std::int64_t top = 0;
  std::int64_t height = 0;
  bool metric = false;  ///< FilterCall's
};

/// The extent of a window that slides down the picture. Rows of the result are made in chunks at least twice
/// as high as the filter's reach: at most half of the rows read are context. They are handed out band by
/// band.
struct WindowShape {
  /// For bands of `band_rows` rows of a picture, and a result that begins at its row `first_row`.
  WindowShape(const RowFormat& picture, const RowFormat& result, std::int64_t first_row, std::int64_t reach,
              std::int64_t band_rows);

  RowFormat format, made;
  std::int64_t first_row;
  std::int64_t reach;  ///< no farther than picture and result go
  std::int64_t band_rows;
  std::int64_t chunk;      ///< rows, a multiple of band_rows
  std::int64_t most_rows;  ///< of the picture that a chunk is made from
  std::int64_t capacity;   ///< rows that the window holds
};

/// The work of a filter that does what `run` says, with the whole picture's `map` if it takes one.
template <class T>
std::unique_ptr<BandWork> open_window(Context& context, const WindowShape& shape, View<const float> map,
                                      std::function<void(Context&, const BandTask<T>&)> run);

}  // namespace scanlens
