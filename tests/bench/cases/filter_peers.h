// Others that have the same filter, or one like it.
#pragma once

#include <cstdint>
#include <vector>

#include "filters/filter.h"
#include "tests/bench/bench.h"

namespace scanlens::bench {

/// The equivalents of this call in OpenCV on the CPU and NPP on CUDA, for a picture of three channels;
/// nothing if there is no equivalent. They treat borders otherwise and round otherwise, so results differ.
std::vector<Peer> filter_peers(Context& context, const FilterCall& call, View<const std::uint8_t> image,
                               View<std::uint8_t> out);

}  // namespace scanlens::bench
