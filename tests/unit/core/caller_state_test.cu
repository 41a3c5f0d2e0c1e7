// The state that calls leave to their caller: the CUDA device and errors as they were, and memory that may
// go.
#include <cudaTypedefs.h>

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "core/graph.h"
#include "core/rows/column_states.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/driver.cuh"
#include "core/sat.h"
#include "core/sat/cuda/exchange.cuh"
#include "core/scan.h"
#include "core/scan_axis.h"
#include "core/sort.h"
#include "core/transpose.h"
#include "tests/unit/support/arrays.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

class OnCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string cause = test::why_not("cuda"); !cause.empty()) SCANLENS_SKIP_OR_FAIL(cause);
  }
};

/// A context opened, used for calls of every kind of launch, and closed; the results are right.
void use_everything() {
  Context context = Context::open("cuda:0");
  constexpr std::int64_t kWidth = 640, kHeight = 256, n = kWidth * kHeight;
  test::GuardedArray<std::uint32_t> in(context, std::vector<std::uint32_t>(n, 1)),
      out(context, std::vector<std::uint32_t>(n));
  const View<const std::uint32_t> from(in.data(), kWidth, kHeight);
  Graph graph(context, [&] {
    inclusive_scan(context, in.in(), out.span());
    transpose<std::uint32_t>(context, from, View<std::uint32_t>(out.data(), kHeight, kWidth));
    inclusive_scan_columns<std::uint32_t>(context, from, View<std::uint32_t>(out.data(), kWidth, kHeight));
    summed_area_table<std::uint8_t, std::uint32_t>(
        context, View<const std::uint8_t>(reinterpret_cast<const std::uint8_t*>(in.data()), kWidth, kHeight),
        View<std::uint32_t>(out.data(), kWidth, kHeight));
    sort_keys(context, in.in(), out.span());
    inclusive_scan(context, in.in(), out.span());
  });
  graph.replay();
  EXPECT_GE(context.time([&] { graph.replay(); }), 0);
  EXPECT_EQ(out.contents()[n - 1], n);
  context.trim();
  EXPECT_GT(context.available_memory(), 0u);
}

TEST_F(OnCuda, ACallersErrorIsNeitherReportedNorCleared) {
  for (const bool by_memory : {true, false}) {
    void* memory = nullptr;
    cudaGetLastError();
    const cudaError_t pending = by_memory ? cudaMalloc(&memory, std::size_t{1} << 60) : cudaSetDevice(9999);
    ASSERT_NE(pending, cudaSuccess);
    EXPECT_NO_THROW(use_everything());
    EXPECT_EQ(cudaGetLastError(), pending);
  }
}

TEST_F(OnCuda, ARefusedCallLeavesNoErrorBehind) {
  EXPECT_THROW(Memory(Backend::cuda, std::size_t{1} << 60, 0), Error);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

/// The driver's current context in this thread; null without one.
CUcontext current_context() {
  CUcontext current = nullptr;
  EXPECT_EQ(gpu::driver_function<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent", 4000)(&current), CUDA_SUCCESS);
  return current;
}

TEST_F(OnCuda, AThreadWithoutADeviceStaysWithout) {
  std::thread([] {
    const CUcontext before = current_context();
    use_everything();
    EXPECT_EQ(current_context(), before);
  }).join();
}

TEST_F(OnCuda, TheCurrentDeviceStaysCurrent) {
  int devices = 0;
  SCANLENS_CUDA_CHECK(cudaGetDeviceCount(&devices));
  for (int device = 0; device < devices; ++device)
    std::thread([device] {
      SCANLENS_CUDA_CHECK(cudaSetDevice(device));
      const CUcontext before = current_context();
      use_everything();
      int after = -1;
      SCANLENS_CUDA_CHECK(cudaGetDevice(&after));
      EXPECT_EQ(after, device);
      EXPECT_EQ(current_context(), before);
    }).join();
}

TEST_F(OnCuda, CopiesOfPinnedMemoryAreOrderedOnTheStream) {
  Context context = Context::open("cuda");
  constexpr std::int64_t kSide = 4096;
  void* pinned = nullptr;
  SCANLENS_CUDA_CHECK(cudaMallocHost(&pinned, kSide * kSide * sizeof(std::uint32_t)));
  const View<std::uint32_t> host(static_cast<std::uint32_t*>(pinned), kSide, kSide);
  std::fill_n(host.data, kSide * kSide, 7u);
  Image<std::uint32_t> device(context, kSide, kSide);
  copy(context, View<const std::uint32_t>(host), device.view());
  context.synchronize();
  std::fill_n(host.data, kSide * kSide, 0u);
  copy(context, std::as_const(device).view(), host);
  context.synchronize();
  EXPECT_EQ(std::count(host.data, host.data + kSide * kSide, 7u), kSide * kSide);
  SCANLENS_CUDA_CHECK(cudaFreeHost(pinned));
}

/// Sets `count` words of what was kept for `place` to `value`.
void set_words(Context& context, const MeetingPlace& place, std::size_t count, std::uint32_t value) {
  const std::size_t bytes = count * sizeof(value);
  const std::vector<std::uint32_t> words(count, value);
  copy_bytes(context, words.data(), 0, meeting_memory(context, place, bytes), 0,
             static_cast<std::int64_t>(bytes), 1);
}

/// Words that hold 0, because nobody has written them yet, are of no launch's epoch, when epochs of 32 bits
/// begin again too.
TEST_F(OnCuda, EpochsLeaveOutZero) {
  for (std::uint32_t last = 0u - 12; last != 3; ++last) {
    const auto check = [&](std::int64_t width, std::int64_t height) {
      Context context = Context::open("cuda");  // whose words are 0
      const Image<std::uint8_t> image = test::random_image<std::uint8_t>(width, height);
      Context host = Context::open("cpu");
      Image<std::uint32_t> expected(width, height);
      summed_area_table<std::uint8_t, std::uint32_t>(host, image.view(), expected.view());
      Image<std::uint8_t> on_device(context, width, height);
      copy(context, image.view(), on_device.view());
      Image<std::uint32_t> table(context, width, height);
      set_words(context, gpu::kSatExchange, gpu::kMostSatBlocks, last);
      summed_area_table<std::uint8_t, std::uint32_t>(context, std::as_const(on_device).view(), table.view());
      table = download(context, std::move(table));
      test::expect_equal<std::uint32_t>(table.view(), expected.view(), "table after " + std::to_string(last));

      Image<std::uint32_t> columns(context, width, height), sums(width, height);
      copy(context, std::as_const(expected).view(), columns.view());
      inclusive_scan_columns<std::uint32_t>(host, std::as_const(expected).view(), sums.view());
      set_words(context, gpu::kColumnExchange, gpu::ColumnStates<std::uint32_t>::kMostBlocks, last);
      inclusive_scan_columns<std::uint32_t>(context, std::as_const(columns).view(), columns.view());
      columns = download(context, std::move(columns));
      test::expect_equal<std::uint32_t>(columns.view(), sums.view(), "columns after " + std::to_string(last));
    };
    check(512, 512);    // tiles that stay in shared memory
    check(16384, 200);  // stripes
    check(1000, 3000);  // tiles
  }
}

}  // namespace
}  // namespace scanlens
