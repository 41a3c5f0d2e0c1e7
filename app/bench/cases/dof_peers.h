// Depth of field by others.
#pragma once

#include <vector>

#include "app/bench/bench.h"
#include "app/bench/peers/disc_gather.h"

namespace scanlens::bench {

/// A direct gather of 64 taps over discs, on CUDA; nothing on the CPU. The result lies in a target of the
/// bench's. Bleeding is kept from what is sharp otherwise than in layers, so results differ.
std::vector<Peer> dof_peers(Bench& bench, const DiscGather& call);

}  // namespace scanlens::bench
