// Others can do the same work: CUB and cuSPARSE on CUDA; the standard library and oneTBB on the CPU. Each
// function returns the peers of one kind of work over these arrays, which have to live as long as the peers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/moments.h"
#include "core/sparse.h"
#include "core/textbook/scan_algorithms.h"
#include "tests/bench/bench.h"
#include "tests/bench/peers/affine.h"

/// Calls the function of the context's backend.
#ifdef SCANLENS_WITH_CUDA
#define SCANLENS_PEERS(context, function, ...) \
  ((context).on_cuda() ? gpu::function((context), __VA_ARGS__) : cpu::function((context), __VA_ARGS__))
#else
#define SCANLENS_PEERS(context, function, ...) cpu::function((context), __VA_ARGS__)
#endif

namespace scanlens::bench {

using Peers = std::vector<Peer>;

/// CUB counts up to this many elements in 32 bits, its faster way; beyond, it is not asked.
inline constexpr std::int64_t kMostPeerElements = INT32_MAX;

/// Peers put both sides of a partition into one array, the rejected ones backwards: not as `verify` looks for
/// them.
inline constexpr bool kInOneArray = false;

#define SCANLENS_DECLARE_PEERS                                                                               \
  /* (u32, u32), (f32, f32), (f64, f64), (u8, u32) */                                                        \
  template <class In, class Out>                                                                             \
  Peers sum_scan_peers(Context&, ScanKind, std::span<const In>, std::span<Out>);                             \
  Peers max_scan_peers(Context&, std::span<const std::uint32_t>, std::span<std::uint32_t>);                  \
  Peers affine_scan_peers(Context&, std::span<const Affine>, std::span<Affine>);                             \
  /* `segment` differs between any two neighbouring segments: CUB tells them apart by keys. */               \
  Peers segmented_scan_peers(Context&, std::span<const std::uint32_t>,                                       \
                             std::span<const std::uint8_t> segment, std::span<std::uint32_t>);               \
  Peers compact_if_peers(Context&, std::span<const std::uint32_t>, std::uint32_t below,                      \
                         std::span<std::uint32_t>, std::uint64_t* count);                                    \
  Peers compact_flagged_peers(Context&, std::span<const std::uint32_t>, std::span<const std::uint8_t> flags, \
                              std::span<std::uint32_t>, std::uint64_t* count);                               \
  /* `both` has the kept ones first and the rejected ones behind them. */                                    \
  Peers partition_peers(Context&, std::span<const std::uint32_t>, std::uint32_t below,                       \
                        std::span<std::uint32_t> both, std::uint64_t* count);                                \
  Peers unique_peers(Context&, std::span<const std::uint32_t>, std::span<std::uint32_t>,                     \
                     std::uint64_t* count);                                                                  \
  Peers sort_keys_peers(Context&, std::span<const std::uint32_t>, std::span<std::uint32_t>);                 \
  Peers sort_pairs_peers(Context&, std::span<const std::uint32_t> keys,                                      \
                         std::span<const std::uint32_t> values, std::span<std::uint32_t> keys_out,           \
                         std::span<std::uint32_t> values_out);                                               \
  Peers merge_peers(Context&, std::span<const std::uint32_t>, std::span<const std::uint32_t>,                \
                    std::span<std::uint32_t>);                                                               \
  Peers sort_segments_peers(Context&, std::span<const std::uint32_t>, std::span<const std::int64_t> offsets, \
                            std::span<std::uint32_t>);                                                       \
  Peers sum_peers(Context&, std::span<const float>, float* result);                                          \
  Peers argmin_peers(Context&, std::span<const float>, Located<float>* result);                              \
  Peers histogram_peers(Context&, std::span<const std::uint8_t>, std::span<std::uint64_t> bins);             \
  /* Several vectors lie side by side, as spmm takes them. */                                                \
  Peers product_peers(Context&, const CsrMatrix<float>&, std::span<const float>, int columns,                \
                      std::span<float>);                                                                     \
  Peers solve_peers(Context&, const CsrMatrix<float>&, std::span<const float>, std::span<float>,             \
                    int iterations);

namespace cpu {
SCANLENS_DECLARE_PEERS
}
namespace gpu {
SCANLENS_DECLARE_PEERS
}
#undef SCANLENS_DECLARE_PEERS

}  // namespace scanlens::bench
