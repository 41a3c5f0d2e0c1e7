// The range of a map's values, but for odd ones. Inside filters/depth/cpu.
#pragma once

#include "core/view.h"

namespace scanlens::cpu {

float range_of(View<const float> map);

}  // namespace scanlens::cpu
