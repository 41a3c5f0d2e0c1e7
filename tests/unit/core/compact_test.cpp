// Stream compaction against sequential loops.
#include "core/compact.h"

#include <cmath>

#include "core/compact/compare_range.h"
#include "core/graph.h"
#include "core/textbook/scan_scatter.h"
#include "tests/unit/support/arrays.h"
#include "tests/unit/support/instruction_sets.h"

namespace scanlens {
namespace {

class Compact : public test::OnDevice {};

using Flags = std::vector<std::uint8_t>;

template <class T>
struct Parted {
  std::vector<T> kept, rejected;
};

template <class T>
Parted<T> parted(const std::vector<T>& in, const Flags& flags) {
  Parted<T> result;
  for (std::size_t i = 0; i < in.size(); ++i) (flags[i] ? result.kept : result.rejected).push_back(in[i]);
  return result;
}

/// Bit for bit: NaN is itself, and -0 is not 0.
template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// `out` begins with `expected`, and goes on as it was filled.
template <class T>
void expect_front(const std::vector<T>& out, const std::vector<T>& expected, const T& filled,
                  const std::string& what) {
  ASSERT_LE(expected.size(), out.size()) << what;
  for (std::size_t i = 0; i < out.size(); ++i)
    ASSERT_TRUE(same_bits(out[i], i < expected.size() ? expected[i] : filled))
        << what << ": element " << i << " of " << expected.size() << " kept of " << out.size();
}

/// Outputs with something in them, one element longer than needed, and a count to be written.
template <class T>
struct Outputs {
  static constexpr T kFilled = T{99};

  Outputs(Context& context, std::int64_t n, std::int64_t shift)
      : kept(context, std::vector<T>(static_cast<std::size_t>(n + 1), kFilled), shift),
        rejected(context, std::vector<T>(static_cast<std::size_t>(n + 1), kFilled), shift + 1),
        count(context, {12345678}) {}

  void expect_kept(const Parted<T>& expected, const std::string& what) {
    ASSERT_EQ(count.contents()[0], expected.kept.size()) << what;
    expect_front(kept.contents(), expected.kept, kFilled, what + ", kept");
  }
  void expect_both(const Parted<T>& expected, const std::string& what) {
    expect_kept(expected, what);
    expect_front(rejected.contents(), expected.rejected, kFilled, what + ", rejected");
  }

  test::GuardedArray<T> kept, rejected;
  test::GuardedArray<std::uint64_t> count;
};

template <class T>
void check_flags(Context& context, const std::vector<T>& values, const Flags& flags, const std::string& which,
                 std::int64_t shift = 0) {
  const auto n = static_cast<std::int64_t>(values.size());
  const std::string what =
      "n = " + std::to_string(n) + ", flags " + which + ", shifted by " + std::to_string(shift);
  const Parted<T> expected = parted(values, flags);
  test::GuardedArray<T> in(context, values, shift);
  test::GuardedArray<std::uint8_t> marks(context, flags, 2 * shift);
  {
    Outputs<T> out(context, n, shift);
    compact_flagged(context, in, marks, out.kept, out.count.span().data());
    out.expect_kept(expected, what);
  }
  {
    Outputs<T> out(context, n, shift);
    partition_flagged(context, in, marks, out.kept, out.rejected, out.count.span().data());
    out.expect_both(expected, what + ", partition");
  }
  {
    Outputs<T> out(context, n, shift);
    compact_scan_scatter<T>(context, in, marks, out.kept, out.count.span().data());
    out.expect_kept(expected, what + ", by scan and scatter");
  }
  for (std::int64_t i = 0; const T& value : in.contents())
    ASSERT_TRUE(same_bits(value, values[static_cast<std::size_t>(i++)])) << what << ", the input afterwards";
}

template <class T>
bool stands(T value, typename Compare<T>::Relation relation, T bound) {
  switch (relation) {
    case Compare<T>::unordered:
      return value != value || bound != bound;
    case Compare<T>::less:
      return value < bound;
    case Compare<T>::less_equal:
      return value <= bound;
    case Compare<T>::equal:
      return value == bound;
    case Compare<T>::not_equal:
      return value != bound;
    case Compare<T>::greater_equal:
      return value >= bound;
    default:
      return value > bound;
  }
}

template <class T>
void check_predicate(Context& context, const std::vector<T>& values, Compare<T> predicate,
                     std::int64_t shift = 0) {
  const auto n = static_cast<std::int64_t>(values.size());
  const std::string what = "n = " + std::to_string(n) + ", relation " + std::to_string(predicate.relation) +
                           ", shifted by " + std::to_string(shift);
  Flags flags;
  for (const T value : values) flags.push_back(stands(value, predicate.relation, predicate.bound));
  test::GuardedArray<T> in(context, values, shift);
  Outputs<T> kept(context, n, shift), both(context, n, shift);
  compact_if(context, in, predicate, kept.kept, kept.count.span().data());
  kept.expect_kept(parted(values, flags), what);
  partition_if(context, in, predicate, both.kept, both.rejected, both.count.span().data());
  both.expect_both(parted(values, flags), what + ", partition");
}

template <class T>
void check_unique(Context& context, const std::vector<T>& values, std::int64_t shift = 0) {
  const auto n = static_cast<std::int64_t>(values.size());
  Flags first_of_run;
  for (std::size_t i = 0; i < values.size(); ++i)
    first_of_run.push_back(i == 0 || values[i] != values[i - 1]);
  test::GuardedArray<T> in(context, values, shift);
  Outputs<T> out(context, n, shift);
  unique(context, in, out.kept, out.count.span().data());
  out.expect_kept(parted(values, first_of_run), "unique, n = " + std::to_string(n));
}

/// Values with many equal ones, and NaN and both zeros among the floats.
template <class T>
std::vector<T> some_values(std::int64_t n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = test::generator()();
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T kSpecial[] = {T{0}, -T{0}, std::numeric_limits<T>::quiet_NaN(),
                                std::numeric_limits<T>::infinity()};
      values[i] =
          bits % 16 < 4 ? kSpecial[bits % 4] : static_cast<T>(static_cast<int>(bits >> 40) % 100 - 50);
    } else {
      values[i] = bits % 4 == 0 ? static_cast<T>(bits >> 8) : static_cast<T>(bits >> 40) % 100;
    }
    if (i > 0 && bits % 3 == 0) values[i] = values[i - 1];  // a run
  }
  return values;
}

template <class T>
void check_type(Context& context) {
  SCOPED_TRACE(typeid(T).name());
  const auto check_all = [&](std::int64_t n, std::int64_t shift) {
    const std::vector<T> values = some_values<T>(n);
    check_flags(context, values, test::random_flags(n, 0.5), "half", shift);
    check_predicate<T>(context, values, {Compare<T>::less, T{50}}, shift);
    check_unique(context, values, shift);
  };
  for (const std::int64_t n : test::lengths()) {
    check_all(n, 0);
    if (testing::Test::HasFatalFailure()) return;
  }
  for (int i = 0; i < 10; ++i) {
    check_all(test::random_length(18), static_cast<std::int64_t>(test::generator()() % 17));
    if (testing::Test::HasFatalFailure()) return;
  }
  for (const std::int64_t n : {5003, 70001}) {
    const std::vector<T> values = some_values<T>(n);
    const auto size = static_cast<std::size_t>(n);
    check_flags(context, values, Flags(size, 0), "none");
    check_flags(context, values, Flags(size, 255), "all");
    check_flags(context, values, test::random_flags(n, 0.001), "one in 1000");
    check_flags(context, values, test::random_flags(n, 0.999), "all but one in 1000");
    using C = Compare<T>;
    for (const auto relation :
         {C::less, C::less_equal, C::equal, C::not_equal, C::greater_equal, C::greater, C::unordered})
      check_predicate<T>(context, values, {relation, T{7}}, 3);
    check_unique(context, std::vector<T>(size, T{3}));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_P(Compact, OfBytes) {
  check_type<std::uint8_t>(*context);
}
TEST_P(Compact, OfUint16) {
  check_type<std::uint16_t>(*context);
}
TEST_P(Compact, OfInt32) {
  check_type<std::int32_t>(*context);
}
TEST_P(Compact, OfUint32) {
  check_type<std::uint32_t>(*context);
}
TEST_P(Compact, OfUint64) {
  check_type<std::uint64_t>(*context);
}
TEST_P(Compact, OfInt64) {
  check_type<std::int64_t>(*context);
}
TEST_P(Compact, OfDouble) {
  check_type<double>(*context);
}
TEST_P(Compact, OfFloat) {
  check_type<float>(*context);
}

template <class T>
void check_range(const std::vector<T>& values) {
  for (unsigned relation = 0; relation < 16; ++relation) {  // any set of them
    for (const T bound : values) {
      const Compare<T> compare{static_cast<typename Compare<T>::Relation>(relation), bound};
      const CompareRange<T> range(compare);
      for (const T value : values)
        ASSERT_EQ(range.contains(value) != range.outside, compare(value))
            << typeid(T).name() << ": " << +value << ", relation " << relation << ", bound " << +bound;
    }
  }
}

template <class T>
void check_range() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {Limits::lowest(), static_cast<T>(Limits::lowest() + 1), T{0},         T{1}, T{7},
                           T{100},           static_cast<T>(Limits::max() - 1),    Limits::max()};
  if constexpr (Limits::has_infinity) {
    for (const T value : {Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min(), T{0}})
      values.insert(values.end(), {value, -value});
  }
  check_range(values);
}

TEST(CompareRange, KeepsWhatTheCompareKeeps) {
  check_range<std::uint8_t>();
  check_range<std::uint16_t>();
  check_range<std::int32_t>();
  check_range<std::uint32_t>();
  check_range<std::int64_t>();
  check_range<std::uint64_t>();
  check_range<float>();
  check_range<double>();
}

TEST_P(Compact, HoldsForManyTiles) {
  SCANLENS_TAKES_SECONDS();
  for (const std::int64_t n : {2162689, 4400017}) {
    const std::vector<std::uint32_t> values = some_values<std::uint32_t>(n);
    check_flags(*context, values, test::random_flags(n, 0.1), "one in 10");
    check_predicate<std::uint32_t>(*context, values, {Compare<std::uint32_t>::greater, 60}, 1);
    check_unique(*context, values, 3);
    check_flags(*context, some_values<std::uint8_t>(n), test::random_flags(n, 0.9), "nine in 10", 1);
    if (HasFatalFailure()) return;
  }
  constexpr std::int64_t n = 20000003;  // a block has more tiles than totals in shared memory
  check_flags(*context, some_values<std::uint32_t>(n), test::random_flags(n, 0.5), "half");
}

/// More than one tile for each block of a large GPU, as short arrays have.
template <class T>
void check_long(Context& context) {
  SCOPED_TRACE(typeid(T).name());
  constexpr std::int64_t n = 1100003;
  const std::vector<T> values = some_values<T>(n);
  check_flags(context, values, test::random_flags(n, 0.3), "three in 10", 1);
  check_predicate<T>(context, values, {Compare<T>::greater_equal, T{60}}, 3);
  check_unique(context, values, 2);
}
TEST_P(Compact, HoldsBeyondATileForEachBlock) {
  check_long<std::uint16_t>(*context);
  check_long<std::int32_t>(*context);
  check_long<std::uint64_t>(*context);
  check_long<float>(*context);
}

/// Runs that begin and end where pieces and tiles are cut, and beside it.
TEST_P(Compact, UniqueHoldsAcrossCuts) {
  for (const std::size_t beside : {0, 1, 1023}) {
    std::vector<std::uint32_t> values(70001);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::uint32_t>((i + beside) / 1024);
    check_unique(*context, values);
  }
}

TEST_P(Compact, ReplaysOnNewInput) {
  constexpr std::int64_t n = 150001;
  test::GuardedArray<std::uint32_t> in(*context, std::vector<std::uint32_t>(n));
  test::GuardedArray<std::uint8_t> marks(*context, Flags(n));
  Outputs<std::uint32_t> flagged(*context, n, 0), compared(*context, n, 0), scattered(*context, n, 0);
  const Compare<std::uint32_t> small{Compare<std::uint32_t>::less, 1000};
  Graph graph(*context, [&] {
    partition_flagged(*context, in, marks, flagged.kept, flagged.rejected, flagged.count.span().data());
    compact_if(*context, in, small, compared.kept, compared.count.span().data());
    compact_scan_scatter<std::uint32_t>(*context, in, marks, scattered.kept, scattered.count.span().data());
  });
  for (int run = 0; run < 4; ++run) {
    const std::vector<std::uint32_t> values = some_values<std::uint32_t>(n);
    const Flags flags = test::random_flags(n, 0.2 + 0.2 * run);
    Flags is_small;
    for (const std::uint32_t value : values) is_small.push_back(value < 1000);
    in.set(values);
    marks.set(flags);
    const std::vector<std::uint32_t> filled(n + 1, Outputs<std::uint32_t>::kFilled);
    for (auto* out : {&flagged, &compared, &scattered}) {
      out->kept.set(filled);
      out->rejected.set(filled);
    }
    graph.replay(run + 1);
    flagged.expect_both(parted(values, flags), "replay " + std::to_string(run));
    compared.expect_kept(parted(values, is_small), "replay " + std::to_string(run) + ", compared");
    scattered.expect_kept(parted(values, flags), "replay " + std::to_string(run) + ", scattered");
    if (HasFatalFailure()) return;
  }
}

TEST_P(Compact, RefusesWrongArrays) {
  test::GuardedArray<std::uint32_t> array(*context, std::vector<std::uint32_t>(200));
  test::GuardedArray<std::uint8_t> marks(*context, Flags(200));
  test::GuardedArray<std::uint64_t> counts(*context, {0});
  const std::span<std::uint32_t> all = array, out = all.last(50),
                                 nowhere(static_cast<std::uint32_t*>(nullptr), 50);
  const std::span<const std::uint32_t> in = all.first(50);
  const std::span<const std::uint8_t> flags = std::span<std::uint8_t>(marks).first(50);
  std::uint64_t* const count = counts.span().data();
  const Compare<std::uint32_t> any{Compare<std::uint32_t>::greater_equal, 0};

  // Each call, with what all of them have: an input, an output and a count.
  struct Call {
    std::string name, out;
    std::function<void(std::span<const std::uint32_t>, std::span<std::uint32_t>, std::uint64_t*)> make;
  };
  const std::vector<Call> calls = {
      {"compact_if", "out", [&](auto i, auto o, auto* c) { compact_if(*context, i, any, o, c); }},
      {"compact_flagged", "out", [&](auto i, auto o, auto* c) { compact_flagged(*context, i, flags, o, c); }},
      {"partition_if", "kept",
       [&](auto i, auto o, auto* c) { partition_if(*context, i, any, o, all.subspan(100, 50), c); }},
      {"partition_if", "rejected",
       [&](auto i, auto o, auto* c) { partition_if(*context, i, any, all.subspan(100, 50), o, c); }},
      {"partition_flagged", "kept",
       [&](auto i, auto o, auto* c) { partition_flagged(*context, i, flags, o, all.subspan(100, 50), c); }},
      {"partition_flagged", "rejected",
       [&](auto i, auto o, auto* c) { partition_flagged(*context, i, flags, all.subspan(100, 50), o, c); }},
      {"unique", "out", [&](auto i, auto o, auto* c) { unique(*context, i, o, c); }},
      {"compact_scan_scatter", "out",
       [&](auto i, auto o, auto* c) { compact_scan_scatter(*context, i, flags, o, c); }},
  };
  for (const Call& call : calls) {
    const auto refused = [&](auto i, auto o, auto* c, const std::string& argument) {
      test::expect_usage_error([&] { call.make(i, o, c); }, call.name, argument);
    };
    refused(in, out.first(49), count, call.out);
    refused(in, all.subspan(49, 50), count, call.out);
    refused(in, all.first(50), count, call.out);
    refused(in, nowhere, count, call.out);
    refused(std::span<const std::uint32_t>(nowhere), out, count, "in");
    refused(in, out, static_cast<std::uint64_t*>(nullptr), "count");
    refused(in, out, reinterpret_cast<std::uint64_t*>(all.data() + 151), "count");
    refused(in, out, reinterpret_cast<std::uint64_t*>(all.data() + 1), "count");
  }
  const auto wrong_flags = [&](std::span<const std::uint8_t> wrong) {
    using test::expect_usage_error;
    expect_usage_error([&] { compact_flagged(*context, in, wrong, out, count); }, "compact_flagged", "flags");
    expect_usage_error([&] { compact_scan_scatter(*context, in, wrong, out, count); }, "compact_scan_scatter",
                       "flags");
    expect_usage_error([&] { partition_flagged(*context, in, wrong, all.subspan(100, 50), out, count); },
                       "partition_flagged", "flags");
  };
  wrong_flags(flags.first(49));
  wrong_flags({static_cast<const std::uint8_t*>(nullptr), 50});
  wrong_flags({reinterpret_cast<const std::uint8_t*>(out.data()), 50});
  test::expect_usage_error([&] { partition_if(*context, in, any, out, all.subspan(149, 50), count); },
                           "partition_if", "rejected");
  context->synchronize();
  test::expect_same(array.contents(), std::vector<std::uint32_t>(200), "after refused calls");
}

TEST_P(Compact, HoldsBeyond2To32Elements) {
  SCANLENS_NEEDS_A_LARGE_MACHINE();
  const std::int64_t n = (std::int64_t{1} << 32) + 4099;
  const auto value = [](std::int64_t i) {
    return static_cast<std::uint8_t>(static_cast<std::uint64_t>(i) * 2654435761 >> 13);
  };
  Image<std::uint8_t> in(n, 1), kept(*context, n, 1), rejected(*context, n, 1);
  Image<std::uint64_t> count(*context, 1, 1);
  for (std::int64_t i = 0; i < n; ++i) in.view().data[i] = value(i);
  in = upload(*context, std::move(in));
  const auto size = static_cast<std::size_t>(n);
  partition_if(*context, std::span(in.view().data, size), {Compare<std::uint8_t>::not_equal, 5},
               std::span(kept.view().data, size), std::span(rejected.view().data, size), count.view().data);
  kept = download(*context, std::move(kept));
  rejected = download(*context, std::move(rejected));
  count = download(*context, std::move(count));
  std::int64_t k = 0, r = 0;
  for (std::int64_t i = 0; i < n; ++i)
    if (value(i) != 5)
      ASSERT_EQ(kept.view().data[k++], value(i)) << i;
    else
      ASSERT_EQ(rejected.view().data[r++], 5) << i;
  EXPECT_EQ(count.view().data[0], static_cast<std::uint64_t>(k));
}

SCANLENS_ON_EVERY_DEVICE(Compact);

TEST(CompactOnTheCpu, HoldsForEveryInstructionSet) {
  Context context = Context::open("cpu");
  test::for_every_instruction_set([&] {
    check_type<std::uint8_t>(context);
    check_type<std::uint16_t>(context);
    check_type<std::int32_t>(context);
    check_type<std::uint64_t>(context);
    check_type<float>(context);
  });
}

}  // namespace
}  // namespace scanlens
