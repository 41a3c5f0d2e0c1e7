// Pixels that lie elsewhere in the result, each as it is.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/image.h"
#include "filters/bands/window.h"
#include "filters/moves/fill.h"
#include "filters/parts/channels.h"
#include "filters/parts/for_each_pixel.h"

namespace scanlens {

/// The way from a pixel of the result to the picture's: (xx x + xy y + x0, yx x + yy y + y0).
struct Move {
  int xx = 1, xy = 0, yx = 0, yy = 1;
  std::int64_t x0 = 0, y0 = 0;
};

/// Returns the move from a picture of this size to the same turned clockwise by `quarters` quarters.
inline Move quarter_turn(int quarters, std::int64_t width, std::int64_t height) {
  switch (quarters & 3) {
    case 1:
      return {0, 1, -1, 0, 0, height - 1};
    case 2:
      return {-1, 0, 0, -1, width - 1, height - 1};
    case 3:
      return {0, -1, 1, 0, width - 1, 0};
    default:
      return {};
  }
}

template <int kChannels, class T>
struct MovePixel {
  FilledPicture<T> from;
  Move move;
  std::int64_t first;  ///< row of the result that is row 0 of `out`
  View<T> out;

  SCANLENS_HOST_DEVICE void operator()(int x, int row) const {
    const std::int64_t y = first + row;
    const T* const in = from.pixel(move.xx * std::int64_t{x} + move.xy * y + move.x0,
                                   move.yx * std::int64_t{x} + move.yy * y + move.y0);
    T* const to = &out(x, row);
    for (int c = 0; c < kChannels; ++c) to[c] = in[c];
  }
};

/// A task's rows, copied where they are made anew in the same place.
template <class T>
class KeptRows {
 public:
  KeptRows(Context& context, const BandTask<T>& task) : workspace_(context), rows_(task.rows) {
    if (!overlap(rows_, task.out)) return;
    const View<T> kept(workspace_.take<T>(rows_.height * rows_.row_samples()), rows_.width, rows_.height,
                       rows_.channels);
    copy(context, rows_, kept);
    rows_ = kept;
  }
  View<const T> rows() const { return rows_; }

 private:
  Workspace workspace_;
  View<const T> rows_;
};

/// Makes rows of a result whose row 0 is the picture's row `first_row`.
template <class T>
void move_pixels(Context& context, const Move& move, double colour, std::int64_t first_row,
                 const BandTask<T>& task) {
  const KeptRows<T> kept(context, task);
  const View<const T> rows = kept.rows();
  const FilledPicture<T> from{rows, task.top, task.height, Fill<T>(colour, rows.channels)};
  const std::int64_t first = task.top + task.first - first_row;
  for_channels(rows.channels, [&]<int kChannels>(std::integral_constant<int, kChannels>) {
    for_each_pixel(context, task.out.width, task.out.height,
                   MovePixel<kChannels, T>{from, move, first, task.out});
  });
}

}  // namespace scanlens
