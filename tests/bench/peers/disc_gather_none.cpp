// Builds without nvcc have no disc gather, and nothing that asks for it.
#include "core/error.h"
#include "tests/bench/peers/disc_gather.h"

namespace scanlens::bench {

void disc_gather(Context&, const DiscGather&, GatherFrom) {
  throw Error("a build without CUDA has no disc gather");
}

}  // namespace scanlens::bench
