// Calls under operators of a user's own wait for the kernel ahead in the stream, whatever they were compiled
// for.
#include "core/compact.h"
#include "core/reduce.h"
#include "core/sat_with.h"
#include "core/scan.h"
#include "tests/unit/support/arrays.h"
#include "tests/unit/support/folds.h"
#include "tests/unit/support/late_writer.h"

namespace scanlens {
namespace {

constexpr std::uint32_t kModulus = 1000003;

/// An operator that the library does not hold.
struct AddModulo {
  SCANLENS_HOST_DEVICE std::uint32_t operator()(std::uint32_t x, std::uint32_t y) const {
    const std::uint32_t sum = x + y;  // of numbers below the modulus
    return sum < kModulus ? sum : sum - kModulus;
  }
  template <class T>
  SCANLENS_HOST_DEVICE static T identity() {
    return 0;
  }
};
struct IsOdd {
  SCANLENS_HOST_DEVICE bool operator()(std::uint32_t x) const { return x % 2; }
};

/// Lengths of one block, of one tile per block, and of many tiles, which blocks take in order.
constexpr std::int64_t kLengths[] = {1000, 100'003, 5'000'011};

class WithOrder : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string cause = test::why_not("cuda"); !cause.empty()) SCANLENS_SKIP_OR_FAIL(cause);
    context.emplace(Context::open("cuda"));
  }

  /// Makes `call` while the words are 2, so that all memory is there. Makes it again while a kernel ahead in
  /// the stream is under way, which makes them 3.
  template <class Call>
  void call_on_late_input(const test::GuardedArray<std::uint32_t>& words, const Call& call) {
    call();
    context->synchronize();
    test::write_late(*context, words.data(), std::ssize(words.in()), 3);
    call();
  }

  test::GuardedArray<std::uint32_t> words(std::int64_t n, std::uint32_t value) {
    return {*context, std::vector<std::uint32_t>(static_cast<std::size_t>(n), value)};
  }

  std::optional<Context> context;
};

std::vector<std::uint32_t> sums_of_threes(std::int64_t n) {
  std::vector<std::uint32_t> sums;
  for (std::int64_t i = 1; i <= n; ++i) sums.push_back(static_cast<std::uint32_t>(3 * i % kModulus));
  return sums;
}

TEST_F(WithOrder, ScansWaitForTheKernelAhead) {
  for (const std::int64_t n : kLengths) {
    const auto in = words(n, 2), out = words(n, 0);
    call_on_late_input(in, [&] { inclusive_scan(*context, in.in(), out.span(), AddModulo{}); });
    test::expect_same(out.contents(), sums_of_threes(n), std::to_string(n));
  }
}

TEST_F(WithOrder, SegmentedScansWaitForTheKernelAhead) {
  for (const std::int64_t n : kLengths) {
    const auto in = words(n, 2), out = words(n, 0);
    const test::GuardedArray<std::uint8_t> heads(*context, std::vector<std::uint8_t>(n));
    call_on_late_input(
        in, [&] { inclusive_segmented_scan(*context, in.in(), heads.in(), out.span(), AddModulo{}); });
    test::expect_same(out.contents(), sums_of_threes(n), std::to_string(n));
  }
}

TEST_F(WithOrder, ReductionsWaitForTheKernelAhead) {
  for (const std::int64_t n : kLengths) {
    const auto in = words(n, 2), sum = words(1, 0);
    call_on_late_input(in, [&] { reduce(*context, in.in(), sum.data(), AddModulo{}); });
    EXPECT_EQ(sum.contents()[0], 3 * n % kModulus) << n;
  }
}

TEST_F(WithOrder, CompactionsWaitForTheKernelAhead) {
  for (const std::int64_t n : kLengths) {
    const auto in = words(n, 2), out = words(n, 0);
    const test::GuardedArray<std::uint64_t> count(*context, {0});
    call_on_late_input(in, [&] { compact_if(*context, in.in(), IsOdd{}, out.span(), count.data()); });
    EXPECT_EQ(count.contents()[0], static_cast<std::uint64_t>(n));
    test::expect_same(out.contents(), std::vector<std::uint32_t>(n, 3), std::to_string(n));
  }
}

/// The largest has more tiles than the GPU takes at once: from compute capability 9.0 on they are large ones,
/// unless this file was compiled for older GPUs.
TEST_F(WithOrder, TablesWaitForTheKernelAhead) {
  for (const auto& size : {std::pair<std::int64_t, std::int64_t>{40, 8}, {300, 111}, {1600, 1041}}) {
    const std::int64_t width = size.first, height = size.second;
    const std::int64_t n = width * height * 3;
    const auto in = words(n, 2), out = words(n, 0);
    call_on_late_input(in, [&] {
      summed_area_table<3, 3>(*context, View<const std::uint32_t>(in.data(), width, height, 3),
                              View<std::uint32_t>(out.data(), width, height, 3));
    });
    std::vector<std::uint32_t> sums;
    for (std::int64_t y = 1; y <= height; ++y)
      for (std::int64_t x = 1; x <= width; ++x)
        sums.insert(sums.end(), 3, static_cast<std::uint32_t>(3 * x * y));
    test::expect_same(out.contents(), sums, std::to_string(width) + " x " + std::to_string(height));
  }
}

}  // namespace
}  // namespace scanlens
