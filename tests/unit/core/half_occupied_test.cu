// Kernels whose blocks wait for each other run on streams of all priorities at once, where many find room for
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

#include "core/graph.h"
#include "core/image.h"
#include "core/runtime/cuda_check.cuh"
#include "core/sat.h"
#include "core/scan.h"
#include "tests/unit/support/sat.h"

namespace scanlens {
namespace {

using Words = std::vector<std::uint32_t>;

/// Holds a part of the GPU for a while.
__global__ void hold_kernel(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}
/// Bytes of shared memory beside which no block of core/pipeline/launch.cuh or core/sat/cuda/resident.cuh
/// fits.
constexpr int kHeldBytes = 112 * 1024;

/// Words on the device.
class DeviceWords {
 public:
  explicit DeviceWords(const Words& words)
      : memory_(Backend::cuda, words.size() * sizeof(std::uint32_t), 0), count_(words.size()) {
    SCANLENS_CUDA_CHECK(cudaMemcpy(memory_.data(), words.data(), memory_.bytes(), cudaMemcpyDefault));
  }
  std::span<std::uint32_t> first(std::int64_t n) {
    return {reinterpret_cast<std::uint32_t*>(memory_.data()), static_cast<std::size_t>(n)};
  }
  Words contents() const {
    Words words(count_);
    SCANLENS_CUDA_CHECK(cudaMemcpy(words.data(), memory_.data(), memory_.bytes(), cudaMemcpyDefault));
    return words;
  }

 private:
  Memory memory_;
  std::size_t count_;
};

/// Replays scans of one and of many tiles per block, each of the results of the scan before. Replays tables
/// of these, and compares now and then.
void sum_on(Context& context, cudaStream_t stream, const Words& values, int thread) {
  const auto n = static_cast<std::int64_t>(values.size());
  const std::int64_t counts[] = {n, 1 << 20, n * 7 / 8 + thread, n, 70001, n};
  Words expected = values;
  for (const std::int64_t count : counts)
    std::partial_sum(expected.begin(), expected.begin() + count, expected.begin());
  constexpr std::int64_t kWidth = 1000, kHeight = 700;
  constexpr int kChannels = 3;
  const View<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(expected.data()), kWidth,
                                       kHeight, kChannels);
  const Image<std::uint32_t> reference = test::table_reference<std::uint32_t>(
      kWidth, kHeight, kChannels, [&](auto x, auto y, int c) { return bytes(x, y, c); });
  const Words expected_table(reference.view().data, reference.view().data + reference.view().extent());
  constexpr std::int64_t kFlat = kHeight / 7;
  const Words expected_flat(expected_table.begin(), expected_table.begin() + kWidth * kFlat * kChannels);
  DeviceWords in(values), out(values), table(Words(expected_table.size())),
      flat_table(Words(expected_flat.size()));
  Graph graph(context, [&] {
    SCANLENS_CUDA_CHECK(cudaMemcpyAsync(out.first(n).data(), in.first(n).data(), in.first(n).size_bytes(),
                                        cudaMemcpyDeviceToDevice, stream));
    for (const std::int64_t count : counts) inclusive_scan(context, out.first(count), out.first(count));
    const auto* samples = reinterpret_cast<const std::uint8_t*>(out.first(n).data());
    for (const auto& [words, height] : {std::pair(&flat_table, kFlat), std::pair(&table, kHeight)})
      summed_area_table<std::uint8_t, std::uint32_t>(
          context, View<const std::uint8_t>(samples, kWidth, height, kChannels),
          View<std::uint32_t>(words->first(1).data(), kWidth, height, kChannels));
  });
  for (int round = 0; round < 100; ++round) {
    if ((round + thread) % 3 == 0) {
      hold_kernel<<<40 + 13 * thread, 256, kHeldBytes, stream>>>(40000 + 3000 * thread);
      SCANLENS_CUDA_CHECK(cudaGetLastError());
    }
    graph.replay(2);
    if (round % 20 != 19) continue;
    context.synchronize();
    ASSERT_TRUE(out.contents() == expected) << "thread " << thread << ", round " << round;
    ASSERT_TRUE(flat_table.contents() == expected_flat) << "thread " << thread << ", round " << round;
    ASSERT_TRUE(table.contents() == expected_table) << "thread " << thread << ", round " << round;
  }
  context.synchronize();
}

/// The same on a stream of its own.
void sum_beside_others(const Words& values, float priority, int thread) {
  int lowest = 0, highest = 0;
  SCANLENS_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  cudaStream_t stream = nullptr;
  SCANLENS_CUDA_CHECK(cudaStreamCreateWithPriority(
      &stream, cudaStreamNonBlocking,
      lowest + static_cast<int>(priority * static_cast<float>(highest - lowest))));
  {
    Context context = Context::on_stream(stream, 0);
    sum_on(context, stream, values, thread);
  }
  SCANLENS_CUDA_CHECK(cudaStreamDestroy(stream));
}

TEST(HalfOccupied, ScansAndTablesOnStreamsOfAllPrioritiesEnd) {
  if (const std::string cause = test::why_not("cuda"); !cause.empty()) SCANLENS_SKIP_OR_FAIL(cause);
  SCANLENS_CUDA_CHECK(
      cudaFuncSetAttribute(hold_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kHeldBytes));
  Words values(std::size_t{1} << 23);
  for (std::uint32_t state = 1; std::uint32_t & value : values) value = state = state * 1664525 + 1013904223;

  constexpr int kThreads = 6;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] { sum_beside_others(values, i / (kThreads - 1.0f), i); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace scanlens
