// The brightness of a picture of linear light; it scales the blur's table.
#pragma once

#include <cstdint>

#include "core/view.h"
#include "filters/depth_of_field.h"

namespace scanlens {

struct Brightness {
  LightRange light;           ///< samples brighter than its `most` count as that bright
  std::int64_t clipped = 0;   ///< how many are brighter
  float brightest = 0;        ///< of all, perhaps infinite
  std::int64_t x = 0, y = 0;  ///< where that is
};

/// Returns how bright a picture is; of four channels the last is alpha. The picture is in host memory.
///
/// A table of sums keeps a share of 2^-32 of the most light (2^-24 beside alpha). If one broken sample of
/// 1e10 were the most, all other samples would turn black. That is the brightest sample, but at most 65536
/// (beside alpha 4096) times what 99 % of the samples with light do not exceed: highlights of a sun stay,
/// broken samples are clipped. White is what these 99 % do not exceed, 1 at least.
///
/// Lamps keep 2^24 times what these 99 % do not exceed, or less where so much would come together that white
/// had too few steps in a field.
Brightness brightness_of(View<const float> view);

}  // namespace scanlens
