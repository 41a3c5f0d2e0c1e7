// Holds ranks against one context of the CPU, on random arrays.
#include <cmath>
#include <limits>
#include <numeric>

#include "core/reduce.h"
#include "core/scan.h"
#include "tests/unit/support/ranks.h"

namespace scanlens::test {
namespace {

template <class In, class Out, class Op>
void compare_scan(Ranks& ranks, RankCase& one, bool inclusive) {
  Context alone = Context::open("cpu");
  const std::vector<In> values = one.values<In>();
  std::vector<Out> expected(one.count);
  const Spread<In> in(ranks, one.ends, values);
  const Spread<Out> out(ranks, one.ends, std::vector<Out>(one.count));
  const auto scan = [&] {
    inclusive ? inclusive_scan<In, Out, Op>(ranks, in.in(), out.parts())
              : exclusive_scan<In, Out, Op>(ranks, in.in(), out.parts());
  };
  inclusive ? inclusive_scan(alone, values, std::span(expected), Op())
            : exclusive_scan(alone, values, std::span(expected), Op());
  scan();
  if constexpr (std::is_integral_v<Out> || std::is_same_v<Op, Min>) {
    out.for_each([&](Out value, std::size_t i) { ASSERT_EQ(value, expected[i]) << "element " << i; });
  } else {
    std::vector<double> magnitude(one.count + 1);
    for (std::size_t i = 0; i < one.count; ++i)
      magnitude[i + 1] = magnitude[i] + std::abs(static_cast<double>(values[i]));
    out.for_each([&](Out value, std::size_t i) {
      ASSERT_NEAR(value, expected[i], 80 * std::numeric_limits<Out>::epsilon() * magnitude[i + 1])
          << "element " << i;
    });
    const std::vector<Out> first = out.host();
    scan();
    EXPECT_EQ(out.host(), first) << "another run has other bits";
  }
}

template <class In, class Out, class Op>
void compare_reduction(Ranks& ranks, RankCase& one) {
  Context alone = Context::open("cpu");
  const std::vector<In> values = one.values<In>();
  Out expected;
  reduce(alone, values, &expected, Op());
  const Spread<In> in(ranks, one.ends, values);
  std::vector<std::size_t> each(static_cast<std::size_t>(ranks.count()));
  std::iota(each.begin(), each.end(), 1);
  const Spread<Out> results(ranks, each, std::vector<Out>(each.size()));
  reduce<In, Out, Op>(ranks, in.in(), results.places());
  for (const Out result : results.host()) {
    if constexpr (std::is_integral_v<Out> || !std::is_same_v<Op, Sum>)
      ASSERT_EQ(result, expected);
    else
      ASSERT_NEAR(result, expected, 1e-5 * 400 * static_cast<double>(one.count));
  }
}

template <class T>
void compare_extremes(Ranks& ranks, RankCase& one) {
  Context alone = Context::open("cpu");
  std::vector<T> values = one.values<T>();
  if constexpr (std::is_floating_point_v<T>)
    for (T& value : values)
      if (one.random() % 3 == 0) value = std::numeric_limits<T>::quiet_NaN();
  Located<T> least, greatest;
  argmin(alone, values, &least);
  argmax(alone, values, &greatest);
  const Spread<T> in(ranks, one.ends, values);
  std::vector<std::size_t> each(static_cast<std::size_t>(ranks.count()));
  std::iota(each.begin(), each.end(), 1);
  const Spread<Located<T>> results(ranks, each, std::vector<Located<T>>(each.size()));
  const auto expect = [&](const Located<T>& expected) {
    for (const Located<T>& result : results.host()) {
      ASSERT_EQ(result.index, expected.index);
      ASSERT_TRUE(result.value == expected.value || result.value != result.value);
    }
  };
  argmin<T>(ranks, in.in(), results.places());
  expect(least);
  argmax<T>(ranks, in.in(), results.places());
  expect(greatest);
}

void compare_moments(Ranks& ranks, RankCase& one) {
  Context alone = Context::open("cpu");
  const std::vector<float> values = one.values<float>();
  Moments expected;
  moments(alone, values, &expected);
  const Spread<float> in(ranks, one.ends, values);
  std::vector<std::size_t> each(static_cast<std::size_t>(ranks.count()));
  std::iota(each.begin(), each.end(), 1);
  const Spread<Moments> results(ranks, each, std::vector<Moments>(each.size()));
  moments<float>(ranks, in.in(), results.places());
  for (const Moments& result : results.host()) {
    ASSERT_EQ(result.count, expected.count);
    ASSERT_NEAR(result.mean, expected.mean, 1e-9 * 1000);
    ASSERT_NEAR(result.squared_deviations, expected.squared_deviations,
                1e-9 * (1 + expected.squared_deviations));
    ASSERT_EQ(result.least, expected.least);
    ASSERT_EQ(result.greatest, expected.greatest);
  }
}

template <class T>
void compare_histogram(Ranks& ranks, RankCase& one) {
  Context alone = Context::open("cpu");
  const std::vector<T> values = one.values<T>();
  const std::size_t bins = 1 + one.random() % 50;
  std::vector<std::uint64_t> expected(bins);
  histogram(alone, values, 0, 5000, expected);
  const Spread<T> in(ranks, one.ends, values);
  std::vector<std::size_t> ends;
  for (int i = 1; i <= ranks.count(); ++i) ends.push_back(bins * static_cast<std::size_t>(i));
  const Spread<std::uint64_t> counts(ranks, ends, std::vector<std::uint64_t>(ends.back()));
  histogram<T>(ranks, in.in(), 0, 5000, counts.parts());
  counts.for_each([&](std::uint64_t count, std::size_t i) { ASSERT_EQ(count, expected[i % bins]); });
}

template <class Key>
void compare_sort(Ranks& ranks, RankCase& one) {
  Context alone = Context::open("cpu");
  SortOptions options;
  options.descending = one.random() % 2 == 0;
  if (one.random() % 3 == 0) {
    options.first_bit = static_cast<int>(one.random() % 20);
    options.last_bit = options.first_bit + 1 + static_cast<int>(one.random() % 12);
  }
  const std::vector<Key> keys = one.values<Key>();
  std::vector<std::uint32_t> values(one.count);
  std::iota(values.begin(), values.end(), 0);
  std::vector<Key> keys_expected(one.count);
  std::vector<std::uint32_t> values_expected(one.count);
  sort_pairs(alone, keys, values, keys_expected, values_expected, options);

  const bool same_cut = one.random() % 2 == 0;
  const std::vector<std::size_t> out_ends = same_cut ? one.ends : one.cut(ranks.count());
  const Spread<Key> in(ranks, one.ends, keys), out(ranks, out_ends, std::vector<Key>(one.count));
  const Spread<std::uint32_t> with(ranks, one.ends, values), with_out(ranks, out_ends, values);
  const auto expect_keys = [&](const Spread<Key>& sorted) {
    sorted.for_each([&](Key key, std::size_t i) { ASSERT_EQ(key, keys_expected[i]) << "key " << i; });
  };
  sort_pairs<Key, std::uint32_t>(ranks, in.in(), with.in(), out.parts(), with_out.parts(), options);
  expect_keys(out);
  with_out.for_each(
      [&](std::uint32_t value, std::size_t i) { ASSERT_EQ(value, values_expected[i]) << "value " << i; });
  sort_keys<Key>(ranks, in.in(), in.parts(), options);  // in place
  expect_keys(in);
}

template <class T, class S>
void compare_table(Ranks& ranks, RankCase& one, int channels, bool bordered, const Terms& terms = {}) {
  Context alone = Context::open("cpu");
  const std::int64_t width = 1 + static_cast<std::int64_t>(one.random() % 300);
  const auto height = static_cast<std::int64_t>(one.count = one.random() % 60);
  const std::vector<std::size_t> rows = one.cut(ranks.count());
  one.count = static_cast<std::size_t>(height * width * channels);
  const std::vector<T> samples = one.values<T>();
  const int sums = terms.packed ? 1 : channels;
  const std::int64_t wide = width + (bordered ? 1 : 0), row = wide * sums;
  std::vector<S> expected(static_cast<std::size_t>((height + 1) * row));
  const View<const T> image(samples.data(), width, height, channels);
  continue_summed_area_table<T, S>(alone, image, View<S>(expected.data(), wide, height + 1, sums), terms);

  std::vector<std::size_t> sample_ends, table_ends;
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    sample_ends.push_back(rows[rank] * static_cast<std::size_t>(width * channels));
    table_ends.push_back((rows[rank] + rank + 1) * static_cast<std::size_t>(row));
  }
  const Spread<T> in(ranks, sample_ends, samples);
  const Spread<S> out(ranks, table_ends, std::vector<S>(table_ends.back(), S{77}));
  std::vector<View<const T>> slabs;
  std::vector<View<S>> tables;
  for (std::size_t i = 0; i < in.in().size(); ++i) {
    const std::int64_t high = std::ssize(out.parts()[i]) / row;
    slabs.emplace_back(in.in()[i].data(), width, high - 1, channels);
    tables.emplace_back(out.parts()[i].data(), wide, high, sums);
  }
  summed_area_table<T, S>(ranks, slabs, tables, terms);
  std::size_t rank = static_cast<std::size_t>(ranks.first());
  out.for_each([&](S sum, std::size_t i) {
    while (i >= table_ends[rank]) ++rank;
    const S wanted = expected[i - rank * static_cast<std::size_t>(row)];
    if constexpr (std::is_integral_v<S>)
      ASSERT_EQ(sum, wanted) << "rank " << rank << ", sum " << i;
    else
      ASSERT_NEAR(sum, wanted, 1e-9 * 500 * static_cast<double>(one.count))
          << "rank " << rank << ", sum " << i;
  });
}

}  // namespace

void compare_random_scan(Ranks& ranks, RankCase& one) {
  const bool inclusive = one.random() % 2 == 0;
  switch (one.random() % 8) {
    case 0:
      return compare_scan<std::uint32_t, std::uint32_t, Sum>(ranks, one, inclusive);
    case 1:
      return compare_scan<std::int32_t, std::int32_t, Sum>(ranks, one, inclusive);
    case 2:
      return compare_scan<std::uint64_t, std::uint64_t, Sum>(ranks, one, inclusive);
    case 3:
      return compare_scan<std::uint8_t, std::uint32_t, Sum>(ranks, one, inclusive);
    case 4:
      return compare_scan<std::uint32_t, std::uint32_t, Product>(ranks, one, inclusive);
    case 5:
      return compare_scan<float, float, Min>(ranks, one, inclusive);
    case 6:
      return compare_scan<float, float, Sum>(ranks, one, inclusive);
    default:
      return compare_scan<double, double, Sum>(ranks, one, inclusive);
  }
}

void compare_random_reduction(Ranks& ranks, RankCase& one) {
  switch (one.random() % 9) {
    case 0:
      return compare_reduction<std::uint32_t, std::uint64_t, Sum>(ranks, one);
    case 1:
      return compare_reduction<std::int32_t, std::int32_t, Product>(ranks, one);
    case 2:
      return compare_reduction<std::uint8_t, std::uint64_t, Sum>(ranks, one);
    case 3:
      return compare_reduction<float, float, Sum>(ranks, one);
    case 4:
      return compare_reduction<double, double, Max>(ranks, one);
    case 5:
      return compare_extremes<float>(ranks, one);
    case 6:
      return compare_extremes<std::int32_t>(ranks, one);
    case 7:
      return compare_moments(ranks, one);
    default:
      return one.random() % 2 == 0 ? compare_histogram<double>(ranks, one)
                                   : compare_histogram<std::uint32_t>(ranks, one);
  }
}

void compare_random_sort(Ranks& ranks, RankCase& one) {
  switch (one.random() % 4) {
    case 0:
      return compare_sort<std::uint32_t>(ranks, one);
    case 1:
      return compare_sort<std::int32_t>(ranks, one);
    case 2:
      return compare_sort<float>(ranks, one);
    default:
      return compare_sort<std::uint64_t>(ranks, one);
  }
}

void compare_random_table(Ranks& ranks, RankCase& one) {
  const bool bordered = one.random() % 2 == 0;
  Terms packed, weighed;
  packed.packed = true;
  weighed.weigh_by_alpha = true;
  switch (one.random() % 6) {
    case 0:
      return compare_table<std::uint8_t, std::uint32_t>(ranks, one, 3, bordered);
    case 1:
      return compare_table<std::uint8_t, std::uint64_t>(ranks, one, 3, bordered, packed);
    case 2:
      return compare_table<std::uint16_t, std::uint64_t>(ranks, one, 4, bordered, weighed);
    case 3:
      return compare_table<float, std::uint64_t>(ranks, one, 1, bordered);
    case 4:
      return compare_table<float, double>(ranks, one, 3, bordered);
    default:
      return compare_table<std::uint32_t, std::uint32_t>(ranks, one, 1, bordered);
  }
}

}  // namespace scanlens::test
