// The box filter of float samples. Called by filters/box/box.cpp only.
#pragma once

#include <cstdint>

#include "filters/bands/window.h"

namespace scanlens {

void box_of_floats(Context& context, std::int64_t radius, const BandTask<float>& task);

}  // namespace scanlens
