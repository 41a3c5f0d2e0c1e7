// The scan algorithms of the literature, each by its name: a text-book that runs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/array.h"
#include "core/context.h"

namespace scanlens {

enum class ScanAlgorithm {
  naive,           ///< Hillis and Steele: log2 n passes over a double buffer, O(n log n) additions
  work_efficient,  ///< Blelloch: up-sweep and down-sweep of a balanced tree in shared memory, O(n) additions
  conflict_free,   ///< the same, with the tree padded so that its strides do not meet in one memory bank
  vectorized,      ///< the same over the totals of threads that take eight elements each
  warp_shuffle,    ///< registers and shuffles instead of a tree in shared memory
  look_back,       ///< one pass: tiles publish their totals and look back over those before them
  automatic,       ///< what inclusive_scan and exclusive_scan do
};

struct ScanAlgorithmInfo {
  ScanAlgorithm algorithm;
  std::string_view name;     ///< "naive", "work_efficient", …
  std::string_view summary;  ///< one line, with the source
};

/// All of them, in the order above.
std::span<const ScanAlgorithmInfo> scan_algorithms();

/// The algorithm of that name; throws Error (usage) with the names there are.
ScanAlgorithm scan_algorithm(std::string_view name);

/// True of the types that these algorithms scan.
template <class T>
concept TextbookScanned = kOneOf<T, std::int32_t, std::uint32_t, float>;

enum class ScanKind { inclusive, exclusive };

/// A sum scan by the algorithm asked for. T: int32_t, uint32_t, float. Any length; arrays longer than a block
/// can hold are scanned block by block. The same algorithm scans the block sums recursively, and they are
/// added back. On the CPU each algorithm runs its own arithmetic, with oneTBB where the GPU has blocks;
/// algorithms for a GPU's memory banks or shuffles (conflict_free, warp_shuffle) map to the nearest thing
/// there (core/textbook/scan_algorithms/cpu.cpp has the list). Aliasing: `out` may be `in` itself; any other
/// overlap is an error. Determinism: the same bits every run, except `look_back` of floats, where the order
/// of additions depends on timing. Integers wrap around. A float sum is off by no more than d * epsilon
/// * (|in[0]| + … + |in[i]|), d being the longest chain of additions: 32 + 2 log2 n, but 2^12 + 64 for
/// `warp_shuffle` on the CPU and 2^14 + n / 2^14 for `look_back`, which carry a running total. Bytes moved:
/// each element is read twice and written twice, and 1/512 of that for the block sums; `look_back` reads and
/// writes each once; `naive` on the CPU log2 n times. Alignment of both arrays to 16 bytes is fastest;
/// anything the type allows works.
template <TextbookScanned T>
void scan_by(Context& context, ScanAlgorithm algorithm, ScanKind kind, std::span<const T> in,
             std::span<T> out);
template <ContiguousArray In, ContiguousArray Out>
void scan_by(Context& context, ScanAlgorithm algorithm, ScanKind kind, const In& in, Out&& out) {
  static_assert(TextbookScanned<ElementOf<In>>,
                "scan_by: not of the types that core/textbook/scan_algorithms.h names");
  scan_by<ElementOf<In>>(context, algorithm, kind, in, out);
}

}  // namespace scanlens
