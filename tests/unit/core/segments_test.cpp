// Scans and reductions by key and by offsets, and run lengths, against sequential loops.
#include "core/segments.h"

#include <algorithm>
#include <limits>

#include "core/graph.h"
#include "tests/unit/support/arrays.h"
#include "tests/unit/support/scan_reference.h"

namespace scanlens {
namespace {

using test::GuardedArray;

class Segments : public test::OnDevice {};

std::int64_t below(std::int64_t limit) {
  return static_cast<std::int64_t>(test::generator()() % static_cast<std::uint64_t>(limit));
}

/// Small whole numbers: sums of floats are exact.
template <class T>
std::vector<T> small_values(std::int64_t n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& value : values) value = static_cast<T>(below(17)) - static_cast<T>(std::is_unsigned_v<T> ? 0 : 8);
  return values;
}

/// Keys of few kinds that stay for `run` elements or so.
template <class Key>
std::vector<Key> random_keys(std::int64_t n, std::int64_t run) {
  std::vector<Key> keys(static_cast<std::size_t>(n));
  Key key = 0;
  for (Key& each : keys) {
    if (below(run) == 0)
      key = static_cast<Key>(static_cast<Key>(below(3) - 1) << 8 * (sizeof(Key) - 1) | below(2));
    each = key;
  }
  return keys;
}

/// Scans anew at each head.
template <class Op, class T>
std::vector<T> scanned(const std::vector<T>& in, const std::vector<bool>& heads, bool inclusive, T initial) {
  std::vector<T> out(in.size());
  T running = initial;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (i == 0 || heads[i]) running = initial;
    const T before = running;
    running = test::combined<T>(Op{}, running, in[i]);
    out[i] = inclusive ? running : before;
  }
  return out;
}

template <class Key>
std::vector<bool> heads_of(const std::vector<Key>& keys) {
  std::vector<bool> heads(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) heads[i] = i == 0 || keys[i] != keys[i - 1];
  return heads;
}

/// Offsets of random segments, some of them empty, the first and the last too at times.
std::vector<std::int64_t> random_offsets(std::int64_t n, std::int64_t segments) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t s = 1; s < segments; ++s)
    offsets.push_back(below(3) == 0 && s > 1 ? offsets.back() : below(n + 1));
  std::sort(offsets.begin(), offsets.end());
  offsets.insert(offsets.begin(), 0);
  offsets.push_back(n);
  return offsets;
}

template <class Key, class T, class Op>
void check_keys(Context& context, std::int64_t n, std::int64_t run) {
  const std::string what = std::string(typeid(Key).name()) + " " + typeid(T).name() + " " +
                           typeid(Op).name() + ", n = " + std::to_string(n) + ", runs of " +
                           std::to_string(run);
  const std::vector<Key> key_values = random_keys<Key>(n, run);
  const std::vector<T> values = small_values<T>(n);
  const std::vector<bool> heads = heads_of(key_values);
  GuardedArray<Key> keys(context, key_values, below(9)),
      keys_out(context, std::vector<Key>(key_values.size()));
  GuardedArray<T> in(context, values, below(9)), out(context, std::vector<T>(values.size()), below(9));
  GuardedArray<std::uint64_t> count(context, std::vector<std::uint64_t>{99});

  for (const bool inclusive : {true, false})
    for (const bool with_initial : {true, false}) {
      ScanOptions<T> options;
      if (with_initial) options.initial = T{5};
      const auto expected =
          scanned<Op>(values, heads, inclusive, with_initial ? T{5} : test::identity<T>(Op{}));
      const auto call = [&](std::span<const T> from, std::span<T> to) {
        inclusive ? inclusive_scan_by_key(context, keys, from, to, Op(), options)
                  : exclusive_scan_by_key(context, keys, from, to, Op(), options);
      };
      call(in, out);
      test::expect_same(out.contents(what), expected, what);
      call(in, in);
      test::expect_same(in.contents(what), expected, what + ", in place");
      in.set(values);
    }
  test::expect_same(keys.contents(), key_values, what + ", the keys afterwards");

  std::vector<Key> expected_keys;
  std::vector<T> totals;
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (heads[i]) {
      expected_keys.push_back(key_values[i]);
      totals.push_back(test::identity<T>(Op{}));
      lengths.push_back(0);
    }
    totals.back() = test::combined<T>(Op{}, totals.back(), values[i]);
    ++lengths.back();
  }
  const auto front = [&](const auto& array) {
    auto all = array.contents(what);
    all.resize(expected_keys.size());
    return all;
  };
  reduce_by_key(context, keys, in, keys_out, out, count.data(), Op());
  EXPECT_EQ(count.contents().at(0), expected_keys.size()) << what;
  test::expect_same(front(keys_out), expected_keys, what + ", keys of runs");
  test::expect_same(front(out), totals, what + ", totals of runs");

  GuardedArray<std::int64_t> found(context, std::vector<std::int64_t>(values.size()), below(3));
  count.set({99});
  run_lengths(context, keys, keys_out, found, count.data());
  EXPECT_EQ(count.contents().at(0), expected_keys.size()) << what;
  test::expect_same(front(keys_out), expected_keys, what + ", values of runs");
  test::expect_same(front(found), lengths, what + ", lengths of runs");
}

template <class T, class Op>
void check_offsets(Context& context, std::int64_t n, std::int64_t segments) {
  const std::string what = std::string(typeid(T).name()) + " " + typeid(Op).name() +
                           ", n = " + std::to_string(n) + ", segments " + std::to_string(segments);
  const std::vector<std::int64_t> offset_values = random_offsets(n, segments);
  const std::vector<T> values = small_values<T>(n);
  std::vector<bool> heads(values.size());
  for (const std::int64_t offset : offset_values)
    if (offset < n) heads[static_cast<std::size_t>(offset)] = true;
  GuardedArray<std::int64_t> offsets(context, offset_values, below(3));
  GuardedArray<T> in(context, values, below(9)), out(context, std::vector<T>(values.size()), below(9));
  for (const bool inclusive : {true, false}) {
    const auto expected = scanned<Op>(values, heads, inclusive, test::identity<T>(Op{}));
    const auto call = [&](std::span<const T> from, std::span<T> to) {
      inclusive ? inclusive_scan_segments(context, from, offsets, to, Op())
                : exclusive_scan_segments(context, from, offsets, to, Op());
    };
    call(in, out);
    test::expect_same(out.contents(what), expected, what);
    call(in, in);
    test::expect_same(in.contents(what), expected, what + ", in place");
    in.set(values);
  }
  std::vector<T> expected;
  for (std::size_t s = 0; s + 1 < offset_values.size(); ++s) {
    T total = test::identity<T>(Op{});
    for (std::int64_t i = offset_values[s]; i < offset_values[s + 1]; ++i)
      total = test::combined<T>(Op{}, total, values[static_cast<std::size_t>(i)]);
    expected.push_back(total);
  }
  GuardedArray<T> totals(context, std::vector<T>(expected.size()), below(3));
  reduce_segments(context, in, offsets, totals, Op());
  test::expect_same(totals.contents(what), expected, what + ", totals");
}

TEST_P(Segments, ByKeyOfEveryLength) {
  for (const std::int64_t n : test::lengths()) {
    check_keys<std::int64_t, std::uint32_t, Sum>(*context, n, 1 + below(40));
    check_keys<std::uint32_t, float, Sum>(*context, n, 1 + below(4000));
    if (HasFailure()) return;
  }
}
TEST_P(Segments, ByKeyOfEveryType) {
  for (const std::int64_t n : {33, 4099}) {
#define SCANLENS_CHECK(name, In, T, Op)                     \
  check_keys<std::uint32_t, T, Op>(*context, n, 1 + n / 7); \
  check_keys<std::uint64_t, T, Op>(*context, n, 3);         \
  check_offsets<T, Op>(*context, n, 1 + n / 5);             \
  if (HasFailure()) return;
    SCANLENS_SEGMENTED_SCANS(SCANLENS_CHECK)
    SCANLENS_CHECK(, , std::int64_t, Sum)
    SCANLENS_CHECK(, , std::int32_t, Sum)
#undef SCANLENS_CHECK
    check_keys<std::int32_t, std::int64_t, Sum>(*context, n, 9);
  }
}
TEST_P(Segments, ByOffsetsOfEveryLength) {
  for (const std::int64_t n : test::lengths()) {
    check_offsets<std::uint64_t, Sum>(*context, n, 1 + below(50));
    check_offsets<double, Sum>(*context, n, 1 + below(2 * n + 1));
    if (HasFailure()) return;
  }
}
TEST_P(Segments, ManyTiles) {
  for (const std::int64_t run : {1, 3, 1000, 1000000}) {
    check_keys<std::uint32_t, std::uint32_t, Sum>(*context, 1100003, run);
    check_offsets<std::int32_t, Max>(*context, 1100003, 1100003 / run + 1);
    if (HasFailure()) return;
  }
}
TEST_P(Segments, ReplayOnNewKeys) {
  constexpr std::int64_t n = 70001;
  GuardedArray<std::uint32_t> keys(*context, random_keys<std::uint32_t>(n, 5)),
      keys_out(*context, std::vector<std::uint32_t>(n));
  GuardedArray<std::int64_t> lengths(*context, std::vector<std::int64_t>(n));
  GuardedArray<std::uint64_t> count(*context, std::vector<std::uint64_t>{0});
  Graph graph(*context, [&] { run_lengths(*context, keys, keys_out, lengths, count.data()); });
  for (int run = 0; run < 3; ++run) {
    const auto values = random_keys<std::uint32_t>(n, 1 + 100 * run);
    keys.set(values);
    graph.replay(1);
    const std::vector<bool> heads = heads_of(values);
    EXPECT_EQ(count.contents().at(0),
              static_cast<std::uint64_t>(std::count(heads.begin(), heads.end(), true)));
    std::int64_t all = 0;
    const std::vector<std::int64_t> found = lengths.contents();
    for (std::uint64_t k = 0; k < count.contents().at(0); ++k) all += found[k];
    EXPECT_EQ(all, n);
  }
}
/// Nothing beyond the arrays is read, and what is right beside bad offsets stays right.
TEST_P(Segments, BadOffsetsAreNotFollowed) {
  const GuardedArray<std::uint32_t> in(*context, {1, 2, 3, 4});
  const GuardedArray<std::int64_t> offsets(*context, {0, 2, 100000000, -5, INT64_MIN, INT64_MAX, 3, 4});
  GuardedArray<std::uint32_t> sums(*context, std::vector<std::uint32_t>(7));
  reduce_segments(*context, in.in(), offsets.in(), sums.span());
  EXPECT_EQ(sums.contents()[0], 3u);
  for (const std::size_t bad : {1, 2, 3, 4, 5}) EXPECT_EQ(sums.contents()[bad], 0u) << bad;
}

TEST_P(Segments, OffsetsAreChecked) {
  using Offsets = std::vector<std::int64_t>;
  scanlens::check_offsets(Offsets{0, 2, 2, 4}, 4);
  scanlens::check_offsets(Offsets{0}, 0);
  for (const Offsets& bad : {Offsets{}, {1, 4}, {0, 3}, {0, 3, 2, 4}, {0, 5, 4}, {-1, 4}, {0, 5}})
    test::expect_usage_error([&] { scanlens::check_offsets(bad, 4); }, "offsets", "offsets");
}

TEST_P(Segments, RefuseWhatCannotBe) {
  GuardedArray<std::uint32_t> array(*context, std::vector<std::uint32_t>(300));
  GuardedArray<std::int64_t> places(*context, std::vector<std::int64_t>{0, 40});
  GuardedArray<std::uint64_t> count(*context, std::vector<std::uint64_t>{0});
  const std::span<std::uint32_t> all = array;
  const std::span<const std::int64_t> offsets = places;
  const auto by_key = [&](std::span<const std::uint32_t> keys, std::span<const std::uint32_t> in,
                          std::span<std::uint32_t> out, const std::string& argument) {
    test::expect_usage_error([&] { inclusive_scan_by_key(*context, keys, in, out); }, "inclusive_scan_by_key",
                             argument);
  };
  by_key(all.first(39), all.subspan(50, 40), all.last(40), "keys");
  by_key(all.first(40), all.subspan(50, 40), all.last(39), "out");
  by_key(all.first(40), all.subspan(50, 40), all.first(40), "out");
  test::expect_usage_error([&] { inclusive_scan_segments(*context, all.first(40), {}, all.last(40)); },
                           "inclusive_scan_segments", "offsets");
  test::expect_usage_error(
      [&] { inclusive_scan_segments(*context, all.first(40), offsets, all.last(40), {}, {.reverse = true}); },
      "inclusive_scan_segments", "reverse");
  test::expect_usage_error([&] { reduce_segments(*context, all.first(40), offsets, all.last(2)); },
                           "reduce_segments", "out");
  test::expect_usage_error(
      [&] {
        reduce_by_key(*context, all.first(40), all.subspan(50, 40), all.subspan(100, 40),
                      all.subspan(120, 40), count.data());
      },
      "reduce_by_key", "out");
  test::expect_usage_error(
      [&] {
        run_lengths(*context, all.first(40), all.subspan(50, 39),
                    {reinterpret_cast<std::int64_t*>(all.data() + 100), 40}, count.data());
      },
      "run_lengths", "values_out");
}

SCANLENS_ON_EVERY_DEVICE(Segments);

}  // namespace
}  // namespace scanlens
