// Sorts along axes, the first k of lines and sorts by comparators, against the standard library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "core/sort.h"
#include "core/sort/lines.h"
#include "core/sort_with.h"
#include "tests/unit/support/arrays.h"
#include "tests/unit/support/guarded.h"

namespace scanlens {
namespace {

using test::GuardedArray;

class SortLines : public test::OnDevice {};

/// Floats by their total order, which is the order of these numbers.
template <class Key>
std::int64_t rank_of(Key key) {
  if constexpr (std::is_integral_v<Key>) {
    return static_cast<std::int64_t>(key);
  } else {
    std::int32_t bits = 0;
    const float value = static_cast<float>(key);
    std::memcpy(&bits, &value, sizeof(bits));
    return bits < 0 ? -std::int64_t{bits & 0x7FFFFFFF} - 1 : bits;
  }
}

/// Few values of many bits, so that many are equal, and a quarter of other ones.
template <class Key>
std::vector<Key> some_keys(std::int64_t n) {
  std::vector<Key> keys(static_cast<std::size_t>(n));
  for (Key& key : keys) {
    const std::uint64_t random = test::generator()();
    const int value =
        random % 4 == 0 ? static_cast<int>(random >> 40 & 0xFFFF) : static_cast<int>(random >> 8 & 15);
    key = static_cast<Key>(std::is_integral_v<Key> ? static_cast<float>(value & 127)
                                                   : static_cast<float>(value) * 0.5f - 3);
  }
  return keys;
}

/// Sorts line by line, and keeps the first k.
template <class Key>
void reference(const std::vector<Key>& in, const Axis& axis, std::int64_t k, bool descending,
               std::vector<Key>& out, std::vector<std::int64_t>& places) {
  out.resize(static_cast<std::size_t>(axis.outer * k * axis.inner));
  places.resize(out.size());
  std::vector<std::int64_t> order(static_cast<std::size_t>(axis.length));
  for (std::int64_t o = 0; o < axis.outer; ++o)
    for (std::int64_t j = 0; j < axis.inner; ++j) {
      const auto key = [&](std::int64_t i) {
        return in[static_cast<std::size_t>((o * axis.length + i) * axis.inner + j)];
      };
      std::iota(order.begin(), order.end(), std::int64_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return descending ? rank_of(key(a)) > rank_of(key(b)) : rank_of(key(a)) < rank_of(key(b));
      });
      for (std::int64_t i = 0; i < k; ++i) {
        const auto to = static_cast<std::size_t>((o * k + i) * axis.inner + j);
        places[to] = order[static_cast<std::size_t>(i)];
        out[to] = key(places[to]);
      }
    }
}

template <class Key>
bool same_bits(const std::vector<Key>& a, const std::vector<Key>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Key)) == 0);
}

template <class Key>
void check(Context& context, const Axis& axis, std::int64_t k, bool descending) {
  SCOPED_TRACE(testing::Message() << axis.outer << " x " << axis.length << " x " << axis.inner << ", k " << k
                                  << (descending ? ", descending, " : ", ") << sizeof(Key) << " bytes");
  const std::vector<Key> in = some_keys<Key>(axis.outer * axis.length * axis.inner);
  std::vector<Key> expected;
  std::vector<std::int64_t> expected_places;
  reference(in, axis, k, descending, expected, expected_places);
  const GuardedArray<Key> from(context, in), out(context, std::vector<Key>(expected.size()));
  const GuardedArray<std::int64_t> places(context, std::vector<std::int64_t>(expected.size()));
  top_k(context, from, k, out, places.span(), axis, descending);
  EXPECT_TRUE(same_bits(out.contents(), expected));
  EXPECT_EQ(places.contents(), expected_places);
  const GuardedArray<Key> alone(context, std::vector<Key>(expected.size()));
  top_k(context, from, k, alone, {}, axis, descending);
  EXPECT_TRUE(same_bits(alone.contents(), expected));
  EXPECT_TRUE(same_bits(from.contents(), in));
  if (k == axis.length) {
    sort_axis(context, from, from, axis, descending);
    EXPECT_TRUE(same_bits(from.contents(), expected));
  }
  if (expected.empty()) return;
  // The steps of CUDA.
  const GuardedArray<Key> again(context, in), by_pairs(context, std::vector<Key>(expected.size()));
  const GuardedArray<std::int64_t> with(context, std::vector<std::int64_t>(expected.size()));
  sort_lines_by_pairs<Key>(context, {again.in(), axis, k, descending, by_pairs.span(), with.span()});
  EXPECT_TRUE(same_bits(by_pairs.contents(), expected));
  EXPECT_EQ(with.contents(), expected_places);
}

TEST_P(SortLines, EveryAxisTypeAndK) {
  for (const Axis& axis : {Axis{1, 0, 1}, Axis{0, 5, 3}, Axis{1, 1, 1}, Axis{7, 1, 3}, Axis{1, 1000, 1},
                           Axis{500, 7, 1}, Axis{3, 129, 5}, Axis{1, 40, 300}, Axis{2, 5000, 2}})
    for (const std::int64_t k :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, axis.length / 9, axis.length})
      for (const bool descending : {false, true}) {
        if (k > axis.length) continue;
        check<float>(*context, axis, k, descending);
        check<std::uint64_t>(*context, axis, k, descending);
        check<std::int8_t>(*context, axis, k, descending);
        check<Half>(*context, axis, k, descending);
        if (HasFailure()) return;
      }
}

TEST_P(SortLines, LongLines) {
  for (const Axis& axis : {Axis{1, 300007, 1}, Axis{1, 100003, 2}})
    for (const std::int64_t k : {std::int64_t{1}, std::int64_t{100}, axis.length / 9, axis.length}) {
      check<std::int32_t>(*context, axis, k, true);
      check<double>(*context, axis, k, false);
    }
}

TEST_P(SortLines, WrongArgumentsAreErrors) {
  const GuardedArray<float> in(*context, std::vector<float>(12)), out(*context, std::vector<float>(12));
  const GuardedArray<std::int64_t> places(*context, std::vector<std::int64_t>(12));
  const auto refused = [&](const char* name, const char* argument, auto call) {
    test::expect_usage_error(call, name, argument);
  };
  refused("top_k", "k", [&] { top_k(*context, in, 13, out); });
  refused("top_k", "k", [&] { top_k(*context, in, -1, out); });
  refused("top_k", "out", [&] { top_k(*context, in, 3, out); });
  refused("top_k", "out", [&] { top_k(*context, in, 3, in.span().first(3)); });
  refused("sort_axis", "in", [&] { sort_axis(*context, in, out, Axis{2, 5, 1}); });
  refused("sort_axis", "places", [&] {
    sort_axis(*context, in, out, Axis{3, 4, 1}, false, places.span().first(11));
  });
}

SCANLENS_ON_EVERY_DEVICE(SortLines);

struct Person {
  std::int32_t age;
  char name[9];
};

TEST(SortBy, IsStableForEveryLength) {
  Context context = Context::open("cpu");
  std::vector<std::int64_t> lengths = test::lengths();
  lengths.push_back(1000003);
  for (const std::int64_t n : lengths) {
    std::vector<Person> people(static_cast<std::size_t>(n));
    for (Person& person : people) {
      const std::uint64_t random = test::generator()();
      person = {static_cast<std::int32_t>(random % 50), {}};
      std::memcpy(person.name, &random, sizeof(random));
    }
    const auto older = [](const Person& a, const Person& b) { return a.age > b.age; };
    std::vector<Person> expected = people, out(people.size());
    std::stable_sort(expected.begin(), expected.end(), older);
    sort_by(context, people, out, older);
    const auto same = [](const Person& a, const Person& b) {
      return a.age == b.age && !std::memcmp(a.name, b.name, 9);
    };
    ASSERT_TRUE(std::equal(out.begin(), out.end(), expected.begin(), same)) << n;
    sort_by(context, people, people, older);
    ASSERT_TRUE(std::equal(people.begin(), people.end(), expected.begin(), same)) << n << " in place";
  }
}

TEST_P(SortLines, ComparatorsAreOfTheCpu) {
  const GuardedArray<float> in(*context, std::vector<float>{3, 1, 2});
  if (!context->on_cuda()) {
    sort_by(*context, in, in, std::less<>());
    EXPECT_EQ(in.contents(), (std::vector<float>{1, 2, 3}));
  } else {
    EXPECT_THROW(sort_by(*context, in, in, std::less<>()), Error);
  }
}

}  // namespace
}  // namespace scanlens
