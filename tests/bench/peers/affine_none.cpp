// Builds without nvcc have no scan of affine maps on CUDA.
#include "core/scan_with.h"
#include "tests/bench/peers/affine.h"

namespace scanlens::bench {

void scan_affine(Context& context, std::span<const Affine> in, std::span<Affine> out) {
  inclusive_scan<Affine, Affine, Compose>(context, in, out);
}

}  // namespace scanlens::bench
