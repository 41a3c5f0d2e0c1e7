// Contexts on streams of the caller's: the same results, in the caller's order, inside the caller's graphs.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/device_allocator.h"
#include "core/graph.h"
#include "core/image.h"
#include "core/runtime/cuda_check.cuh"
#include "core/sat.h"
#include "core/scan.h"
#include "core/scan_axis.h"
#include "core/sort.h"
#include "core/transpose.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

constexpr std::int64_t kWidth = 1031, kHeight = 517, kCount = kWidth * kHeight;
constexpr int kKinds = 7;
using Words = std::vector<std::uint32_t>;

const Words& zeros() {
  static const Words words(kCount);
  return words;
}
Words words_of(std::uint32_t seed) {
  Words words(kCount);
  for (std::uint32_t& word : words) word = (seed = seed * 1664525 + 1013904223) >> 20;
  return words;
}

/// Makes a call of one of the kKinds kinds of launch.
void call(Context& context, int kind, std::uint32_t* from, std::uint32_t* to) {
  const std::span<const std::uint32_t> in(from, kCount);
  const std::span<std::uint32_t> out(to, kCount);
  const View<const std::uint32_t> image(from, kWidth, kHeight);
  const View<std::uint32_t> result(to, kWidth, kHeight);
  switch (kind) {
    case 0:
      return inclusive_scan(context, in, out);
    case 1:
      return sort_keys(context, in, out);
    case 2:
      return inclusive_scan_columns<std::uint32_t>(context, image, result);
    case 3:
      return summed_area_table<std::uint8_t, std::uint32_t>(
          context, View<const std::uint8_t>(reinterpret_cast<const std::uint8_t*>(from), kWidth, kHeight),
          result);
    case 4:
      return transpose<std::uint32_t>(context, image, View<std::uint32_t>(to, kHeight, kWidth));
    case 5:
      return inclusive_scan_rows<std::uint32_t>(context, image, result);
    default:
      return exclusive_scan(context, in, out);
  }
}

/// An array on the device, without a context.
class Device {
 public:
  explicit Device(const Words& words) : memory_(Backend::cuda, words.size() * 4, 0) { set(words); }
  std::uint32_t* data() const { return reinterpret_cast<std::uint32_t*>(memory_.data()); }
  /// Waits first: a sort whose keys change meanwhile writes anywhere.
  void set(const Words& words) {
    SCANLENS_CUDA_CHECK(cudaDeviceSynchronize());
    SCANLENS_CUDA_CHECK(cudaMemcpy(memory_.data(), words.data(), memory_.bytes(), cudaMemcpyDefault));
    SCANLENS_CUDA_CHECK(cudaDeviceSynchronize());  // a copy of pageable memory may be under way still
  }
  Words contents() const {
    Words words(memory_.bytes() / 4);
    SCANLENS_CUDA_CHECK(cudaDeviceSynchronize());
    SCANLENS_CUDA_CHECK(cudaMemcpy(words.data(), memory_.data(), memory_.bytes(), cudaMemcpyDefault));
    return words;
  }

 private:
  Memory memory_;
};

class OwnedStream {
 public:
  explicit OwnedStream(unsigned flags = cudaStreamNonBlocking) {
    SCANLENS_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, flags));
  }
  ~OwnedStream() { cudaStreamDestroy(stream_); }
  OwnedStream(const OwnedStream&) = delete;
  OwnedStream& operator=(const OwnedStream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A graph that can be launched.
class Executable {
 public:
  explicit Executable(cudaGraph_t graph) {
    SCANLENS_CUDA_CHECK(cudaGraphInstantiate(&executable_, graph, 0));
    SCANLENS_CUDA_CHECK(cudaGraphDestroy(graph));
  }
  ~Executable() { cudaGraphExecDestroy(executable_); }
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;
  void launch(cudaStream_t stream) const { SCANLENS_CUDA_CHECK(cudaGraphLaunch(executable_, stream)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

template <class Work>
cudaGraph_t captured(cudaStream_t stream, cudaStreamCaptureMode mode, const Work& work) {
  cudaGraph_t graph = nullptr;
  SCANLENS_CUDA_CHECK(cudaStreamBeginCapture(stream, mode));
  work();
  SCANLENS_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

class Streams : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string cause = test::why_not("cuda"); !cause.empty()) SCANLENS_SKIP_OR_FAIL(cause);
    SCANLENS_CUDA_CHECK(cudaSetDevice(0));
  }

  /// Returns the words that a context on a stream of its own makes.
  static Words expected(int kind, const Words& words) {
    static std::mutex mutex;
    static std::map<std::pair<int, std::uint32_t>, Words> known;
    const std::lock_guard lock(mutex);
    Words& found = known[{kind, words[0] << 12 | words[1]}];
    if (found.empty()) {
      Context context = Context::open("cuda:0");
      Device in(words), out(words);
      call(context, kind, in.data(), out.data());
      context.synchronize();
      found = out.contents();
    }
    return found;
  }
};

TEST_F(Streams, OfFourKindsGiveTheSameBits) {
  const OwnedStream blocking(cudaStreamDefault), free_of_others;
  const cudaStream_t streams[] = {nullptr, cudaStreamLegacy, cudaStreamPerThread, blocking, free_of_others};
  const Words words = words_of(1);
  for (const cudaStream_t stream : streams) {
    Context context = Context::on_stream(stream, 0);
    EXPECT_EQ(context.native_stream(), stream);
    Device in(words), out(words);
    for (int kind = 0; kind < kKinds; ++kind) {
      call(context, kind, in.data(), out.data());
      EXPECT_TRUE(out.contents() == expected(kind, words)) << "kind " << kind;
      Graph graph(context, [&] { call(context, kind, in.data(), out.data()); });
      out.set(words);
      graph.replay(3);
      EXPECT_TRUE(out.contents() == expected(kind, words)) << "kind " << kind << ", a Graph";
    }
  }
}

TEST_F(Streams, NamesWhatIsWrong) {
  EXPECT_THROW(Context::on_stream(nullptr, -1), Error);
  EXPECT_THROW(Context::on_stream(nullptr, 99), Error);
}

/// Writes after a while.
__global__ void write_late(std::uint32_t* to, const std::uint32_t* from, std::int64_t n, long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  for (std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    to[i] = from[i];
}

TEST_F(Streams, WaitForOthersAndLetOthersWait) {
  const OwnedStream stranger, own;
  const Words words = words_of(2);
  const Device source(words);
  Device in(zeros()), out(zeros()), after(zeros());
  Context context = Context::on_stream(own, 0);
  cudaEvent_t written = nullptr, scanned = nullptr;
  SCANLENS_CUDA_CHECK(cudaEventCreate(&written));
  SCANLENS_CUDA_CHECK(cudaEventCreate(&scanned));
  for (const bool by_events : {false, true}) {
    in.set(zeros());
    after.set(zeros());
    write_late<<<32, 256, 0, stranger>>>(in.data(), source.data(), kCount, 20'000'000);
    if (by_events) {
      SCANLENS_CUDA_CHECK(cudaEventRecord(written, stranger));
      context.after_event(written);
    } else {
      context.after_stream(stranger);
    }
    call(context, 0, in.data(), out.data());
    if (by_events) {
      context.record_event(scanned);
      SCANLENS_CUDA_CHECK(cudaStreamWaitEvent(stranger, scanned, 0));
    } else {
      context.before_stream(stranger);
    }
    write_late<<<32, 256, 0, stranger>>>(after.data(), out.data(), kCount, 0);
    EXPECT_TRUE(after.contents() == expected(0, words)) << "by events: " << by_events;
  }
  cudaEventDestroy(written);
  cudaEventDestroy(scanned);
}

TEST_F(Streams, AreCapturedColdInAllModes) {
  for (const auto mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    const OwnedStream stream, other;
    Context context = Context::on_stream(stream, 0);
    Device in(words_of(3)), live_in(words_of(4)), live_out(words_of(4));
    std::vector<std::unique_ptr<Device>> out;
    for (int kind = 0; kind < kKinds; ++kind) out.push_back(std::make_unique<Device>(zeros()));
    const Executable all(captured(stream, mode, [&] {
      for (int kind = 0; kind < kKinds; ++kind)
        call(context, kind, in.data(), out[static_cast<std::size_t>(kind)]->data());
    }));
    for (int round = 0; round < 100; ++round) {
      const bool checks = round % 25 == 0;
      const Words words = words_of(5 + static_cast<std::uint32_t>(round / 25));
      if (checks) in.set(words);
      all.launch(round % 2 ? other : stream);
      // A call beside the replay, where that runs on the other stream.
      call(context, round % kKinds, live_in.data(), live_out.data());
      if (!checks) continue;
      EXPECT_TRUE(live_out.contents() == expected(round % kKinds, words_of(4))) << "round " << round;
      for (int kind = 0; kind < kKinds; ++kind)
        EXPECT_TRUE(out[static_cast<std::size_t>(kind)]->contents() == expected(kind, words))
            << "mode " << mode << ", round " << round << ", kind " << kind;
    }
  }
}

/// Graphs that one stream recorded run at once on two.
TEST_F(Streams, GraphsOfOneStreamRunBesideEachOther) {
  const OwnedStream recorder, streams[2];
  Context context = Context::on_stream(recorder, 0);
  const Words words[2] = {words_of(11), words_of(12)};
  std::vector<std::unique_ptr<Device>> in, out;
  std::vector<std::unique_ptr<Executable>> graphs;
  for (int kind = 0; kind < kKinds; ++kind)
    for (const Words& of_stream : words) {
      in.push_back(std::make_unique<Device>(of_stream));
      out.push_back(std::make_unique<Device>(zeros()));
      graphs.push_back(std::make_unique<Executable>(captured(recorder, cudaStreamCaptureModeGlobal, [&] {
        call(context, kind, in.back()->data(), out.back()->data());
      })));
    }
  for (int round = 0; round < 10000; ++round) {
    const std::size_t kind = static_cast<std::size_t>(test::generator()() % kKinds);
    for (std::size_t i = 0; i < 2; ++i) graphs[2 * kind + i]->launch(streams[i]);
  }
  for (int kind = 0; kind < kKinds; ++kind)
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_TRUE(out[2 * static_cast<std::size_t>(kind) + i]->contents() == expected(kind, words[i]))
          << "kind " << kind << ", stream " << i;
}

TEST_F(Streams, MemoryOfGraphsThatAreGoneComesBack) {
  const OwnedStream stream;
  Context context = Context::on_stream(stream, 0);
  Device in(words_of(3)), out(words_of(3));
  std::size_t with_one = 0;
  for (int round = 0; round < 100; ++round) {
    const Executable graph(captured(stream, cudaStreamCaptureModeRelaxed,
                                    [&] { call(context, round % kKinds, in.data(), out.data()); }));
    graph.launch(stream);
    SCANLENS_CUDA_CHECK(cudaStreamSynchronize(stream));
    if (round < kKinds) with_one = std::max(with_one, context.kept_bytes());
  }
  // The callbacks come some time after the graphs are gone.
  for (int i = 0; i < 100 && context.kept_bytes() > 2 * with_one; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    context.trim();
  }
  EXPECT_LE(context.kept_bytes(), 2 * with_one);
}

TEST_F(Streams, RefuseInACaptureWhatWaits) {
  const OwnedStream stream;
  Context context = Context::on_stream(stream, 0);
  Device in(words_of(3)), out(words_of(3));
  Words pageable(kCount);
  cudaGraph_t graph = captured(stream, cudaStreamCaptureModeGlobal, [&] {
    EXPECT_THROW(context.synchronize(), Error);
    EXPECT_THROW(context.trim(), Error);
    EXPECT_THROW(context.time([] {}), Error);
    EXPECT_THROW(Graph(context, [] {}), Error);
    EXPECT_THROW(copy(context, View<const std::uint32_t>(in.data(), kCount, 1),
                      View<std::uint32_t>(pageable.data(), kCount, 1)),
                 Error);
    call(context, 0, in.data(), out.data());
  });
  Executable(graph).launch(stream);
  EXPECT_TRUE(out.contents() == expected(0, words_of(3))) << "a refusal spoilt the capture";
}

TEST_F(Streams, TwoContextsShareOne) {
  const OwnedStream stream;
  Context first = Context::on_stream(stream, 0), second = Context::on_stream(stream, 0);
  Device in(words_of(6)), a(zeros()), b(zeros());
  for (int round = 0; round < 3000; ++round) {
    const int kind = static_cast<int>(test::generator()() % kKinds), other = (kind + 3) % kKinds;
    call(first, kind, in.data(), a.data());
    call(second, other, in.data(), b.data());
    if (round % 500 != 499) continue;
    EXPECT_TRUE(a.contents() == expected(kind, words_of(6)));
    EXPECT_TRUE(b.contents() == expected(other, words_of(6)));
  }
}

/// Counts, fails at a call, and poisons what comes back.
class Watched : public DeviceAllocator {
 public:
  void* allocate(std::size_t bytes, int, void* stream) override {
    const std::lock_guard lock(mutex);
    if (++calls == fails_at) return nullptr;
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) return nullptr;
    SCANLENS_CUDA_CHECK(cudaMemsetAsync(memory, 0xa5, bytes, static_cast<cudaStream_t>(stream)));
    held[memory] = bytes;
    return memory;
  }
  void release(void* memory, std::size_t bytes, int, void* stream) noexcept override {
    const std::lock_guard lock(mutex);
    if (held[memory] != bytes) ++wrong;
    held.erase(memory);
    cudaMemsetAsync(memory, 0x5a, bytes, static_cast<cudaStream_t>(stream));
    cudaFree(memory);
  }

  std::mutex mutex;
  std::map<void*, std::size_t> held;
  int calls = 0, fails_at = 0, wrong = 0;
};

TEST_F(Streams, TakeMemoryFromTheCallersAllocator) {
  const OwnedStream stream;
  const auto watched = std::make_shared<Watched>();
  const Words words = words_of(7);
  Device in(words), out(words);
  {
    Context context = Context::on_stream(stream, 0, watched);
    const Image<float> image(context, 100, 100);
    EXPECT_EQ(watched->calls, 1);
    for (int kind = 0; kind < kKinds; ++kind) {
      call(context, kind, in.data(), out.data());
      EXPECT_TRUE(out.contents() == expected(kind, words)) << kind;
    }
    const int calls = watched->calls;
    for (int kind = 0; kind < kKinds; ++kind) call(context, kind, in.data(), out.data());
    EXPECT_EQ(watched->calls, calls) << "warm calls allocate";
  }
  EXPECT_TRUE(watched->held.empty());
  EXPECT_EQ(watched->wrong, 0);

  const int of_all = watched->calls;
  for (int k = 1; k <= of_all; ++k) {
    const auto failing = std::make_shared<Watched>();
    failing->fails_at = k;
    Context context = Context::on_stream(stream, 0, failing);
    for (int kind = 0; kind < kKinds; ++kind) {
      try {
        call(context, kind, in.data(), out.data());
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::retry);
        call(context, kind, in.data(), out.data());
      }
      EXPECT_TRUE(out.contents() == expected(kind, words)) << "failed at " << k << ", kind " << kind;
    }
  }
}

TEST_F(Streams, TakeMemoryFromAPool) {
  const OwnedStream stream;
  const Words words = words_of(8);
  Device in(words), out(words);
  Context context = Context::on_stream(stream, 0, pool_allocator(0));
  context.reserve(64 << 20);
  EXPECT_GE(context.kept_bytes(), std::size_t{64} << 20);
  for (int kind = 0; kind < kKinds; ++kind) {
    call(context, kind, in.data(), out.data());
    EXPECT_TRUE(out.contents() == expected(kind, words)) << kind;
    const Executable graph(
        captured(stream, cudaStreamCaptureModeGlobal, [&] { call(context, kind, in.data(), out.data()); }));
    out.set(zeros());
    graph.launch(stream);
    EXPECT_TRUE(out.contents() == expected(kind, words)) << kind << ", captured";
  }
}

TEST_F(Streams, OfManyThreadsWorkSideBySide) {
  const OwnedStream streams[2];
  const Words words = words_of(9);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      Context context = Context::on_stream(streams[i % 2], 0);
      Device in(words), out(words);
      for (int round = 0; round < 40; ++round) {
        const int kind = (round + i) % kKinds;
        call(context, kind, in.data(), out.data());
        context.synchronize();
        Words result(kCount);
        SCANLENS_CUDA_CHECK(cudaMemcpy(result.data(), out.data(), kCount * 4, cudaMemcpyDefault));
        if (result != expected(kind, words)) ADD_FAILURE() << "thread " << i << ", kind " << kind;
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace scanlens
