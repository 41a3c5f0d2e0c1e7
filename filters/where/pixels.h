// The weights of pixels, for both backends. Called by filters/where only.
#pragma once

#include <cstdint>

#include "filters/where.h"

namespace scanlens {

/// Does weigh() for arguments that fit.
template <class T>
void weigh_pixels(Context& context, const Where& where, const PixelSources<T>& rows, std::int64_t top,
                  View<std::uint16_t> weights, const FeatherGuide& guide);

}  // namespace scanlens
