// The plain program of NCCL and CUB: totals by CUB, an all-gather of them, and CUB again.
#pragma once

#include <cstdint>
#include <functional>

#include "core/ranks.h"

namespace scanlens::bench::gpu {

/// The exclusive scan of sums; queues, as ours.
std::function<void()> plain_scan(Ranks& ranks, Parts<const std::uint32_t> in, Parts<std::uint32_t> out);
/// The sum, on all ranks.
std::function<void()> plain_reduce(Ranks& ranks, Parts<const std::uint32_t> in,
                                   std::span<std::uint32_t* const> results);

}  // namespace scanlens::bench::gpu
