// Scans and compactions under operators, predicates and of types of the user's own, compiled by nvcc for both
// backends.
#include <functional>

#include "core/compact_with.h"
#include "core/graph.h"
#include "core/scan_with.h"
#include "tests/unit/support/arrays.h"

namespace scanlens {
namespace {

class ScanWith : public test::OnDevice {};

/// x -> a x + b modulo 2^32; the first operand is applied first. Not commutative.
struct Affine {
  std::uint32_t a, b;
  bool operator==(const Affine&) const = default;
};
struct Compose {
  SCANLENS_HOST_DEVICE Affine operator()(const Affine& f, const Affine& g) const {
    return {g.a * f.a, g.a * f.b + g.b};
  }
  template <class T>
  SCANLENS_HOST_DEVICE static T identity() {
    return {1, 0};
  }
};

/// 2 x 2 matrices modulo 2^32. Not commutative.
struct Matrix {
  std::uint32_t m[4];
  bool operator==(const Matrix&) const = default;
};
struct Multiply {
  SCANLENS_HOST_DEVICE Matrix operator()(const Matrix& x, const Matrix& y) const {
    return {{x.m[0] * y.m[0] + x.m[1] * y.m[2], x.m[0] * y.m[1] + x.m[1] * y.m[3],
             x.m[2] * y.m[0] + x.m[3] * y.m[2], x.m[2] * y.m[1] + x.m[3] * y.m[3]}};
  }
  template <class T>
  SCANLENS_HOST_DEVICE static T identity() {
    return {{1, 0, 0, 1}};
  }
};

/// Matrices that multiply by the name of a number's operator.
struct Turn {
  std::uint32_t m[4];
  Turn() = default;
  SCANLENS_HOST_DEVICE constexpr explicit Turn(std::uint32_t scale) : m{scale, 0, 0, scale} {}
  bool operator==(const Turn&) const = default;
  SCANLENS_HOST_DEVICE friend Turn operator*(const Turn& x, const Turn& y) {
    const Matrix product = Multiply()({{x.m[0], x.m[1], x.m[2], x.m[3]}}, {{y.m[0], y.m[1], y.m[2], y.m[3]}});
    Turn turn;
    for (int i = 0; i < 4; ++i) turn.m[i] = product.m[i];
    return turn;
  }
};

/// Three bytes: an array of them stands on any address.
struct Rgb {
  std::uint8_t r, g, b;
  bool operator==(const Rgb&) const = default;
};
struct AddChannels {
  SCANLENS_HOST_DEVICE Rgb operator()(const Rgb& x, const Rgb& y) const {
    return {static_cast<std::uint8_t>(x.r + y.r), static_cast<std::uint8_t>(x.g + y.g),
            static_cast<std::uint8_t>(x.b + y.b)};
  }
  template <class T>
  SCANLENS_HOST_DEVICE static T identity() {
    return {0, 0, 0};
  }
};

/// The ends and the length of a string, joined end to end where they fit: 12 bytes, and any pair out of
/// order, left out or taken twice shows as a break.
struct Ends {
  std::uint32_t first, last, length;
  bool operator==(const Ends&) const = default;
};
struct Join {
  static constexpr std::uint32_t kBroken = 0xFFFFFFFF;
  SCANLENS_HOST_DEVICE Ends operator()(const Ends& x, const Ends& y) const {
    if (x.length == 0) return y;
    if (y.length == 0) return x;
    if (x.length == kBroken || y.length == kBroken || x.last + 1 != y.first) return {0, 0, kBroken};
    return {x.first, y.last, x.length + y.length};
  }
  template <class T>
  SCANLENS_HOST_DEVICE static T identity() {
    return {0, 0, 0};
  }
};

/// An operator that holds a value of its own.
struct AddModulo {
  std::uint32_t modulus;
  SCANLENS_HOST_DEVICE std::uint32_t operator()(std::uint32_t x, std::uint32_t y) const {
    return static_cast<std::uint32_t>((std::uint64_t{x} + y) % modulus);
  }
  template <class T>
  SCANLENS_HOST_DEVICE static T identity() {
    return 0;
  }
};

template <class Out, class In, class Op>
std::vector<Out> reference(bool inclusive, const std::vector<In>& in, const std::vector<std::uint8_t>& heads,
                           Op op) {
  std::vector<Out> out;
  Out running = Op::template identity<Out>();
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!heads.empty() && heads[i]) running = Op::template identity<Out>();
    const Out before = running;
    running = op(running, static_cast<Out>(in[i]));
    out.push_back(inclusive ? running : before);
  }
  return out;
}

template <class In, class Out, class Op>
void check_scan(Context& context, const std::vector<In>& values, Op op, std::int64_t shift = 0) {
  for (const bool inclusive : {true, false}) {
    const std::string what = std::string(inclusive ? "inclusive" : "exclusive") +
                             ", n = " + std::to_string(values.size()) + ", shifted by " +
                             std::to_string(shift);
    const std::vector<Out> expected = reference<Out>(inclusive, values, {}, op);
    test::GuardedArray<In> in(context, values, shift);
    test::GuardedArray<Out> out(context, std::vector<Out>(values.size()), 2 * shift);
    const auto scan = [&](std::span<Out> to) {
      if (inclusive)
        inclusive_scan<In, Out>(context, in, to, op);
      else
        exclusive_scan<In, Out>(context, in, to, op);
    };
    scan(out);
    test::expect_same(out.contents(), expected, what);
    if constexpr (std::is_same_v<In, Out>) {
      scan(in);
      test::expect_same(in.contents(), expected, what + ", in place");
    }
  }
}

template <class T, class Op>
void check_segments(Context& context, const std::vector<T>& values, Op op, double density) {
  const std::vector<std::uint8_t> heads =
      test::random_flags(static_cast<std::int64_t>(values.size()), density);
  test::GuardedArray<T> in(context, values), out(context, values), exclusive(context, values);
  test::GuardedArray<std::uint8_t> flags(context, heads);
  segmented_inclusive_scan<T>(context, in, flags, out, op);
  segmented_exclusive_scan<T>(context, in, flags, exclusive, op);
  const std::string what = "segmented, n = " + std::to_string(values.size());
  test::expect_same(out.contents(), reference<T>(true, values, heads, op), what + ", inclusive");
  test::expect_same(exclusive.contents(), reference<T>(false, values, heads, op), what + ", exclusive");
}

std::uint32_t random_word() {
  return static_cast<std::uint32_t>(test::generator()());
}

template <class T>
std::vector<T> generated(std::int64_t n, const std::function<T(std::int64_t)>& value) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(value(i));
  return values;
}

std::vector<Affine> affine_maps(std::int64_t n) {
  return generated<Affine>(n, [](std::int64_t) { return Affine{random_word() | 1, random_word()}; });
}
std::vector<Matrix> matrices(std::int64_t n) {
  return generated<Matrix>(n, [](std::int64_t) {
    // A determinant of 1 keeps products from fading to 0.
    const std::uint32_t x = random_word(), y = random_word();
    return Matrix{{1 + x * y, x, y, 1}};
  });
}
std::vector<Ends> strings(std::int64_t n) {
  std::uint32_t at = 0;
  return generated<Ends>(n, [&](std::int64_t) {
    const std::uint32_t length = 1 + random_word() % 9, first = at;
    at += length;
    return Ends{first, at - 1, length};
  });
}

const std::vector<std::int64_t>& lengths() {
  static const std::vector<std::int64_t> all = {0,    1,    2,    31,   32,    33,    127,
                                                1023, 1025, 4096, 8191, 16385, 70001, 300007};
  return all;
}

TEST_P(ScanWith, OperatorsThatDoNotCommute) {
  for (const std::int64_t n : lengths())
    for (const std::int64_t shift : {0, 1}) {
      check_scan<Affine, Affine>(*context, affine_maps(n), Compose{}, shift);
      check_scan<Matrix, Matrix>(*context, matrices(n), Multiply{}, shift);
      check_scan<Ends, Ends>(*context, strings(n), Join{}, shift);
      if (HasFatalFailure()) return;
    }
}

TEST_P(ScanWith, ManyTilesInOrder) {
  check_scan<Affine, Affine>(*context, affine_maps(2500009), Compose{});
  check_scan<Ends, Ends>(*context, strings(1200007), Join{});
}

TEST_P(ScanWith, AProductOfMatricesKeepsItsOrder) {
  std::vector<Turn> turns(30011);
  for (std::size_t i = 0; i < turns.size(); ++i)
    for (std::uint32_t j = 0; j < 4; ++j) turns[i].m[j] = static_cast<std::uint32_t>(i * 7 + j * j + 1) % 5;
  check_scan<Turn, Turn>(*context, turns, Product{});
}

TEST_P(ScanWith, TypesThatStandOnAnyAddress) {
  std::vector<Rgb> pixels(20011);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const auto byte = [i](std::size_t k) { return static_cast<std::uint8_t>((i * 31 + k * 17) % 251); };
    pixels[i] = {byte(0), byte(1), byte(2)};
  }
  for (const std::int64_t shift : {0, 1, 2, 5}) check_scan<Rgb, Rgb>(*context, pixels, AddChannels{}, shift);

  // Pairs of words, on an address that is no multiple of eight.
  constexpr std::size_t n = 20011;
  std::vector<std::uint32_t> words(2 * n + 1);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i * 2654435761u);
  test::GuardedArray<std::uint32_t> array(*context, words);
  auto* first = reinterpret_cast<Affine*>(array.span().data() + 1);
  inclusive_scan<Affine, Affine>(*context, std::span<const Affine>(first, n), std::span<Affine>(first, n),
                                 Compose{});
  const std::vector<std::uint32_t> results = array.contents();
  Affine running = Compose::identity<Affine>();
  for (std::size_t i = 0; i < n; ++i) {
    running = Compose()(running, {words[2 * i + 1], words[2 * i + 2]});
    ASSERT_EQ(results[2 * i + 1], running.a) << i;
    ASSERT_EQ(results[2 * i + 2], running.b) << i;
  }
}

TEST_P(ScanWith, AnOperatorWithAValueOfItsOwn) {
  const auto digits = [](std::int64_t) { return random_word() % 1000003; };
  for (const std::int64_t n : lengths())
    check_scan<std::uint32_t, std::uint32_t>(*context, generated<std::uint32_t>(n, digits),
                                             AddModulo{1000003}, 3);
}

TEST_P(ScanWith, TypesThatTheLibraryDoesNotHold) {
  const auto any = [](std::int64_t) { return static_cast<std::int8_t>(random_word()); };
  for (const std::int64_t n : lengths()) {
    check_scan<std::int8_t, std::int64_t>(*context, generated<std::int8_t>(n, any), Sum{}, 1);
    check_scan<std::int8_t, std::int8_t>(*context, generated<std::int8_t>(n, any), Max{}, 5);
    check_scan<std::uint64_t, std::uint64_t>(*context, test::random_values<std::uint64_t>(n), Product{}, 1);
  }
}

TEST_P(ScanWith, Segments) {
  for (const std::int64_t n : lengths())
    for (const double density : {0.3, 0.001}) {
      check_segments(*context, affine_maps(n), Compose{}, density);
      check_segments(*context, matrices(n), Multiply{}, density);
      if (HasFatalFailure()) return;
    }
}

TEST_P(ScanWith, WhatTheLibraryHoldsIsStillFound) {
  const std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(1000);
  check_scan<std::uint32_t, std::uint32_t>(*context, values, Sum{});
}

TEST_P(ScanWith, ReplaysOnNewInput) {
  constexpr std::int64_t n = 100003;
  test::GuardedArray<Affine> in(*context, affine_maps(n)), out(*context, affine_maps(n));
  Graph graph(*context, [&] { inclusive_scan<Affine, Affine>(*context, in, out, Compose{}); });
  for (int run = 0; run < 3; ++run) {
    const std::vector<Affine> maps = affine_maps(n);
    in.set(maps);
    graph.replay(run + 1);
    test::expect_same(out.contents(), reference<Affine>(true, maps, {}, Compose{}),
                      "replay " + std::to_string(run));
  }
}

TEST_P(ScanWith, RefusesWrongArrays) {
  test::GuardedArray<Affine> array(*context, affine_maps(100));
  const std::span<Affine> all = array;
  const auto refused = [&](std::span<const Affine> in, std::span<Affine> out) {
    test::expect_usage_error([&] { inclusive_scan(*context, in, out, Compose{}); }, "inclusive_scan", "out");
  };
  refused(all.first(50), all.last(49));
  refused(all.first(50), all.subspan(1, 50));
}

/// A predicate with a value of its own, on a type of its own.
struct LongerThan {
  std::uint32_t length;
  SCANLENS_HOST_DEVICE bool operator()(const Ends& x) const { return x.length > length; }
};
struct IsOdd {
  SCANLENS_HOST_DEVICE bool operator()(std::uint32_t x) const { return x % 2; }
};

struct BeginsOdd {
  SCANLENS_HOST_DEVICE bool operator()(const Affine& x) const { return x.b % 2; }
  SCANLENS_HOST_DEVICE bool operator()(const Matrix& x) const { return x.m[0] % 2; }
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
  compact_if<T>(context, in, predicate, out, count);
  partition_if<T>(context, in, predicate, kept, rejected, count + 1);

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

TEST_P(ScanWith, PredicatesOfYourOwn) {
  for (const std::int64_t n : lengths())
    for (const std::int64_t shift : {0, 3}) {
      check_predicate(*context, test::random_values<std::uint32_t>(n), IsOdd{}, shift);
      check_predicate(*context, strings(n), LongerThan{5}, shift);
      check_predicate(*context, affine_maps(n), BeginsOdd{}, shift);
      check_predicate(*context, matrices(n), BeginsOdd{}, shift);
      if (HasFatalFailure()) return;
    }
}

SCANLENS_ON_EVERY_DEVICE(ScanWith);

}  // namespace
}  // namespace scanlens
