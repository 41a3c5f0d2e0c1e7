// The surroundings of a point of a depth map.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/image.h"
#include "core/view.h"

namespace scanlens {

/// Number of pixels to each side that lie around one.
constexpr int kAroundReach = 2;

/// Returns the median disparity of the 5 x 5 pixels around one, as far as they are inside: a single odd pixel
/// does not move it.
float disparity_around(View<const float> disparity, std::int64_t x, std::int64_t y);

/// Does so in a map that lies in memory of the context's device; without a context, in the host's.
float disparity_around(const Image<float>& disparity, std::int64_t x, std::int64_t y, Context* context);

}  // namespace scanlens
