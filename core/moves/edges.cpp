// Histograms by given edges.
#include <algorithm>

#include "core/cpu/pieces.h"
#include "core/histogram.h"
#include "core/runtime/array_checks.h"
#include "core/runtime/checks.h"
#include "core/sort.h"

namespace scanlens {
namespace {

/// The number of ascending edges that are at most x; 0 for NaN. Without a branch on the comparison.
template <class T>
std::int64_t edges_up_to(const T* edges, std::int64_t count, T x) {
  const T* first = edges;
  for (; count > 1; count -= count / 2) first += first[count / 2 - 1] <= x ? count / 2 : 0;
  return first - edges + (*first <= x);
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
    for (std::int64_t i = n / strips * strip; i < end; ++i)
      ++own[edges_up_to(edges.data(), std::ssize(edges), in[static_cast<std::size_t>(i)])];
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
