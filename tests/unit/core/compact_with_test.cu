// Compactions under predicates and of types of the user's own, compiled by nvcc for both backends.
#include "core/compact.h"
#include "tests/unit/support/arrays.h"
#include "tests/unit/support/own_types.h"

namespace scanlens {
namespace {

class CompactWith : public test::OnDevice {};

/// A predicate with a value of its own, on a type of its own.
struct LongerThan {
  std::uint32_t length;
  template <int kWords>
  SCANLENS_HOST_DEVICE bool operator()(const test::Stretch<kWords>& x) const {
    return x.words[1] - x.words[0] > length;
  }
};
struct IsOdd {
  SCANLENS_HOST_DEVICE bool operator()(std::uint32_t x) const { return x % 2; }
};

template <class T, class Predicate>
void check_predicate(Context& context, const std::vector<T>& values, Predicate predicate,
                     std::int64_t shift) {
  std::vector<T> stay, go;
  for (const T& value : values) (predicate(value) ? stay : go).push_back(value);
  const std::string what = "n = " + std::to_string(values.size()) + ", shifted by " + std::to_string(shift);
  test::GuardedArray<T> in(context, values, shift), out(context, values, 2 * shift);
  test::GuardedArray<T> kept(context, values), rejected(context, values);
  test::GuardedArray<std::uint64_t> counts(context, {77, 77});
  std::uint64_t* const count = counts.span().data();
  compact_if(context, in, predicate, out, count);
  partition_if(context, in, predicate, kept, rejected, count + 1);

  // Each output held the input, and goes on with it where nothing was written.
  const auto over = [&](std::vector<T> front) {
    front.insert(front.end(), values.begin() + static_cast<std::ptrdiff_t>(front.size()), values.end());
    return front;
  };
  test::expect_same(counts.contents(), {stay.size(), stay.size()}, what + ", counts");
  test::expect_same(out.contents(), over(stay), what);
  test::expect_same(kept.contents(), over(stay), what + ", kept");
  test::expect_same(rejected.contents(), over(go), what + ", rejected");
}

TEST_P(CompactWith, PredicatesOfYourOwn) {
  for (const std::int64_t n : test::with_lengths())
    for (const std::int64_t shift : {0, 3}) {
      check_predicate(*context, test::random_values<std::uint32_t>(n), IsOdd{}, shift);
      check_predicate(*context, test::stretches<3>(n), LongerThan{5}, shift);
      check_predicate(*context, test::stretches<4>(n), LongerThan{3}, shift);
      if (HasFatalFailure()) return;
    }
}

SCANLENS_ON_EVERY_DEVICE(CompactWith);

}  // namespace
}  // namespace scanlens
