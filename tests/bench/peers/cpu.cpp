// The standard library on one thread and oneTBB on all are the peers on the CPU.
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "tests/bench/peers/peers.h"

namespace scanlens::bench::cpu {
namespace {

/// Scans as oneTBB's documentation shows it.
template <class In, class Out, class Op>
void tbb_scan(std::span<const In> in, std::span<Out> out, Out identity, Op op, ScanKind kind) {
  tbb::parallel_scan(
      tbb::blocked_range<std::size_t>(0, in.size()), identity,
      [=](const auto& range, Out sum, bool final) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          const Out next = op(sum, static_cast<Out>(in[i]));
          if (final) out[i] = kind == ScanKind::inclusive ? next : sum;
          sum = next;
        }
        return sum;
      },
      op);
}

}  // namespace

template <class In, class Out>
Peers sum_scan_peers(Context&, ScanKind kind, std::span<const In> in, std::span<Out> out) {
  Work standard;
  if (kind == ScanKind::inclusive)
    standard = [=] { std::inclusive_scan(in.begin(), in.end(), out.begin(), std::plus<Out>(), Out{0}); };
  else
    standard = [=] { std::exclusive_scan(in.begin(), in.end(), out.begin(), Out{0}, std::plus<Out>()); };
  // One running float sum over millions of numbers is off by more than ours may be.
  constexpr bool kSame = !std::is_floating_point_v<Out>;
  return {{kind == ScanKind::inclusive ? "std::inclusive_scan" : "std::exclusive_scan", standard, kSame},
          {"tbb::parallel_scan", [=] { tbb_scan(in, out, Out{0}, std::plus<Out>(), kind); }, kSame}};
}

Peers max_scan_peers(Context&, std::span<const std::uint32_t> in, std::span<std::uint32_t> out) {
  const auto max = [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); };
  return {{"std::inclusive_scan", [=] { std::inclusive_scan(in.begin(), in.end(), out.begin(), max); }},
          {"tbb::parallel_scan", [=] { tbb_scan(in, out, 0u, max, ScanKind::inclusive); }}};
}

Peers affine_scan_peers(Context&, std::span<const Affine> in, std::span<Affine> out) {
  return {{"std::inclusive_scan", [=] { std::inclusive_scan(in.begin(), in.end(), out.begin(), Compose()); }},
          {"tbb::parallel_scan", [=] {
             tbb_scan(in, out, Affine{1, 0}, Compose(), ScanKind::inclusive);
           }}};
}

// Neither library has a segmented scan.
Peers segmented_scan_peers(Context&, std::span<const std::uint32_t>, std::span<const std::uint8_t>,
                           std::span<std::uint32_t>) {
  return {};
}

Peers compact_if_peers(Context&, std::span<const std::uint32_t> in, std::uint32_t below,
                       std::span<std::uint32_t> out, std::uint64_t* count) {
  return {{"std::copy_if", [=] {
             const auto end = std::copy_if(in.begin(), in.end(), out.begin(),
                                           [=](std::uint32_t value) { return value < below; });
             *count = static_cast<std::uint64_t>(end - out.begin());
           }}};
}

Peers compact_flagged_peers(Context&, std::span<const std::uint32_t> in, std::span<const std::uint8_t> flags,
                            std::span<std::uint32_t> out, std::uint64_t* count) {
  return {{"std::copy_if", [=] {
             auto flag = flags.begin();
             const auto end =
                 std::copy_if(in.begin(), in.end(), out.begin(), [&](std::uint32_t) { return *flag++ != 0; });
             *count = static_cast<std::uint64_t>(end - out.begin());
           }}};
}

Peers partition_peers(Context&, std::span<const std::uint32_t> in, std::uint32_t below,
                      std::span<std::uint32_t> both, std::uint64_t* count) {
  return {{"std::partition_copy",
           [=] {
             const auto [kept, rejected] =
                 std::partition_copy(in.begin(), in.end(), both.begin(), both.rbegin(),
                                     [=](std::uint32_t value) { return value < below; });
             *count = static_cast<std::uint64_t>(kept - both.begin());
           },
           kInOneArray}};
}

Peers unique_peers(Context&, std::span<const std::uint32_t> in, std::span<std::uint32_t> out,
                   std::uint64_t* count) {
  return {{"std::unique_copy", [=] {
             *count = static_cast<std::uint64_t>(std::unique_copy(in.begin(), in.end(), out.begin()) -
                                                 out.begin());
           }}};
}

// Both sort in place, so that the copy of the keys counts; it takes about a hundredth of the time.
Peers sort_keys_peers(Context&, std::span<const std::uint32_t> in, std::span<std::uint32_t> out) {
  return {{"std::sort",
           [=] {
             std::copy(in.begin(), in.end(), out.begin());
             std::sort(out.begin(), out.end());
           }},
          {"tbb::parallel_sort", [=] {
             std::copy(in.begin(), in.end(), out.begin());
             tbb::parallel_sort(out.begin(), out.end());
           }}};
}

// Neither library sorts keys in one array with values in another.
Peers sort_pairs_peers(Context&, std::span<const std::uint32_t>, std::span<const std::uint32_t>,
                       std::span<std::uint32_t>, std::span<std::uint32_t>) {
  return {};
}

Peers merge_peers(Context&, std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                  std::span<std::uint32_t> out) {
  return {{"std::merge", [=] { std::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin()); }}};
}

Peers sort_segments_peers(Context&, std::span<const std::uint32_t> in, std::span<const std::int64_t> offsets,
                          std::span<std::uint32_t> out) {
  return {{"std::sort", [=] {
             std::copy(in.begin(), in.end(), out.begin());
             for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
               std::sort(out.begin() + offsets[s], out.begin() + offsets[s + 1]);
           }}};
}

Peers sum_peers(Context&, std::span<const float> in, float* result) {
  return {{"std::reduce", [=] { *result = std::reduce(in.begin(), in.end(), 0.f); }, false},
          {"tbb::parallel_reduce",
           [=] {
             *result = tbb::parallel_reduce(
                 tbb::blocked_range<std::size_t>(0, in.size()), 0.f,
                 [=](const auto& range, float sum) {
                   return std::reduce(in.begin() + static_cast<std::ptrdiff_t>(range.begin()),
                                      in.begin() + static_cast<std::ptrdiff_t>(range.end()), sum);
                 },
                 std::plus<float>());
           },
           false}};
}

Peers argmin_peers(Context&, std::span<const float> in, Located<float>* result) {
  return {{"std::min_element", [=] {
             const auto least = std::min_element(in.begin(), in.end());
             *result = {*least, static_cast<std::uint64_t>(least - in.begin())};
           }}};
}

Peers histogram_peers(Context&, std::span<const std::uint8_t>, std::span<std::uint64_t>) {
  return {};
}

Peers product_peers(Context&, const CsrMatrix<float>&, std::span<const float>, int, std::span<float>) {
  return {};
}

Peers solve_peers(Context&, const CsrMatrix<float>&, std::span<const float>, std::span<float>, int) {
  return {};
}

#define SCANLENS_INSTANTIATE(In, Out) \
  template Peers sum_scan_peers(Context&, ScanKind, std::span<const In>, std::span<Out>);
SCANLENS_INSTANTIATE(std::uint32_t, std::uint32_t)
SCANLENS_INSTANTIATE(float, float)
SCANLENS_INSTANTIATE(double, double)
SCANLENS_INSTANTIATE(std::uint8_t, std::uint32_t)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens::bench::cpu
