// Pictures and words laid over a picture: their parameters, and how large they are.
#pragma once

#include <cstdint>

#include "filters/filter.h"

namespace scanlens {

struct WatermarkParams {
  double size = 20;
  double place = 8;  ///< bottom-right, of kPlaces
  double margin = 2;
  double opacity = 0.5;
};

struct TextParams {
  double size = 4;
  double place = 8;
  double margin = 2;
  double opacity = 1;
  double colour = 0xffffff;
};

extern const Filter kWatermark;
extern const Filter kText;

/// The room for an overlay on a picture.
struct OverlayRoom {
  std::int64_t width = 0, height = 0;  ///< pixels, at most
  double line = 0;                     ///< the height of a line of words, in pixels
  int side = 0;                        ///< at which lines of words end: -1 left, 0 the middle, 1 right
};

/// Returns the room of a call whose filter takes an overlay, on a picture of this format.
OverlayRoom overlay_room(const FilterCall& call, const RowFormat& picture);

}  // namespace scanlens
