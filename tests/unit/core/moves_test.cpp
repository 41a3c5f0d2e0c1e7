// Gather, scatter, searches, merges and what neighbours make, against the standard library.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/scan.h"
#include "core/segments.h"
#include "core/sort.h"
#include "tests/unit/support/arrays.h"
#include "tests/unit/support/guarded.h"

namespace scanlens {
namespace {

using test::GuardedArray;

class Moves : public test::OnDevice {};

/// Few values, so that many are equal; of floats NaN, -0 and infinities, too.
template <class T>
std::vector<T> few_values(std::int64_t n) {
  std::vector<T> values = test::random_values<T>(n);
  for (T& value : values) {
    const auto kind = test::generator()() % 200;
    value = static_cast<T>(kind);
    if (std::is_floating_point_v<T> && kind < 6)
      value = std::array<T, 6>{T(NAN), T(-0.0), T(INFINITY), T(-INFINITY), T(0), T(-1)}[kind];
  }
  return values;
}

template <class T>
bool before(T a, T b) {
  return a < b || (a == a && b != b);
}

template <class T>
std::vector<T> ascending(std::int64_t n) {
  std::vector<T> values = few_values<T>(n);
  std::stable_sort(values.begin(), values.end(), before<T>);
  return values;
}

template <class T>
void check_searches(Context& context, std::int64_t n, std::int64_t count) {
  const std::vector<T> sorted = ascending<T>(n), values = few_values<T>(count);
  const GuardedArray<T> in(context, sorted), wanted(context, values);
  const GuardedArray<std::int64_t> lower(context, std::vector<std::int64_t>(values.size())),
      upper(context, std::vector<std::int64_t>(values.size()));
  lower_bound(context, in, wanted, lower);
  upper_bound(context, in, wanted, upper);
  const std::vector<std::int64_t> found = lower.contents(), behind = upper.contents();
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(found[i],
              std::lower_bound(sorted.begin(), sorted.end(), values[i], before<T>) - sorted.begin());
    ASSERT_EQ(behind[i],
              std::upper_bound(sorted.begin(), sorted.end(), values[i], before<T>) - sorted.begin());
  }
}

template <class T>
void check_merge(Context& context, std::int64_t na, std::int64_t nb) {
  const std::vector<T> a = ascending<T>(na), b = ascending<T>(nb);
  std::vector<T> expected(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), before<T>);
  const GuardedArray<T> first(context, a), second(context, b);
  GuardedArray<T> out(context, std::vector<T>(expected.size()));
  merge_keys(context, first, second, out);
  const std::vector<T> merged = out.contents();
  EXPECT_TRUE(expected.empty() ||
              std::memcmp(merged.data(), expected.data(), expected.size() * sizeof(T)) == 0);
}

TEST_P(Moves, SearchesAndMergesOfEveryLength) {
  for (const std::int64_t n : test::lengths()) {
    const std::int64_t other = static_cast<std::int64_t>(test::generator()() % 1000);
    check_searches<std::int32_t>(*context, n, other);
    check_searches<float>(*context, n, other);
    check_merge<std::uint32_t>(*context, n, other);
    check_merge<double>(*context, other, n);
    if (HasFailure()) return;
  }
  check_searches<std::uint64_t>(*context, 100003, 70001);
  check_searches<double>(*context, 3, 70001);
  check_merge<std::int64_t>(*context, 100003, 270001);
  check_merge<float>(*context, 200003, 1);
  check_merge<std::int32_t>(*context, 0, 5000);
}

template <class T, class Index>
void check_moves(Context& context, std::int64_t n) {
  const std::vector<T> values = test::random_values<T>(n);
  std::vector<Index> places(values.size());
  std::iota(places.begin(), places.end(), Index{0});
  std::shuffle(places.begin(), places.end(), test::generator());
  if (n > 2) places[1] = std::numeric_limits<Index>::max();  // beyond the array
  const GuardedArray<T> in(context, values);
  const GuardedArray<Index> at(context, places);
  GuardedArray<T> gathered(context, std::vector<T>(values.size())),
      scattered(context, std::vector<T>(values.size()));
  gather(context, in, at, gathered);
  scatter(context, in, at, scattered);
  std::vector<T> taken(values.size()), put(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (places[i] >= values.size()) continue;
    taken[i] = values[places[i]];
    put[places[i]] = values[i];
  }
  EXPECT_EQ(gathered.contents(), taken);
  EXPECT_EQ(scattered.contents(), put);
}

template <class T, int kCount>
struct Struct {
  T members[kCount];
  bool operator==(const Struct&) const = default;
};

/// The first lies on no boundary but that of its members.
template <class T, int kCount>
void check_structs(Context& context) {
  using Element = Struct<T, kCount>;
  std::vector<Element> values(100);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (T& member : values[i].members)
      member = static_cast<T>(i + static_cast<std::size_t>(&member - values[i].members));
  const GuardedArray<Element> in(context, values, 1);
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.rbegin(), order.rend(), 0u);
  const GuardedArray<std::uint32_t> places(context, order);
  const GuardedArray<Element> out(context, std::vector<Element>(values.size()), 1),
      back(context, std::vector<Element>(values.size()), 3);
  gather(context, in, places, out);
  EXPECT_EQ(out.contents(), std::vector<Element>(values.rbegin(), values.rend()));
  scatter(context, out, places, back);
  EXPECT_EQ(back.contents(), values);
}

TEST_P(Moves, GatherAndScatterElementsOfEverySize) {
  for (const std::int64_t n : {0, 1, 31, 257, 70001}) {
    check_moves<std::uint8_t, std::uint32_t>(*context, n);
    check_moves<std::uint16_t, std::uint64_t>(*context, n);
    check_moves<std::uint32_t, std::uint32_t>(*context, n);
    check_moves<std::uint64_t, std::uint64_t>(*context, n);
    if (HasFailure()) return;
  }
  check_structs<double, 2>(*context);
  check_structs<float, 2>(*context);
  check_structs<float, 3>(*context);
  check_structs<float, 4>(*context);
  check_structs<std::uint16_t, 4>(*context);
  check_structs<std::uint8_t, 3>(*context);
}

template <class T>
void check_difference(Context& context, std::int64_t n) {
  const std::vector<T> values = test::random_values<T>(n);
  std::vector<T> expected(values.size());
  std::adjacent_difference(values.begin(), values.end(), expected.begin(), [](T a, T b) {
    return static_cast<T>(std::is_integral_v<T> ? Sum()(a, T(Product()(b, T(-1)))) : a - b);
  });
  const GuardedArray<T> in(context, values);
  GuardedArray<T> out(context, std::vector<T>(values.size())), back(context, std::vector<T>(values.size()));
  adjacent_difference(context, in, out);
  EXPECT_EQ(out.contents(), expected);
  if constexpr (std::is_integral_v<T>) {
    inclusive_scan(context, out, back);
    EXPECT_EQ(back.contents(), values);
  }
}

TEST_P(Moves, DifferencesOfNeighbours) {
  for (const std::int64_t n : {0, 1, 2, 255, 70001}) {
    check_difference<std::uint32_t>(*context, n);
    check_difference<std::int64_t>(*context, n);
  }
  const GuardedArray<float> in(*context, {1, 4, -2});
  GuardedArray<float> out(*context, std::vector<float>(3));
  adjacent_difference(*context, in, out);
  EXPECT_EQ(out.contents(), (std::vector<float>{1, 3, -6}));
}

template <class Key>
void check_segments(Context& context, std::int64_t n, std::int64_t segments, bool descending) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(segments) + 1);
  for (std::int64_t& offset : offsets)
    offset = static_cast<std::int64_t>(test::generator()() % static_cast<std::uint64_t>(n + 1));
  offsets.front() = 0;
  offsets.back() = n;
  std::sort(offsets.begin(), offsets.end());
  const std::vector<Key> values = test::random_values<Key>(n);
  std::vector<Key> expected = values;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1],
              [=](Key a, Key b) { return descending ? b < a : a < b; });
  const GuardedArray<Key> in(context, values);
  const GuardedArray<std::int64_t> at(context, offsets);
  GuardedArray<Key> out(context, std::vector<Key>(values.size()));
  sort_segments(context, in, at.in(), out, descending);
  EXPECT_EQ(out.contents(), expected);
}

TEST_P(Moves, SegmentsAreSortedEachByItself) {
  for (const std::int64_t n : test::lengths()) {
    check_segments<std::uint32_t>(*context, n, 1 + n / 9, false);
    check_segments<std::int64_t>(*context, n, 3, true);
    if (HasFailure()) return;
  }
  check_segments<std::int32_t>(*context, 200003, 150000, true);
  const GuardedArray<float> in(*context, {3, -1, 2, 9, -7, 0});
  const GuardedArray<std::int64_t> offsets(*context, {0, 3, 3, 6});
  GuardedArray<float> out(*context, std::vector<float>(6));
  sort_segments(*context, in, offsets.in(), out);
  EXPECT_EQ(out.contents(), (std::vector<float>{-1, 2, 3, -7, 0, 9}));
}

TEST_P(Moves, RunsHaveAStartAndAFirstElement) {
  for (const std::int64_t n : {0, 1, 300, 70001}) {
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(n));
    for (std::uint64_t& key : keys) key = test::generator()() % 3;
    const std::vector<float> values = test::random_values<float>(n);
    std::vector<std::uint64_t> starts;
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (i == 0 || keys[i] != keys[i - 1]) starts.push_back(i);
    const GuardedArray<std::uint64_t> in(*context, keys);
    const GuardedArray<float> with(*context, values);
    GuardedArray<std::uint64_t> starts_out(*context, std::vector<std::uint64_t>(keys.size())),
        keys_out(*context, std::vector<std::uint64_t>(keys.size())), count(*context, {7, 7});
    GuardedArray<float> out(*context, std::vector<float>(keys.size()));
    run_starts(*context, in, starts_out, count.data());
    unique_by_key(*context, in, with, keys_out, out, count.data() + 1);
    ASSERT_EQ(count.contents(), (std::vector<std::uint64_t>{starts.size(), starts.size()}));
    const auto found = starts_out.contents(), first_keys = keys_out.contents();
    const auto firsts = out.contents();
    for (std::size_t k = 0; k < starts.size(); ++k) {
      ASSERT_EQ(found[k], starts[k]);
      ASSERT_EQ(first_keys[k], keys[starts[k]]);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(firsts[k]), std::bit_cast<std::uint32_t>(values[starts[k]]));
    }
  }
}

TEST_P(Moves, RefuseWhatCannotBe) {
  GuardedArray<std::uint32_t> array(*context, std::vector<std::uint32_t>(100));
  GuardedArray<std::int64_t> places(*context, std::vector<std::int64_t>(10));
  const std::span<std::uint32_t> all = array;
  const auto refuse = [](const auto& call, const char* name, const char* argument) {
    test::expect_usage_error(call, name, argument);
  };
  refuse([&] { gather(*context, all.first(10), all.subspan(20, 10), all.subspan(5, 10)); }, "gather", "in");
  refuse([&] { scatter(*context, all.first(10), all.subspan(20, 9), all.last(10)); }, "scatter", "places");
  refuse([&] { lower_bound(*context, all.first(10), all.subspan(20, 9), places); }, "lower_bound", "values");
  refuse([&] { merge_keys(*context, all.first(10), all.subspan(20, 9), all.last(20)); }, "merge_keys", "out");
  refuse([&] { adjacent_difference(*context, all.first(10), all.subspan(1, 10)); }, "adjacent_difference",
         "in");
  refuse([&] { sort_segments(*context, all.first(10), {}, all.last(10)); }, "sort_segments", "offsets");
}

SCANLENS_ON_EVERY_DEVICE(Moves);

}  // namespace
}  // namespace scanlens
