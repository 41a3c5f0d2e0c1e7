// Depth of field by others.
#pragma once

#include <vector>

#include "tests/bench/bench.h"
#include "tests/bench/peers/disc_gather.h"

namespace scanlens::bench {

/// Direct gathers over discs, 64 taps and full, on CUDA; nothing on the CPU. The picture is that of
/// Input::random(), `plane` its disparity where the host reads it, which has to live as long as the peers;
/// the result lies in a target of the bench's. Bleeding is kept from what is sharp otherwise than in layers,
/// so results differ.
std::vector<Peer> dof_peers(Bench& bench, const DiscGather& call, const std::vector<float>& plane);

}  // namespace scanlens::bench
