// Spreading per backend. Called by the checked public function only, with fields that are not empty.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/view.h"

namespace scanlens {

/// All that a call of spread_boxes asks for.
struct SpreadTask {
  View<const std::uint32_t> values;
  View<const std::int32_t> boxes;
  View<std::uint32_t> fields;
  int layers;
};

namespace cpu {
void spread_boxes(Context& context, const SpreadTask& task);
}
namespace gpu {
void spread_boxes(Context& context, const SpreadTask& task);
}

}  // namespace scanlens
