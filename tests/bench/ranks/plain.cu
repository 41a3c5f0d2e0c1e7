#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <memory>

#include "core/ranks/group.h"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "tests/bench/ranks/plain.h"

namespace scanlens::bench::gpu {
namespace {

using scanlens::gpu::DeviceGuard;
using scanlens::gpu::launch_kernel;
using scanlens::gpu::stream_of;

__global__ void add_kernel(const std::uint32_t* totals, int count, std::uint32_t* sum) {
  std::uint32_t total = 0;
  for (int i = 0; i < count; ++i) total += totals[i];
  *sum = total;
}

/// The scratch memory of one rank, made once, as such programs do.
struct Rank {
  Memory totals, before, scratch;
  std::size_t scratch_bytes = 0;
};

struct Group {
  Group(Ranks& ranks, Parts<const std::uint32_t> in) : ranks(ranks), in(in.begin(), in.end()) {
    for (int i = 0; i < ranks.local(); ++i) {
      const Context& context = ranks.context(i);
      const DeviceGuard device(context);
      Rank rank;
      const auto n = static_cast<std::int64_t>(in[static_cast<std::size_t>(i)].size());
      std::size_t reduce = 0, scan = 0;
      SCANLENS_CUDA_CHECK(cub::DeviceReduce::Sum(nullptr, reduce, static_cast<const std::uint32_t*>(nullptr),
                                                 static_cast<std::uint32_t*>(nullptr), n));
      SCANLENS_CUDA_CHECK(cub::DeviceScan::ExclusiveScan(
          nullptr, scan, static_cast<const std::uint32_t*>(nullptr), static_cast<std::uint32_t*>(nullptr),
          cuda::std::plus<>{}, cub::FutureValue<std::uint32_t>(nullptr), n));
      rank.scratch_bytes = std::max(reduce, scan);
      rank.totals = Memory(context, static_cast<std::size_t>(ranks.count()) * sizeof(std::uint32_t));
      rank.before = Memory(context, sizeof(std::uint32_t));
      rank.scratch = Memory(context, rank.scratch_bytes + 1);
      each.push_back(std::move(rank));
    }
  }

  std::uint32_t* totals(int i) const {
    return reinterpret_cast<std::uint32_t*>(each[static_cast<std::size_t>(i)].totals.data());
  }

  void gather_totals() {
    std::vector<std::byte*> all;
    for (int i = 0; i < ranks.local(); ++i) {
      const DeviceGuard device(ranks.context(i));
      const auto part = static_cast<std::size_t>(i);
      std::size_t bytes = each[part].scratch_bytes;
      SCANLENS_CUDA_CHECK(cub::DeviceReduce::Sum(
          each[part].scratch.data(), bytes, in[part].data(), totals(i) + ranks.first() + i,
          static_cast<std::int64_t>(in[part].size()), stream_of(ranks.context(i))));
      all.push_back(each[part].totals.data());
    }
    ranks.impl().transport->all_gather(all, sizeof(std::uint32_t));
  }

  Ranks& ranks;
  std::vector<std::span<const std::uint32_t>> in;
  std::vector<Rank> each;
};

}  // namespace

std::function<void()> plain_scan(Ranks& ranks, Parts<const std::uint32_t> in, Parts<std::uint32_t> out) {
  const auto group = std::make_shared<Group>(ranks, in);
  return [&ranks, group, out = std::vector<std::span<std::uint32_t>>(out.begin(), out.end())] {
    group->gather_totals();
    for (int i = 0; i < ranks.local(); ++i) {
      const DeviceGuard device(ranks.context(i));
      const cudaStream_t stream = stream_of(ranks.context(i));
      const auto part = static_cast<std::size_t>(i);
      auto* before = reinterpret_cast<std::uint32_t*>(group->each[part].before.data());
      SCANLENS_CUDA_CHECK(
          launch_kernel(add_kernel, 1, 1, 0, stream, group->totals(i), ranks.first() + i, before));
      std::size_t bytes = group->each[part].scratch_bytes;
      SCANLENS_CUDA_CHECK(cub::DeviceScan::ExclusiveScan(
          group->each[part].scratch.data(), bytes, group->in[part].data(), out[part].data(),
          cuda::std::plus<>{}, cub::FutureValue<std::uint32_t>(before),
          static_cast<std::int64_t>(out[part].size()), stream));
    }
  };
}

std::function<void()> plain_reduce(Ranks& ranks, Parts<const std::uint32_t> in,
                                   std::span<std::uint32_t* const> results) {
  const auto group = std::make_shared<Group>(ranks, in);
  return [&ranks, group, results = std::vector<std::uint32_t*>(results.begin(), results.end())] {
    group->gather_totals();
    for (int i = 0; i < ranks.local(); ++i) {
      const DeviceGuard device(ranks.context(i));
      SCANLENS_CUDA_CHECK(launch_kernel(add_kernel, 1, 1, 0, stream_of(ranks.context(i)), group->totals(i),
                                        ranks.count(), results[static_cast<std::size_t>(i)]));
    }
  };
}

}  // namespace scanlens::bench::gpu
