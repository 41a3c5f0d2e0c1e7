// Histograms by given edges.
#include <algorithm>

#include "core/cpu/pieces.h"
#include "core/histogram.h"
#include "core/runtime/array_checks.h"
#include "core/runtime/checks.h"
#include "core/sort.h"

namespace scanlens {
namespace {

/// Elements searched for side by side: a search alone waits for each of its loads.
constexpr std::int64_t kTogether = 8;

/// Counts, for each of `n` elements, the ascending edges that are at most as large; none for NaN. Without a
/// branch on the comparison.
template <class T>
void count_edges_up_to(std::span<const T> edges, const T* in, std::int64_t n,
                       std::int64_t (&found)[kTogether]) {
  const T* const first = edges.data();
  for (std::int64_t& place : found) place = 0;
  std::int64_t rest = std::ssize(edges);
  for (std::int64_t half = rest / 2; half > 0; rest -= half, half = rest / 2)
    for (std::int64_t i = 0; i < n; ++i) found[i] += half * (first[found[i] + half - 1] <= in[i]);
  for (std::int64_t i = 0; i < n; ++i) found[i] += first[found[i]] <= in[i];
}

template <class T>
void count_by_edges(Context& context, std::span<const T> in, std::span<const T> edges,
                    std::span<std::uint64_t> bins) {
  constexpr std::int64_t kLeastStrip = 1 << 16;
  const std::int64_t n = std::ssize(in), slots = std::ssize(edges) + 1;  // the outer two are no bins
  const std::int64_t strips = std::clamp<std::int64_t>(n / kLeastStrip, 1, cpu::thread_count());
  Workspace workspace(context);
  auto* const counters = workspace.take<std::uint64_t>(strips * slots);
  cpu::for_each_task(strips, [&](std::int64_t strip) {
    std::uint64_t* const own = counters + strip * slots;
    std::fill_n(own, slots, 0);
    const std::int64_t end = strip + 1 < strips ? n / strips * (strip + 1) : n;
    std::int64_t found[kTogether];
    for (std::int64_t i = n / strips * strip; i < end; i += kTogether) {
      const std::int64_t some = std::min(kTogether, end - i);
      count_edges_up_to(edges, in.data() + i, some, found);
      for (std::int64_t k = 0; k < some; ++k) ++own[found[k]];
    }
  });
  for (std::int64_t k = 0; k < std::ssize(bins); ++k) {
    std::uint64_t sum = 0;
    for (std::int64_t strip = 0; strip < strips; ++strip) sum += counters[strip * slots + k + 1];
    bins[static_cast<std::size_t>(k)] = sum;
  }
}

}  // namespace

template <class T>
void compiled::histogram(Context& context, std::span<const T> in, std::span<const T> edges,
                         std::span<std::uint64_t> bins) {
  require_same_length("histogram", {"in", in}, {"in", in});
  require_same_length("histogram", {"edges", edges}, {"edges", edges});
  require_same_length("histogram", {"bins", bins}, {"bins", bins});
  require_apart("histogram", {"in", in}, {"bins", bins});
  require_apart("histogram", {"edges", edges}, {"bins", bins});
  SCANLENS_REQUIRE(
      !bins.empty() && bins.size() <= 65536 && edges.size() == bins.size() + 1,
      fmt::format("histogram: {} edges do not make {} bins; give 1 to 65536 bins, and one edge more",
                  edges.size(), bins.size()));
  if (!context.on_cuda()) return count_by_edges(context, in, edges, bins);
  // A place of 64 bits is two numbers: the upper one is 0, and as such in no bin.
  Workspace workspace(context);
  auto* const places = workspace.take<std::int64_t>(std::ssize(in));
  find_places(context, "histogram", true, edges, in, {places, in.size()});
  histogram(context,
            std::span<const std::uint32_t>(reinterpret_cast<const std::uint32_t*>(places), 2 * in.size()), 1,
            static_cast<double>(edges.size()), bins);
}

#define SCANLENS_INSTANTIATE(T)                                                       \
  template void compiled::histogram(Context&, std::span<const T>, std::span<const T>, \
                                    std::span<std::uint64_t>);
SCANLENS_INSTANTIATE(std::int32_t)
SCANLENS_INSTANTIATE(std::uint32_t)
SCANLENS_INSTANTIATE(std::int64_t)
SCANLENS_INSTANTIATE(std::uint64_t)
SCANLENS_INSTANTIATE(float)
SCANLENS_INSTANTIATE(double)

}  // namespace scanlens
