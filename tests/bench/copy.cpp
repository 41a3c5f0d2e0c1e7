#include "tests/bench/copy.h"

#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/runtime/dispatch.h"

namespace scanlens::bench {
namespace {

constexpr std::int64_t kChunk = 1 << 18;  // what a thread takes at a time

std::int64_t part(std::int64_t bytes, std::int64_t chunk, std::int64_t chunks) {
  return bytes / 16 * chunk / chunks * 16;
}

/// Stores that go past the cache save reading what they overwrite, which pays once the target is beyond the
/// cache.
void stream(const std::byte* from, std::byte* to, std::int64_t bytes) {
#ifdef __SSE2__
  const auto* in = reinterpret_cast<const __m128i*>(from);
  auto* out = reinterpret_cast<__m128i*>(to);
  for (std::int64_t i = 0; i < bytes / 16; ++i) _mm_stream_si128(out + i, _mm_load_si128(in + i));
  _mm_sfence();
#else
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

/// Returns the sum so that the reading is not optimised away.
std::uint64_t sum(const std::byte* from, std::int64_t bytes) {
  const auto* in = reinterpret_cast<const std::uint64_t*>(from);
  std::uint64_t total = 0;
  for (std::int64_t i = 0; i < bytes / 8; ++i) total += in[i];
  return total;
}

}  // namespace

namespace cpu {
void move_bytes(Context&, int shape, const std::byte* from, std::int64_t read, std::byte* to,
                std::int64_t written) {
  const std::int64_t chunks = std::max<std::int64_t>(1, std::max(read, written) / kChunk);
  tbb::parallel_for(std::int64_t{0}, chunks, [&](std::int64_t chunk) {
    const std::byte* in = from + part(read, chunk, chunks);
    std::byte* out = to + part(written, chunk, chunks);
    const std::int64_t in_bytes = part(read, chunk + 1, chunks) - part(read, chunk, chunks);
    const std::int64_t out_bytes = part(written, chunk + 1, chunks) - part(written, chunk, chunks);
    const std::int64_t both = std::min(in_bytes, out_bytes);
    if (shape == 0)
      std::memcpy(out, in, static_cast<std::size_t>(both));
    else
      stream(in, out, both);
    const std::uint64_t rest = sum(in + both, in_bytes - both);
    std::memset(out + both, static_cast<int>(rest & 255), static_cast<std::size_t>(out_bytes - both));
    if (out_bytes == 0 && rest == 1)
      std::memset(to, 1, 1);  // never in practice, and the compiler cannot know
  });
}
}  // namespace cpu

namespace gpu {
extern const int kCopyShapes;  // copy_cuda.cu
void move_bytes(Context& context, int shape, const std::byte* from, std::int64_t read, std::byte* to,
                std::int64_t written);
std::int64_t cache_bytes(const Context& context);
}  // namespace gpu

int copy_shapes(const Context& context) {
#ifdef SCANLENS_WITH_CUDA
  if (context.on_cuda()) return gpu::kCopyShapes;
#endif
  static_cast<void>(context);
  return 2;  // memcpy and stream
}

void move_bytes(Context& context, int shape, const std::byte* from, std::int64_t read, std::byte* to,
                std::int64_t written) {
  SCANLENS_DISPATCH(context, move_bytes, shape, from, read, to, written);
}

std::int64_t cache_bytes(const Context& context) {
#ifdef SCANLENS_WITH_CUDA
  if (context.on_cuda()) return gpu::cache_bytes(context);
#endif
  static_cast<void>(context);
  return std::max<std::int64_t>(0, ::sysconf(_SC_LEVEL3_CACHE_SIZE));
}

}  // namespace scanlens::bench
