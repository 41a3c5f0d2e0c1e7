// Scans under operators of one's own on the CPU, around the lengths at which its schedule changes: pieces,
// runs of a piece, results beyond the cache, and any number of threads.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <vector>

#include "core/reduce.h"
#include "core/scan.h"
#include "tests/unit/support/arrays.h"

namespace scanlens {
namespace {

/// The integers first … last, to be joined where they follow each other: any pair out of order, left out or
/// taken twice shows as a break. kWords words; it uses two.
template <int kWords>
struct Stretch {
  std::uint32_t words[kWords];

  static Stretch of(std::uint32_t first, std::uint32_t last) {
    Stretch stretch{};
    stretch.words[0] = first;
    stretch.words[1] = last;
    return stretch;
  }
  static Stretch nothing() { return of(1, 0); }
  static Stretch broken() { return of(2, 0); }
  bool operator==(const Stretch&) const = default;
};

/// It cannot be assigned, and knows where the integers begin.
struct Join {
  const std::uint32_t least;

  template <int kWords>
  Stretch<kWords> operator()(const Stretch<kWords>& a, const Stretch<kWords>& b) const {
    using Any = Stretch<kWords>;
    if (a == Any::nothing()) return b;
    if (b == Any::nothing()) return a;
    if (a == Any::broken() || b == Any::broken() || a.words[1] + 1 != b.words[0] || a.words[0] < least)
      return Any::broken();
    return Any::of(a.words[0], b.words[1]);
  }
  template <class T>
  static T identity() {
    return T::nothing();
  }
};

/// x -> a x + b in floats, whose bits tell how operands were paired up.
struct Affine {
  float a, b;
};
struct Compose {
  Affine operator()(const Affine& f, const Affine& g) const { return {g.a * f.a, g.a * f.b + g.b}; }
  template <class T>
  static T identity() {
    return {1, 0};
  }
};

constexpr std::uint32_t kLeast = 10;

template <int kWords>
std::vector<Stretch<kWords>> integers(std::int64_t n) {
  std::vector<Stretch<kWords>> all;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto integer = static_cast<std::uint32_t>(kLeast + i);
    all.push_back(Stretch<kWords>::of(integer, integer));
  }
  return all;
}

template <int kWords>
Stretch<kWords> since(std::int64_t first, std::int64_t end) {
  if (end <= first) return Stretch<kWords>::nothing();
  return Stretch<kWords>::of(static_cast<std::uint32_t>(kLeast + first),
                             static_cast<std::uint32_t>(kLeast + end - 1));
}

template <int kWords>
void check(Context& context, std::int64_t n, bool in_place) {
  using T = Stretch<kWords>;
  SCOPED_TRACE(std::to_string(n) + " elements of " + std::to_string(sizeof(T)) +
               (in_place ? " bytes, in place" : " bytes"));
  const std::vector<T> values = integers<kWords>(n);
  for (const bool inclusive : {true, false}) {
    test::GuardedArray<T> in(context, values), other(context, in_place ? std::vector<T>() : values);
    const test::GuardedArray<T>& out = in_place ? in : other;
    if (inclusive)
      inclusive_scan(context, in.in(), out.span(), Join{kLeast});
    else
      exclusive_scan(context, in.in(), out.span(), Join{kLeast});
    const std::vector<T> found = out.contents();
    for (std::int64_t i = 0; i < n; ++i)
      ASSERT_EQ(found[i], since<kWords>(0, i + inclusive)) << (inclusive ? "inclusive " : "exclusive ") << i;
  }
}

/// Heads lie `apart` elements apart, the first of them at element `apart`.
void check_segments(Context& context, std::int64_t n, std::int64_t apart, bool in_place) {
  using T = Stretch<2>;
  SCOPED_TRACE(std::to_string(n) + " elements, heads " + std::to_string(apart) + " apart");
  const std::vector<T> values = integers<2>(n);
  std::vector<std::uint8_t> heads(static_cast<std::size_t>(n));
  for (std::int64_t i = apart; i < n; i += apart) heads[i] = static_cast<std::uint8_t>(1 << i % 8);
  for (const bool inclusive : {true, false}) {
    test::GuardedArray<T> in(context, values), other(context, in_place ? std::vector<T>() : values);
    test::GuardedArray<std::uint8_t> flags(context, heads, 3);
    const test::GuardedArray<T>& out = in_place ? in : other;
    if (inclusive)
      inclusive_segmented_scan(context, in.in(), flags.in(), out.span(), Join{kLeast});
    else
      exclusive_segmented_scan(context, in.in(), flags.in(), out.span(), Join{kLeast});
    const std::vector<T> found = out.contents();
    for (std::int64_t i = 0; i < n; ++i)
      ASSERT_EQ(found[i], since<2>(i / apart * apart, i + inclusive))
          << (inclusive ? "inclusive " : "exclusive ") << i;
  }
}

/// One piece, two and several, and all numbers of elements that its runs cannot share evenly.
template <class T>
std::vector<std::int64_t> lengths() {
  std::vector<std::int64_t> all = {0, 1, 2, 3, 4, 5, 1000};
  for (const std::int64_t pieces : {1, 2, 5})
    for (std::int64_t off = -1; off <= cpu::kScanRuns<T> + 1; ++off)
      all.push_back(pieces * cpu::kScanPiece<T> + off);
  return all;
}

TEST(ScanOfOnesOwn, PiecesAndRunsOfAnyLength) {
  Context context = Context::open("cpu");
  for (const bool in_place : {false, true}) {
    for (const std::int64_t n : lengths<Stretch<2>>()) check<2>(context, n, in_place);
    for (const std::int64_t n : lengths<Stretch<3>>()) check<3>(context, n, in_place);
  }
}

TEST(ScanOfOnesOwn, ResultsBeyondTheCache) {
  Context context = Context::open("cpu");
  const auto beyond = [](std::int64_t size) { return ((std::int64_t{16} << 20) / size) + 4099; };
  for (const bool in_place : {false, true}) {
    check<2>(context, beyond(8), in_place);
    check<3>(context, beyond(12), in_place);
    check_segments(context, beyond(8), 1009, in_place);
  }
}

TEST(ScanOfOnesOwn, SegmentsOfAnyLength) {
  Context context = Context::open("cpu");
  constexpr std::int64_t kPiece = cpu::kScanPiece<Stretch<2>>, kRun = kPiece / 4;
  for (const std::int64_t apart : {std::int64_t{1}, std::int64_t{7}, std::int64_t{1009}, kRun - 1, kRun,
                                   kRun + 1, kPiece, 3 * kPiece, 100 * kPiece})
    for (const std::int64_t n : {kPiece, kPiece + 1, 5 * kPiece + 3})
      check_segments(context, n, apart, apart % 2 != 0);
}

TEST(ScanOfOnesOwn, AnyElementSize) {
  Context context = Context::open("cpu");
  check<25>(context, 3 * cpu::kScanPiece<Stretch<25>> + 1, false);
#ifndef __SANITIZE_ADDRESS__        // under which no two variables share their place on a thread's stack
  check<40000>(context, 5, false);  // larger than a piece
#endif
  check<1000>(context, 5003, false);  // and beyond the cache
}

template <class T, class Op, class Combined>
void check_named(Context& context, const std::vector<T>& values, Op op, T nothing, Combined combined) {
  std::vector<T> inclusive(values.size()), exclusive(values.size());
  inclusive_scan(context, values, inclusive, op);
  exclusive_scan(context, values, exclusive, op);
  T running = nothing;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(exclusive[i], running) << i;
    running = combined(running, values[i]);
    ASSERT_EQ(inclusive[i], running) << i;
  }
}

/// Named operators on types for which the library holds no scan.
TEST(ScanOfOnesOwn, NamedOperatorsOnOtherTypes) {
  using Word = std::uint64_t;
  Context context = Context::open("cpu");
  const std::int64_t n = 3 * cpu::kScanPiece<Word> + 77;
  std::vector<Word> words = test::random_values<Word>(n);
  for (Word& word : words) word |= 1;  // or products would be 0 before long
  const auto greater = [](Word a, Word b) { return a > b ? a : b; };
  check_named<Word>(context, words, Product{}, 1, std::multiplies<>());
  check_named<Word>(context, words, Min{}, ~Word{0}, [](Word a, Word b) { return a < b ? a : b; });
  check_named<Word>(context, words, Max{}, 0, greater);
  std::vector<double> powers(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < powers.size(); ++i) powers[i] = i % 2 ? -0.5 : 2;
  check_named<double>(context, powers, Product{}, 1, std::multiplies<>());

  const std::vector<std::uint8_t> heads = test::random_flags(n, 0.001);
  std::vector<Word> greatest(words.size());
  inclusive_segmented_scan(context, words, heads, greatest, Max{});
  Word running = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    running = greater(heads[i] ? 0 : running, words[i]);
    ASSERT_EQ(greatest[i], running) << i;
  }
}

TEST(ScanOfOnesOwn, TheSameBitsOnAnyNumberOfThreads) {
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 16);
  Context context = Context::open("cpu");
  constexpr std::int64_t n = 9 * cpu::kScanPiece<Affine> + 5;
  std::vector<Affine> maps;
  for (std::int64_t i = 0; i < n; ++i)
    maps.push_back({i % 2 ? 1.3f : 0.77f, static_cast<float>(i * 37 % 1009) / 1009});
  const std::vector<double> numbers = test::random_values<double>(1000003);
  const auto results_on = [&](int threads) {
    std::vector<Affine> composed(maps.size());
    std::vector<double> sums(numbers.size());
    tbb::task_arena(threads).execute([&] {
      inclusive_scan(context, maps, composed, Compose{});
      exclusive_scan(context, numbers, sums);
    });
    return std::pair(composed, sums);
  };
  const auto bytes = [](const auto& values) {
    const auto span = std::as_bytes(std::span(values));
    return std::vector<std::byte>(span.begin(), span.end());
  };
  const auto alone = results_on(1);
  for (const int threads : {2, 3, 16}) {
    const auto together = results_on(threads);
    EXPECT_EQ(bytes(together.first), bytes(alone.first)) << threads << " threads";
    EXPECT_EQ(bytes(together.second), bytes(alone.second)) << threads << " threads";
  }
}

TEST(OwnOperators, AreCallablesWithAStatedIdentity) {
  Context context = Context::open("cpu");
  const std::vector<float> in = {3, 1, 2};
  std::vector<float> out(3), result(1);
  exclusive_scan(context, in, out, with_identity<1>([](float a, float b) { return a * b; }));
  EXPECT_EQ(out, (std::vector<float>{1, 3, 3}));
  inclusive_scan(context, in, out, with_identity<0>(std::plus<>()));
  EXPECT_EQ(out, (std::vector<float>{3, 4, 6}));
  const float least = 2;  // a lambda may hold values
  const auto either = with_identity<0>([least](float a, float b) { return std::max({a, b, least}); });
  inclusive_segmented_scan(context, in, std::vector<std::uint8_t>{0, 0, 1}, out, either);
  EXPECT_EQ(out, (std::vector<float>{3, 3, 2}));
  reduce(context, in, result.data(), with_identity<1>(std::multiplies<>()));
  EXPECT_EQ(result[0], 6);
}

TEST(OwnOperators, ServeTypesThatTheLibraryDoesNotHold) {
  Context context = Context::open("cpu");
  const std::array<std::int8_t, 4> in = {1, 2, -3, 4};
  std::array<std::int8_t, 4> out;
  inclusive_scan(context, in, out);
  EXPECT_EQ(out, (std::array<std::int8_t, 4>{1, 3, 0, 4}));
}

}  // namespace
}  // namespace scanlens
