// Histograms on the CPU: every thread counts a strip of the array in counters of its own.
#include <tbb/task_arena.h>

#include <algorithm>

#include "core/reduce/cpu.h"
#include "core/reduce/histogram_backends.h"

namespace scanlens::cpu {
namespace {

constexpr std::int64_t kLeastStrip = 1 << 16;
constexpr std::int64_t kBatch = 512;

/// Equal elements in a row would wait for each other's increment of the same counter. So neighbours count in
/// different copies of the counters, as long as these fit the first-level cache.
constexpr int kCopies = 4;
constexpr std::int64_t kMostBinsCopied = 1024;

/// Bytes have so few values that values are counted, and mapped to bins in the end.
template <class T>
constexpr bool kCountsValues = sizeof(T) == 1;

/// Adds the elements first … end - 1 to counters[copy * a_copy + bin]; the last counter of a copy is for
/// those of no bin.
template <int kCopiesUsed, class T>
void count(const T* in, std::int64_t first, std::int64_t end, const BinOf<T>& bin_of, std::uint64_t* counters,
           std::int64_t a_copy) {
  std::int32_t bin[kBatch];
  const BinOf<T> local = bin_of;  // which the counters cannot overlap
  for (; first < end; first += kBatch) {
    const std::int64_t batch = std::min(kBatch, end - first);
    for (std::int64_t i = 0; i < batch; ++i) bin[i] = kCountsValues<T> ? in[first + i] : local(in[first + i]);
    for (std::int64_t i = 0; i < batch; ++i) ++counters[i % kCopiesUsed * a_copy + bin[i]];
  }
}

}  // namespace

template <class T>
void histogram(Context& context, const T* in, std::int64_t n, const BinOf<T>& bin_of, std::uint64_t* bins) {
  const std::int64_t most = tbb::this_task_arena::max_concurrency();
  const std::int64_t strips = std::clamp<std::int64_t>(n / kLeastStrip, 1, most);
  const std::int64_t slots = kCountsValues<T> ? 256 : bin_of.bins;
  const bool copied = slots <= kMostBinsCopied;
  const std::int64_t a_copy = slots + 1, a_strip = a_copy * (copied ? kCopies : 1);
  Workspace workspace(context);
  auto* counters = workspace.take<std::uint64_t>(most * a_strip);

  for_each_index(strips, [&](std::int64_t strip) {
    const std::int64_t first = n / strips * strip, end = strip + 1 < strips ? first + n / strips : n;
    std::uint64_t* own = counters + strip * a_strip;
    std::fill_n(own, a_strip, 0);
    if (copied)
      count<kCopies>(in, first, end, bin_of, own, a_copy);
    else
      count<1>(in, first, end, bin_of, own, a_copy);
  });

  std::fill_n(bins, bin_of.bins, 0);
  for (std::int64_t offset = 0; offset < strips * a_strip; offset += a_copy)
    for (std::int64_t k = 0; k < slots; ++k) {
      const std::int64_t bin = kCountsValues<T> ? bin_of(static_cast<T>(k)) : k;
      if (bin < bin_of.bins) bins[bin] += counters[offset + k];
    }
}

#define SCANLENS_INSTANTIATE(T) \
  template void histogram(Context&, const T*, std::int64_t, const BinOf<T>&, std::uint64_t*);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(std::uint32_t)
SCANLENS_INSTANTIATE(float)
SCANLENS_INSTANTIATE(double)

}  // namespace scanlens::cpu
