#include "tests/bench/input.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "core/runtime/dispatch.h"

namespace scanlens::bench {
namespace cpu {
template <class T>
void fill(Context&, std::span<T> out, Input input) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, out.size(), 1 << 14), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) out[i] = input.at<T>(i);
  });
}
}  // namespace cpu

namespace gpu {
template <class T>
void fill(Context& context, std::span<T> out, Input input);  // input_cuda.cu
}

template <class T>
void fill(Context& context, std::span<T> out, Input input) {
  SCANLENS_DISPATCH(context, fill, out, input);
}

#define SCANLENS_INSTANTIATE(T) template void fill(Context&, std::span<T>, Input);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(std::uint32_t)
SCANLENS_INSTANTIATE(std::uint64_t)
SCANLENS_INSTANTIATE(float)
SCANLENS_INSTANTIATE(double)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens::bench
