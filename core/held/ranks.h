// Scans and reductions over ranks as the library holds them compiled.
#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "core/array.h"
#include "core/held/reductions.h"
#include "core/held/scans.h"
#include "core/operators.h"

namespace scanlens {

class Ranks;

/// One array for each rank of this process, any lengths, none too.
template <class T>
using Parts = std::span<const std::span<T>>;

/// The scans over ranks that the library holds compiled; core/ranks_with.h takes others.
#define SCANLENS_RANK_SCANS(X) \
  SCANLENS_SEGMENTED_SCANS(X) SCANLENS_WIDENING_SCANS(X) SCANLENS_PRODUCT_SCANS(X)

namespace compiled {
template <class In, class Out, class Op>
inline constexpr bool kHoldsRankScan = false;
#define SCANLENS_HOLDS_RANK_SCAN(name, In, Out, Op) \
  template <>                                       \
  inline constexpr bool kHoldsRankScan<In, Out, Op> = true;
SCANLENS_RANK_SCANS(SCANLENS_HOLDS_RANK_SCAN)
#undef SCANLENS_HOLDS_RANK_SCAN

template <class In, class Out, class Op>
void inclusive_scan(Ranks& ranks, Parts<const In> in, Parts<Out> out, Op op);
template <class In, class Out, class Op>
void exclusive_scan(Ranks& ranks, Parts<const In> in, Parts<Out> out, Op op);
template <class In, class Out, class Op>
void reduce(Ranks& ranks, Parts<const In> in, std::span<Out* const> results, Op op);

/// The parts as those of another type of its size.
template <class As, class T>
auto parts_as(Parts<T> parts) {
  std::vector<decltype(elements_as<As>(std::span<T>()))> same;
  for (const std::span<T> part : parts) same.push_back(elements_as<As>(part));
  return same;
}
}  // namespace compiled

/// True of the types and operators that the library holds scans over ranks compiled for.
template <class In, class Out, class Op>
concept RankScanInLibrary = compiled::kHoldsRankScan<compiled::ScannedIn<In, Out, Op>, SameBits<Out, Op>, Op>;

template <class In, class Out, class Op>
void scan_held_parts(bool inclusive, Ranks& ranks, Parts<const In> in, Parts<Out> out, Op op) {
  static_assert(RankScanInLibrary<In, Out, Op>,
                "inclusive_scan, exclusive_scan: not of the types of SCANLENS_RANK_SCANS");
  using As = SameBits<Out, Op>;
  if constexpr (!std::same_as<As, Out>)
    scan_held_parts<As, As>(inclusive, ranks, compiled::parts_as<As>(in), compiled::parts_as<As>(out), op);
  else if (inclusive)
    compiled::inclusive_scan<In, Out, Op>(ranks, in, out, op);
  else
    compiled::exclusive_scan<In, Out, Op>(ranks, in, out, op);
}

template <class In, class Out, class Op>
void reduce_held_parts(Ranks& ranks, Parts<const In> in, std::span<Out* const> results, Op op) {
  static_assert(ReduceInLibrary<In, Out, Op>, "reduce: not of the types that core/reduce.h names");
  using As = SameBits<Out, Op>;
  if constexpr (std::same_as<As, Out>) {
    compiled::reduce<In, Out, Op>(ranks, in, results, op);
  } else {
    std::vector<As*> same;
    for (Out* result : results) same.push_back(reinterpret_cast<As*>(result));
    compiled::reduce<As, As, Op>(ranks, compiled::parts_as<As>(in), same, op);
  }
}

}  // namespace scanlens
