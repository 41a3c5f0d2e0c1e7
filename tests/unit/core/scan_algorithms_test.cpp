// The scan algorithms by name against a sequential sum.
#include "core/textbook/scan_algorithms.h"

#include <cmath>
#include <limits>
#include <thread>

#include "core/graph.h"
#include "tests/unit/support/arrays.h"

namespace scanlens {
namespace {

using test::expect_same;
using test::GuardedArray;

class Algorithms : public test::OnDevice {};

constexpr ScanKind kKinds[] = {ScanKind::inclusive, ScanKind::exclusive};

const char* name_of(ScanKind kind) {
  return kind == ScanKind::inclusive ? "inclusive" : "exclusive";
}

/// Integers of all bits; floats with few enough that every sum is exact, whatever the order.
template <class T>
std::vector<T> random_numbers(std::int64_t count) {
  std::vector<T> numbers(static_cast<std::size_t>(count));
  for (T& number : numbers) {
    const std::uint64_t bits = test::generator()();
    number = std::is_integral_v<T> ? static_cast<T>(bits) : static_cast<T>(static_cast<int>(bits % 7) - 3);
  }
  return numbers;
}

template <class T>
std::vector<T> scanned(ScanKind kind, const std::vector<T>& in) {
  std::vector<T> out;
  out.reserve(in.size());
  std::conditional_t<std::is_integral_v<T>, std::uint32_t, double> sum = 0;
  for (const T value : in) {
    const auto before = sum;
    sum += static_cast<decltype(sum)>(value);
    out.push_back(static_cast<T>(kind == ScanKind::inclusive ? sum : before));
  }
  return out;
}

/// Every algorithm and kind, into another array (`shift` elements off alignment on either side) and in place.
template <class T>
void check(Context& context, std::int64_t count, std::int64_t shift_in = 0, std::int64_t shift_out = 0) {
  const std::vector<T> in = random_numbers<T>(count);
  for (const ScanKind kind : kKinds) {
    const std::vector<T> expected = scanned(kind, in);
    for (const ScanAlgorithmInfo& info : scan_algorithms()) {
      const std::string what = std::string(info.name) + " " + name_of(kind) + " of " + std::to_string(count) +
                               " shifted by " + std::to_string(shift_in) + " and " +
                               std::to_string(shift_out);
      GuardedArray<T> from(context, in, shift_in), to(context, std::vector<T>(in.size(), T(1)), shift_out);
      scan_by<T>(context, info.algorithm, kind, from.span(), to.span());
      expect_same(to.contents(what), expected, what);
      expect_same(from.contents(what), in, what + ", the input afterwards");

      GuardedArray<T> both(context, in, shift_in);
      scan_by<T>(context, info.algorithm, kind, both.span(), both.span());
      expect_same(both.contents(what), expected, what + ", in place");
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST_P(Algorithms, EqualsTheSequentialSumAtSizesAroundWarpsAndBlocks) {
  for (const std::int64_t count :
       {0,    1,    2,    3,    31,   32,   33,   127,  255,   256,   257,   511,   512,   513,   997,   1023,
        1024, 1025, 2047, 2048, 2049, 4099, 8191, 8193, 16383, 16384, 16385, 32767, 32769, 65537, 104729}) {
    check<std::uint32_t>(*context, count);
    if (HasFailure()) return;
  }
}

TEST_P(Algorithms, EqualsTheSequentialSumForOtherTypes) {
  for (const std::int64_t count : {1, 33, 2049, 16385, 100003}) {
    check<std::int32_t>(*context, count);
    check<float>(*context, count);
    if (HasFailure()) return;
  }
}

TEST_P(Algorithms, HoldsForArraysOffAlignment) {
  for (std::int64_t shift = 0; shift < 4; ++shift)
    for (const std::int64_t count : {5, 2048, 16384, 40009}) {
      check<std::uint32_t>(*context, count, shift, 0);
      check<std::uint32_t>(*context, count, 1, shift);
      if (HasFailure()) return;
    }
}

TEST_P(Algorithms, HoldsForRandomSizes) {
  for (int round = 0; round < 20; ++round) {
    const auto count = static_cast<std::int64_t>(test::generator()() % 200'000);
    check<std::uint32_t>(*context, count, round % 4, round / 4 % 4);
    if (HasFailure()) return;
  }
}

TEST_P(Algorithms, HoldsForThreeLevelsOfBlockSums) {
  // 512^2 and 1024^2 are what two levels of the first algorithms hold, 2048^2 of the later ones.
  for (const std::int64_t count : {512 * 512 + 1, 1024 * 1024 + 3, 2048 * 2048 + 5}) {
    check<std::uint32_t>(*context, count);
    if (HasFailure()) return;
  }
}

TEST_P(Algorithms, FloatSumsStayWithinTheStatedBound) {
  const std::int64_t count = 1'000'003;
  std::vector<float> in(count);
  for (float& value : in) value = std::uniform_real_distribution<float>(-1, 1)(test::generator());
  std::vector<double> sums, magnitudes;
  double sum = 0, magnitude = 0;
  for (const float value : in) {
    sums.push_back(sum += value);
    magnitudes.push_back(magnitude += std::abs(value));
  }
  for (const ScanAlgorithmInfo& info : scan_algorithms()) {
    GuardedArray<float> array(*context, in);
    scan_by<float>(*context, info.algorithm, ScanKind::inclusive, array.span(), array.span());
    const std::vector<float> actual = array.contents(std::string(info.name));
    double chain = 32 + 2 * std::log2(count);
    if (info.algorithm == ScanAlgorithm::warp_shuffle && !context->on_cuda()) chain = 4096 + 64;
    if (info.algorithm == ScanAlgorithm::look_back) chain = 16384 + count / 16384.0;
    for (std::int64_t i = 0; i < count; ++i)
      ASSERT_LE(std::abs(actual[i] - sums[i]), chain * std::numeric_limits<float>::epsilon() * magnitudes[i])
          << info.name << " at " << i;
  }
}

TEST_P(Algorithms, FloatsHaveTheSameBitsEveryRun) {
  std::vector<float> in(300'007);
  for (float& value : in) value = std::uniform_real_distribution<float>(-1, 1)(test::generator());
  for (const ScanAlgorithmInfo& info : scan_algorithms()) {
    if (info.algorithm == ScanAlgorithm::look_back) continue;
    std::vector<float> first;
    for (int run = 0; run < 5; ++run) {
      GuardedArray<float> array(*context, in);
      scan_by<float>(*context, info.algorithm, ScanKind::exclusive, array.span(), array.span());
      const std::vector<float> now = array.contents(std::string(info.name));
      if (run == 0) first = now;
      expect_same(now, first, std::string(info.name) + " in run " + std::to_string(run));
    }
  }
}

TEST_P(Algorithms, ReplaysWithChangedInput) {
  const std::int64_t count = 150'001;
  for (const ScanAlgorithmInfo& info : scan_algorithms()) {
    const std::string what = std::string(info.name) + " replayed";
    Image<std::uint32_t> in(*context, count, 1), out(*context, count, 1);
    const std::span<const std::uint32_t> from(in.view().data, count);
    const std::span<std::uint32_t> to(out.view().data, count);
    {
      std::vector<std::uint32_t> zeros(count);
      copy(*context, View<const std::uint32_t>(zeros.data(), count, 1), in.view());
    }
    Graph graph(*context, [&] { scan_by(*context, info.algorithm, ScanKind::inclusive, from, to); });
    for (int replay = 0; replay < 4; ++replay) {
      const std::vector<std::uint32_t> values = random_numbers<std::uint32_t>(count);
      copy(*context, View<const std::uint32_t>(values.data(), count, 1), in.view());
      graph.replay(replay + 1);
      std::vector<std::uint32_t> result(count);
      copy(*context, std::as_const(out).view(), View<std::uint32_t>(result.data(), count, 1));
      context->synchronize();
      expect_same(result, scanned(ScanKind::inclusive, values), what);
    }
  }
}

TEST_P(Algorithms, RunsOnSeveralContextsAtOnce) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([thread, in = random_numbers<std::uint32_t>(70'001 + thread)] {
      Context own = Context::open(GetParam());
      const std::vector<std::uint32_t> expected = scanned(ScanKind::exclusive, in);
      for (const ScanAlgorithmInfo& info : scan_algorithms()) {
        GuardedArray<std::uint32_t> array(own, in);
        scan_by<std::uint32_t>(own, info.algorithm, ScanKind::exclusive, array.span(), array.span());
        expect_same(array.contents("margin"), expected,
                    std::string(info.name) + " in thread " + std::to_string(thread));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Algorithms, RefusesWrongArrays) {
  Image<std::uint32_t> memory(*context, 100, 1);
  std::uint32_t* data = memory.view().data;
  const auto message = [&](std::span<const std::uint32_t> in, std::span<std::uint32_t> out) -> std::string {
    try {
      scan_by(*context, ScanAlgorithm::naive, ScanKind::inclusive, in, out);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
  };
  EXPECT_NE(message({data, 10}, {data + 50, 11}).find("scan_by"), std::string::npos);
  EXPECT_NE(message({data, 10}, {data + 9, 10}).find("overlap"), std::string::npos);
  EXPECT_NE(message({data + 1, 10}, {data, 10}).find("overlap"), std::string::npos);
  EXPECT_NE(message({static_cast<std::uint32_t*>(nullptr), 10}, {data, 10}).find("`in`"), std::string::npos);
  EXPECT_NE(message({data, 10}, {static_cast<std::uint32_t*>(nullptr), 10}).find("`out`"), std::string::npos);
  EXPECT_EQ(message({}, {}), "");
}

/// The sum of i * kFactor over all i below n, modulo 2^32.
constexpr std::uint32_t kFactor = 2654435761;
std::uint32_t sum_below(std::int64_t n) {
  const auto even = static_cast<std::uint64_t>(n % 2 == 0 ? n : n - 1),
             odd = static_cast<std::uint64_t>(2 * n - 1) - even;
  return static_cast<std::uint32_t>(even / 2 * odd) * kFactor;
}

TEST_P(Algorithms, HoldsBeyond2To31) {
  SCANLENS_NEEDS_A_LARGE_MACHINE();
  const std::int64_t most = std::int64_t{1} << (context->on_cuda() ? 32 : 31), count = most + 2049;
  Image<std::uint32_t> in(count, 1), out(*context, count, 1);
  for (std::int64_t i = 0; i < count; ++i) in.view().data[i] = static_cast<std::uint32_t>(i) * kFactor;
  in = upload(*context, std::move(in));
  ScanKind kind = ScanKind::inclusive;
  for (const ScanAlgorithmInfo& info : scan_algorithms()) {
    kind = kind == ScanKind::inclusive ? ScanKind::exclusive
                                       : ScanKind::inclusive;  // tells it from the last one
    const auto n = static_cast<std::size_t>(count);
    scan_by<std::uint32_t>(*context, info.algorithm, kind, {in.view().data, n}, {out.view().data, n});
    constexpr std::int64_t kWindow = 1 << 20;
    for (const std::int64_t first : {std::int64_t{0}, most / 2 - kWindow / 2, most / 3, count - kWindow}) {
      Image<std::uint32_t> window(kWindow, 1);
      copy(*context, View<const std::uint32_t>(out.view().region(first, 0, kWindow, 1)), window.view());
      context->synchronize();
      for (std::int64_t i = 0; i < kWindow; ++i)
        ASSERT_EQ(window.view().data[i], sum_below(first + i + (kind == ScanKind::inclusive ? 1 : 0)))
            << info.name << " " << name_of(kind) << " at " << first + i;
    }
  }
}

SCANLENS_ON_EVERY_DEVICE(Algorithms);

TEST(AlgorithmNames, FindEachAlgorithm) {
  ASSERT_EQ(scan_algorithms().size(), static_cast<std::size_t>(ScanAlgorithm::automatic) + 1);
  for (std::size_t i = 0; i < scan_algorithms().size(); ++i) {
    const ScanAlgorithmInfo& info = scan_algorithms()[i];
    EXPECT_EQ(static_cast<std::size_t>(info.algorithm), i);
    EXPECT_EQ(scan_algorithm(info.name), info.algorithm);
    EXPECT_FALSE(info.summary.empty());
  }
}

TEST(AlgorithmNames, AnErrorListsThem) {
  try {
    scan_algorithm("fastest");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    for (const ScanAlgorithmInfo& info : scan_algorithms())
      EXPECT_NE(std::string(error.what()).find(info.name), std::string::npos);
  }
}

}  // namespace
}  // namespace scanlens
