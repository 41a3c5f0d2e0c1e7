// Builds without nvcc have no scan of affine maps on CUDA.
#include "core/scan.h"
#include "tests/bench/peers/affine.h"

namespace scanlens::bench {

void scan_affine(Context& context, std::span<const Affine> in, std::span<Affine> out) {
  inclusive_scan(context, in, out, Compose());
}

}  // namespace scanlens::bench
