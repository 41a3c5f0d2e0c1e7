// Kernels whose blocks wait for each other, on streams of all priorities at once, where many find room for
// only some of their blocks: those that hold the rest wait for room themselves.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/context_impl.h"
#include "core/cuda_check.cuh"
#include "core/graph.h"
#include "core/image.h"
#include "core/scan.h"
#include "support.h"

namespace scanlens {
namespace {

using Words = std::vector<std::uint32_t>;

/// Holds a part of the GPU for a while.
__global__ void hold_kernel(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}
constexpr int kHeldBytes = 60 * 1024;  ///< of shared memory: no block of a wave fits beside it

/// Words on the device.
class DeviceWords {
 public:
  explicit DeviceWords(const Words& words)
      : memory_(Backend::cuda, words.size() * sizeof(std::uint32_t), 0), count_(words.size()) {
    CUDA_CHECK(cudaMemcpy(memory_.data(), words.data(), memory_.bytes(), cudaMemcpyDefault));
  }
  std::span<std::uint32_t> first(std::int64_t n) {
    return {reinterpret_cast<std::uint32_t*>(memory_.data()), static_cast<std::size_t>(n)};
  }
  Words contents() const {
    Words words(count_);
    CUDA_CHECK(cudaMemcpy(words.data(), memory_.data(), memory_.bytes(), cudaMemcpyDefault));
    return words;
  }

 private:
  Memory memory_;
  std::size_t count_;
};

/// Replays scans of one and of many tiles a block on a stream of its own, and compares now and then.
void scan_beside_others(const Words& values, const Words& expected, float priority, int thread) {
  Context context = Context::open("cuda");
  context.synchronize();
  int lowest = 0, highest = 0;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithPriority(
      &stream, cudaStreamNonBlocking,
      lowest + static_cast<int>(priority * static_cast<float>(highest - lowest))));
  void* own = std::exchange(context.impl().stream, stream);

  const auto n = static_cast<std::int64_t>(values.size());
  DeviceWords in(values), out(values);
  Graph graph(context, [&] {
    for (const std::int64_t count : {n, std::int64_t{1} << 20, n * 5 / 8 + thread, n, std::int64_t{70001}, n})
      inclusive_scan<std::uint32_t, std::uint32_t>(context, in.first(count), out.first(count));
  });
  for (int round = 0; round < 100; ++round) {
    if ((round + thread) % 3 == 0)
      hold_kernel<<<40 + 13 * thread, 256, kHeldBytes, stream>>>(40000 + 3000 * thread);
    CUDA_CHECK(cudaMemsetAsync(out.first(n).data(), 0x5e, out.first(n).size_bytes(), stream));
    graph.replay(2);
    if (round % 20 != 19) continue;
    context.synchronize();
    ASSERT_TRUE(out.contents() == expected) << "thread " << thread << ", round " << round;
  }
  context.synchronize();
  context.impl().stream = own;
  CUDA_CHECK(cudaStreamDestroy(stream));
}

TEST(HalfResident, ScansOnStreamsOfAllPrioritiesEnd) {
  if (const std::string cause = test::why_not("cuda"); !cause.empty()) SCANLENS_SKIP_OR_FAIL(cause);
  CUDA_CHECK(cudaFuncSetAttribute(hold_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kHeldBytes));
  Words values(std::size_t{1} << 23);
  for (std::uint32_t state = 1; std::uint32_t & value : values) value = state = state * 1664525 + 1013904223;
  Words expected(values.size());
  std::partial_sum(values.begin(), values.end(), expected.begin());

  constexpr int kThreads = 6;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] { scan_beside_others(values, expected, i / (kThreads - 1.0f), i); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace scanlens
