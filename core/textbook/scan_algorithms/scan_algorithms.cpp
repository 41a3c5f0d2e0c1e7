#include "core/textbook/scan_algorithms.h"

#include <fmt/format.h>

#include <type_traits>

#include "core/error.h"
#include "core/runtime/array_checks.h"
#include "core/runtime/dispatch.h"
#include "core/scan.h"
#include "core/textbook/scan_algorithms/backends.h"

namespace scanlens {
namespace {

using enum ScanAlgorithm;

constexpr ScanAlgorithmInfo kAlgorithms[] = {
    {naive, "naive", "log2 n steps over a double buffer (Hillis and Steele 1986; GPU Gems 3, 39.2.1)"},
    {work_efficient, "work_efficient",
     "up-sweep and down-sweep of a tree (Blelloch 1990; GPU Gems 3, 39.2.2)"},
    {conflict_free, "conflict_free", "the tree padded against bank conflicts (GPU Gems 3, 39.2.3)"},
    {vectorized, "vectorized", "eight elements per thread, the tree unrolled (GPU Gems 3, 39.2.5)"},
    {warp_shuffle, "warp_shuffle",
     "registers and warp shuffles in place of the tree (Kepler guide, 1.4.3.3)"},
    {look_back, "look_back", "a single pass with decoupled look-back (Merrill and Garland 2016)"},
    {automatic, "automatic", "what inclusive_scan and exclusive_scan do"},
};

}  // namespace

std::span<const ScanAlgorithmInfo> scan_algorithms() {
  return kAlgorithms;
}

ScanAlgorithm scan_algorithm(std::string_view name) {
  std::string names;
  for (const ScanAlgorithmInfo& info : kAlgorithms) {
    if (info.name == name) return info.algorithm;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", info.name);
  }
  throw Error(ErrorKind::usage, fmt::format("no scan algorithm is called '{}': use one of {}", name, names));
}

template <TextbookScanned T>
void scan_by(Context& context, ScanAlgorithm algorithm, ScanKind kind, std::span<const T> in,
             std::span<T> out) {
  require_same_length("scan_by", {"in", in}, {"out", out});
  require_apart_or_same("scan_by", {"in", in}, {"out", out});
  if (in.empty()) return;
  if (algorithm == automatic) {
    if (kind == ScanKind::inclusive)
      inclusive_scan(context, in, out);
    else
      exclusive_scan(context, in, out);
    return;
  }
  // Signed sums have the bits of unsigned ones, which unlike them may wrap around.
  using Summed = std::conditional_t<std::is_same_v<T, std::int32_t>, std::uint32_t, T>;
  const auto count = static_cast<std::int64_t>(in.size());
  SCANLENS_DISPATCH(context, scan_by, algorithm, kind, reinterpret_cast<const Summed*>(in.data()),
                    reinterpret_cast<Summed*>(out.data()), count);
}

template void scan_by(Context&, ScanAlgorithm, ScanKind, std::span<const std::int32_t>,
                      std::span<std::int32_t>);
template void scan_by(Context&, ScanAlgorithm, ScanKind, std::span<const std::uint32_t>,
                      std::span<std::uint32_t>);
template void scan_by(Context&, ScanAlgorithm, ScanKind, std::span<const float>, std::span<float>);

}  // namespace scanlens
