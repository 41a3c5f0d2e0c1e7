// Radix sort against std::stable_sort, by keys whose order is spelt out here once more.
#include "core/sort.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/graph.h"
#include "core/textbook/split_merge_sort.h"
#include "tests/unit/support/arrays.h"

namespace scanlens::test {
namespace {

/// The place of a key among all keys of its type, by the words of core/sort.h.
std::uint64_t rank_of(std::uint32_t key) {
  return key;
}
std::uint64_t rank_of(std::uint64_t key) {
  return key;
}
std::uint64_t rank_of(std::int32_t key) {
  return static_cast<std::uint64_t>(std::int64_t{key} - std::numeric_limits<std::int32_t>::min());
}
std::uint64_t rank_of(float key) {
  const auto bits = std::bit_cast<std::uint32_t>(key);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  return std::signbit(key) ? 0x7FFFFFFFu - magnitude : 0x80000000u + magnitude;
}

std::uint64_t rank_of(std::int64_t key) {
  return static_cast<std::uint64_t>(key) -
         static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::min());
}
std::uint64_t rank_of(double key) {
  const auto bits = std::bit_cast<std::uint64_t>(key);
  const std::uint64_t magnitude = bits & 0x7FFFFFFFFFFFFFFFu;
  return std::signbit(key) ? 0x7FFFFFFFFFFFFFFFu - magnitude : 0x8000000000000000u + magnitude;
}

std::uint64_t rank_of(std::uint8_t key) {
  return key;
}
std::uint64_t rank_of(std::int8_t key) {
  return static_cast<std::uint64_t>(key + 128);
}
std::uint64_t rank_of(std::uint16_t key) {
  return key;
}
std::uint64_t rank_of(std::int16_t key) {
  return static_cast<std::uint64_t>(key + 32768);
}
template <class Float>
requires kOneOf<Float, Half, BFloat16> std::uint64_t rank_of(Float key) {
  const std::uint64_t magnitude = key.bits & 0x7FFFu;
  return key.bits >> 15 ? 0x7FFFu - magnitude : 0x8000u + magnitude;
}

/// The place of each element: a stable order by the bits that count.
template <class Key>
std::vector<std::size_t> sorted_order(const std::vector<Key>& keys, const SortOptions& options) {
  const int last = options.last_bit == 0 ? static_cast<int>(sizeof(Key)) * 8 : options.last_bit;
  const int bits = last - options.first_bit;
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const auto part = [&](std::size_t i) { return rank_of(keys[i]) >> options.first_bit & mask; };
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return options.descending ? part(a) > part(b) : part(a) < part(b);
  });
  return order;
}

template <class T>
std::vector<T> gathered(const std::vector<T>& from, const std::vector<std::size_t>& order) {
  std::vector<T> to(from.size());
  for (std::size_t i = 0; i < order.size(); ++i) to[i] = from[order[i]];
  return to;
}

/// Bit for bit: NaNs and zeros of either sign count.
template <class T>
void expect_same_bits(const std::vector<T>& actual, const std::vector<T>& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(std::memcmp(&actual[i], &expected[i], sizeof(T)), 0)
        << what << ": element " << i << " has rank " << rank_of(actual[i]) << ", not "
        << rank_of(expected[i]);
}

template <class T>
std::vector<T> random_values(std::int64_t count, std::uint64_t mask = ~std::uint64_t{0}) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    const std::uint64_t bits = generator()() & mask;
    std::memcpy(&value, &bits, sizeof(T));
  }
  return values;
}

template <class Value>
std::vector<Value> indices(std::size_t count) {
  std::vector<Value> values(count);
  std::iota(values.begin(), values.end(), Value{0});
  return values;
}

/// Keys, and the order that sorting has to find.
template <class Key>
struct Case {
  std::string what;
  std::vector<Key> keys;
  SortOptions options;
  bool split_merge = false;  ///< by the text-book's sort
  std::vector<std::size_t> order = sorted_order(keys, options);
};

template <class Key>
void check_keys(Context& context, const Case<Key>& one, bool in_place, std::int64_t shift = 0) {
  const std::string what = one.what + (in_place ? " in place" : "");
  const GuardedArray<Key> in(context, one.keys, shift), other(context, one.keys, shift + 1);
  const GuardedArray<Key>& out = in_place ? in : other;
  if constexpr (NumberInLibrary<Key>)
    if (one.split_merge) split_merge_sort_keys<Key>(context, in.in(), out.span(), one.options);
  if (!one.split_merge) sort_keys(context, in.in(), out.span(), one.options);
  expect_same_bits(out.contents(), gathered(one.keys, one.order), what);
  if (!in_place) expect_same_bits(in.contents(), one.keys, what + ", input");
}

/// The values are the indices, so that they show whether equal keys kept their order.
template <class Value, class Key>
void check_pairs(Context& context, const Case<Key>& one, bool in_place, std::int64_t shift = 0) {
  const std::string what =
      one.what + " with u" + std::to_string(sizeof(Value) * 8) + (in_place ? " in place" : "");
  const std::vector<Value> values = indices<Value>(one.keys.size());
  const GuardedArray<Key> in(context, one.keys, shift), other(context, one.keys);
  const GuardedArray<Value> with_in(context, values, shift), with_other(context, values);
  const GuardedArray<Key>& out = in_place ? in : other;
  const GuardedArray<Value>& with_out = in_place ? with_in : with_other;
  if constexpr (NumberInLibrary<Key>)
    if (one.split_merge)
      split_merge_sort_pairs<Key, Value>(context, in.in(), with_in.in(), out.span(), with_out.span(),
                                         one.options);
  if (!one.split_merge) sort_pairs(context, in.in(), with_in.in(), out.span(), with_out.span(), one.options);
  expect_same_bits(out.contents(), gathered(one.keys, one.order), what + ", keys");
  expect_same_bits(with_out.contents(), gathered(values, one.order), what + ", values");
  if (!in_place) expect_same_bits(with_in.contents(), values, what + ", input values");
}

template <class Key>
void check_all(Context& context, std::string what, std::vector<Key> keys, const SortOptions& options = {},
               std::int64_t shift = 0, bool split_merge = false) {
  const Case<Key> one{std::move(what), std::move(keys), options, split_merge};
  for (const bool in_place : {false, true}) {
    check_keys(context, one, in_place, shift);
    check_pairs<std::uint32_t>(context, one, in_place, shift);
    check_pairs<std::uint64_t>(context, one, in_place, shift);
  }
}

/// Lengths around those of warps, of the tiles of every kind of block, and of a few tiles at once.
std::vector<std::int64_t> lengths() {
  std::vector<std::int64_t> all = {0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 10007, 20011, 40009, 65537};
  for (const std::int64_t tile : {1024, 2048, 4096, 8192, 5376, 3456, 2688, 16384, 10752})
    for (const std::int64_t count : {tile - 1, tile, tile + 1}) all.push_back(count);
  return all;
}

class SortTest : public OnDevice {
 protected:
  /// Runs `body` for a value of each type of keys.
  template <class Body>
  static void for_each_key(Body body) {
    body(std::uint32_t{}, "u32");
    body(std::int32_t{}, "i32");
    body(float{}, "f32");
    body(std::uint64_t{}, "u64");
    body(std::int64_t{}, "i64");
    body(double{}, "f64");
  }
};
SCANLENS_ON_EVERY_DEVICE(SortTest);

TEST_P(SortTest, EveryLengthAndTypeIsSorted) {
  for_each_key([&](auto key, const char* name) {
    for (const std::int64_t count : lengths())
      check_all(*context, std::string(name) + " x " + std::to_string(count),
                random_values<decltype(key)>(count));
  });
}

TEST_P(SortTest, KeysOf8And16BitsAreSorted) {
  const auto check = [&](auto key, const char* name) {
    using Key = decltype(key);
    constexpr int kBits = 8 * sizeof(Key);
    for (const std::int64_t count : {0, 1, 33, 48, 49, 257, 5376, 40009, 100003})
      for (const bool descending : {false, true})
        check_all(*context, std::string(name) + " x " + std::to_string(count), random_values<Key>(count),
                  {.descending = descending}, count % 3);
    for (const auto& [first, last] : {std::pair{0, 1}, {2, 7}, {kBits - 1, kBits}, {kBits - 7, kBits}})
      check_all(*context, std::string(name) + " bits from " + std::to_string(first),
                random_values<Key>(20011), {.first_bit = first, .last_bit = last});
  };
  check(std::uint8_t{}, "u8");
  check(std::int8_t{}, "i8");
  check(std::uint16_t{}, "u16");
  check(std::int16_t{}, "i16");
  check(Half{}, "f16");
  check(BFloat16{}, "bf16");
}

TEST_P(SortTest, LongArraysAreSorted) {
  SCANLENS_TAKES_SECONDS();
  for_each_key([&](auto key, const char* name) {
    using Key = decltype(key);
    // There are more of the largest tiles than large GPUs have multiprocessors.
    const Case<Key> one{name, random_values<Key>(2100077), {.descending = sizeof(Key) == 8}};
    check_keys(*context, one, true);
    check_pairs<std::uint32_t>(*context, one, false);
    check_pairs<std::uint64_t>(*context, one, true);
  });
}

TEST_P(SortTest, EqualKeysKeepTheirOrder) {
  for_each_key([&](auto key, const char* name) {
    using Key = decltype(key);
    for (const std::int64_t count : {1500, 5000, 70001}) {
      // Few distinct keys, in every digit.
      std::vector<Key> keys(static_cast<std::size_t>(count));
      const std::vector<Key> few = random_values<Key>(5);
      for (Key& k : keys) k = few[generator()() % few.size()];
      for (const bool descending : {false, true})
        check_all(*context, std::string(name) + " few distinct", keys, {.descending = descending});
    }
  });
}

TEST_P(SortTest, DescendingIsSorted) {
  for_each_key([&](auto key, const char* name) {
    for (const std::int64_t count : {1, 33, 2049, 8193, 30011})
      check_all(*context, std::string(name) + " descending x " + std::to_string(count),
                random_values<decltype(key)>(count), {.descending = true});
  });
}

TEST_P(SortTest, OnlyTheBitsOfTheRangeCount) {
  const auto check = [&](auto key, const char* name, int first, int last) {
    for (const bool descending : {false, true})
      for (const std::int64_t count : {700, 3000, 20011})
        check_all(*context,
                  std::string(name) + " bits " + std::to_string(first) + " to " + std::to_string(last),
                  random_values<decltype(key)>(count),
                  {.descending = descending, .first_bit = first, .last_bit = last});
  };
  for (const auto& [first, last] :
       {std::pair{0, 8}, {0, 1}, {3, 4}, {5, 21}, {24, 32}, {31, 32}, {1, 32}, {0, 9}}) {
    check(std::uint32_t{}, "u32", first, last);
    check(float{}, "f32", first, last);
  }
  check(std::int32_t{}, "i32", 7, 31);
  check(std::uint64_t{}, "u64", 30, 35);
  check(std::uint64_t{}, "u64", 63, 64);
  check(std::uint64_t{}, "u64", 3, 60);
}

TEST_P(SortTest, FloatsFollowTheTotalOrder) {
  using Limits = std::numeric_limits<float>;
  std::vector<float> keys = {0.0f,
                             -0.0f,
                             1.0f,
                             -1.0f,
                             Limits::infinity(),
                             -Limits::infinity(),
                             Limits::denorm_min(),
                             -Limits::denorm_min(),
                             Limits::min(),
                             Limits::max(),
                             Limits::lowest(),
                             std::bit_cast<float>(0x7FC00000u),
                             std::bit_cast<float>(0xFFC00000u),
                             std::bit_cast<float>(0x7F800001u),
                             std::bit_cast<float>(0xFF800001u)};
  while (keys.size() < 10000) keys.push_back(keys[generator()() % 15]);
  for (const std::size_t count : {std::size_t{15}, std::size_t{2000}, keys.size()}) {
    const std::vector<float> some(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count));
    check_all(*context, "special floats", some);
    check_all(*context, "special floats, descending", some, {.descending = true});
  }
}

TEST_P(SortTest, RegularInputIsSorted) {
  for (const std::size_t count : {std::size_t{900}, std::size_t{7000}, std::size_t{50021}}) {
    const std::vector<std::uint32_t> ascending = indices<std::uint32_t>(count);
    check_all(*context, "already sorted", ascending);
    check_all(*context, "reversed", std::vector<std::uint32_t>(ascending.rbegin(), ascending.rend()));
    check_all(*context, "all zero", std::vector<std::uint32_t>(count, 0u));
    check_all(*context, "all ones", std::vector<std::uint32_t>(count, ~0u));
    check_all(*context, "all equal", std::vector<std::uint64_t>(count, 0x0123456789ABCDEFu),
              {.descending = true});
    // Digits that vary, while all others are constant.
    const auto n = static_cast<std::int64_t>(count);
    check_all(*context, "third byte", random_values<std::uint32_t>(n, 0x00FF0000u));
    check_all(*context, "two bytes", random_values<std::uint64_t>(n, 0xFF000000FF00u));
  }
}

TEST_P(SortTest, AnyAlignmentServes) {
  for (const std::int64_t shift : {1, 2, 3, 5}) {
    check_all(*context, "shifted u32", random_values<std::uint32_t>(12345), {}, shift);
    check_all(*context, "shifted u64", random_values<std::uint64_t>(12345), {}, shift);
  }
}

TEST_P(SortTest, OnlyKeysOrOnlyValuesMayBeInPlace) {
  const std::vector<std::uint32_t> keys = random_values<std::uint32_t>(30000, 0xFFF);
  const std::vector<std::uint32_t> values = indices<std::uint32_t>(keys.size());
  for (const int last_bit : {8, 12, 32}) {
    const SortOptions options{.last_bit = last_bit};
    const std::vector<std::size_t> order = sorted_order(keys, options);
    const GuardedArray<std::uint32_t> a(*context, keys), b(*context, values), c(*context, values);
    sort_pairs(*context, a.in(), b.in(), a.span(), c.span(), options);
    expect_same_bits(a.contents(), gathered(keys, order), "keys in place");
    expect_same_bits(c.contents(), gathered(values, order), "values apart");
    const GuardedArray<std::uint32_t> d(*context, keys), e(*context, values), f(*context, keys);
    sort_pairs(*context, d.in(), e.in(), f.span(), e.span(), options);
    expect_same_bits(f.contents(), gathered(keys, order), "keys apart");
    expect_same_bits(e.contents(), gathered(values, order), "values in place");
  }
}

TEST_P(SortTest, TheReadableVersionSorts) {
  for_each_key([&](auto key, const char* name) {
    for (const std::int64_t count : {0, 1, 2, 33, 1023, 1024, 1025, 2048, 2049, 3000, 5121, 10007, 33333}) {
      const std::string what = std::string("split_merge ") + name + " x " + std::to_string(count);
      check_all(*context, what, random_values<decltype(key)>(count), {}, 0, true);
      check_all(*context, what + " of some bits", random_values<decltype(key)>(count, 0x3003),
                {.descending = true, .first_bit = 1, .last_bit = 14}, 0, true);
    }
  });
}

TEST_P(SortTest, ReplaysOfAGraphSortWhatIsThereThen) {
  for (const std::int64_t count : {1000, 6000, 200003}) {
    for (const bool split_merge : {false, true}) {
      const std::vector<std::uint32_t> values = indices<std::uint32_t>(static_cast<std::size_t>(count));
      GuardedArray<std::int32_t> keys(*context, std::vector<std::int32_t>(values.begin(), values.end()));
      const GuardedArray<std::uint32_t> with(*context, values);
      const GuardedArray<std::int32_t> keys_out(*context, keys.contents());
      const GuardedArray<std::uint32_t> with_out(*context, values);
      const SortOptions options;
      Graph graph(*context, [&] {
        if (split_merge)
          split_merge_sort_pairs<std::int32_t, std::uint32_t>(*context, keys.in(), with.in(), keys_out.span(),
                                                              with_out.span());
        else
          sort_pairs(*context, keys.in(), with.in(), keys_out.span(), with_out.span());
      });
      for (int replay = 0; replay < 4; ++replay) {
        const std::vector<std::int32_t> now = random_values<std::int32_t>(count);
        keys.set(now);
        graph.replay(1 + replay);
        const std::vector<std::size_t> order = sorted_order(now, options);
        expect_same_bits(keys_out.contents(), gathered(now, order), "replayed keys");
        expect_same_bits(with_out.contents(), gathered(values, order), "replayed values");
      }
    }
  }
}

TEST_P(SortTest, WrongCallsAreRefused) {
  const GuardedArray<std::uint32_t> a(*context, std::vector<std::uint32_t>(100, 1u)),
      b(*context, a.contents());
  const GuardedArray<std::uint32_t> c(*context, a.contents()), d(*context, a.contents());
  const auto refused = [](const auto& call, const std::string& part) {
    try {
      call();
      ADD_FAILURE() << "no error, expected one about " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused([&] { sort_keys(*context, a.in(), b.span().first(99)); }, "sort_keys: `in` has 100");
  refused([&] { sort_keys(*context, a.in().first(50), a.span().subspan(20, 50)); }, "overlap");
  refused(
      [&] {
        sort_keys(*context, std::span<const std::uint32_t>(static_cast<std::uint32_t*>(nullptr), 100),
                  b.span());
      },
      "points nowhere");
  refused([&] { sort_keys(*context, a.in(), b.span(), {.first_bit = 8, .last_bit = 8}); }, "bits 8 to 8");
  refused([&] { sort_keys(*context, a.in(), b.span(), {.first_bit = -1}); }, "bits -1");
  refused([&] { sort_keys(*context, a.in(), b.span(), {.last_bit = 33}); }, "33");
  refused([&] { sort_pairs(*context, a.in(), b.in(), c.span(), d.span().first(7)); }, "values_out");
  refused([&] { sort_pairs(*context, a.in(), b.in(), b.span(), d.span()); }, "`values_in` and `keys_out`");
  refused([&] { sort_pairs(*context, a.in(), b.in(), c.span(), c.span()); }, "`keys_out` and `values_out`");
  refused([&] { sort_pairs(*context, a.in(), b.in(), c.span(), a.span()); }, "`keys_in` and `values_out`");
}

TEST_P(SortTest, KeysBeyond2To31) {
  SCANLENS_NEEDS_A_LARGE_MACHINE();
  // Sorted by 12 bits: a pass of 8 bits and one of 4, each over more keys than a portion of the look-back
  // holds. The keys count down, so that key and place tell each other.
  const std::int64_t count = (std::int64_t{1} << 31) + 12345;
  constexpr std::uint32_t kMask = 0xFFF;
  std::vector<std::uint32_t> keys(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    keys[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(count - i);
  const GuardedArray<std::uint32_t> array(*context, keys);
  sort_keys(*context, array.in(), array.span(), {.last_bit = 12});
  const std::vector<std::uint32_t> sorted = array.contents();
  std::int64_t wrong = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const std::uint32_t before = sorted[i - 1], key = sorted[i];
    const bool follows =
        (before & kMask) == (key & kMask) ? before == key + kMask + 1 : (before & kMask) + 1 == (key & kMask);
    wrong += !follows;
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace scanlens::test
