// A simulated person who draws strokes, and looks where depth is wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "app/depth/strokes/strokes.h"
#include "core/image.h"

namespace scanlens::bench {

/// A photo's true nearness, 0 .. 1, filled where nothing is known.
struct StrokeTruth {
  Image<float> nearness;
  Image<std::uint8_t> known;  ///< 1 or 0
};

/// Brings disparity to nearness: the range of 0.1 to 99.9 per cent of what is known (all that is finite)
/// becomes 0 .. 1; what is unknown takes the farther of the nearest known values left and right.
StrokeTruth stroke_truth(View<const float> disparity);

/// Returns the map that these strokes make.
using StrokeAnswer = std::function<Image<float>(const Strokes&)>;

/// Draws `count` strokes: at most two along sloping planes, three by k-means over place and depth, and then
/// each where the largest wrong area is. Strokes are straight; known are the true depths of their middles,
/// or of both ends where they slope. `watch` sees every map with the number of its strokes. The source is
/// the prototype by which depth from strokes was chosen.
Strokes drawn_by_person(const StrokeTruth& truth, int count, const StrokeAnswer& answer,
                        const std::function<void(int, const Image<float>&)>& watch);

}  // namespace scanlens::bench
