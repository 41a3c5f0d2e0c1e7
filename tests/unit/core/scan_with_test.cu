// Scans under operators and of types of the user's own, compiled by nvcc for both backends.
#include "core/graph.h"
#include "core/scan.h"
#include "tests/unit/support/arrays.h"
#include "tests/unit/support/own_types.h"

namespace scanlens {
namespace {

using test::Affine;
using test::affine_maps;
using test::generated;
using test::Join;
using test::random_word;
using test::Stretch;
using test::stretches;

class ScanWith : public test::OnDevice {};

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
        inclusive_scan(context, in, to, op);
      else
        exclusive_scan(context, in, to, op);
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
  inclusive_segmented_scan(context, in, flags, out, op);
  exclusive_segmented_scan(context, in, flags, exclusive, op);
  const std::string what = "segmented, n = " + std::to_string(values.size());
  test::expect_same(out.contents(), reference<T>(true, values, heads, op), what + ", inclusive");
  test::expect_same(exclusive.contents(), reference<T>(false, values, heads, op), what + ", exclusive");
}

TEST_P(ScanWith, OperatorsThatDoNotCommute) {
  for (const std::int64_t n : test::with_lengths())
    for (const std::int64_t shift : {0, 1}) {
      check_scan<Affine, Affine>(*context, affine_maps(n), Product{}, shift);
      check_scan<Stretch<3>, Stretch<3>>(*context, stretches<3>(n), Join{}, shift);
      check_scan<Stretch<4>, Stretch<4>>(*context, stretches<4>(n), Join{}, shift);
      if (HasFatalFailure()) return;
    }
}

TEST_P(ScanWith, ManyTilesInOrder) {
  check_scan<Affine, Affine>(*context, affine_maps(2500009), Product{});
  check_scan<Stretch<3>, Stretch<3>>(*context, stretches<3>(1200007), Join{});
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
  inclusive_scan(*context, std::span<const Affine>(first, n), std::span<Affine>(first, n), Product{});
  const std::vector<std::uint32_t> results = array.contents();
  Affine running = Product::identity<Affine>();
  for (std::size_t i = 0; i < n; ++i) {
    running = Product()(running, {words[2 * i + 1], words[2 * i + 2]});
    ASSERT_EQ(results[2 * i + 1], running.a) << i;
    ASSERT_EQ(results[2 * i + 2], running.b) << i;
  }
}

TEST_P(ScanWith, AnOperatorWithAValueOfItsOwn) {
  const auto digits = [](std::int64_t) { return random_word() % 1000003; };
  for (const std::int64_t n : test::with_lengths())
    check_scan<std::uint32_t, std::uint32_t>(*context, generated<std::uint32_t>(n, digits),
                                             test::AddModulo{1000003}, 3);
}

TEST_P(ScanWith, TypesThatTheLibraryDoesNotHold) {
  const auto any = [](std::int64_t) { return static_cast<std::int8_t>(random_word()); };
  for (const std::int64_t n : test::with_lengths()) {
    check_scan<std::int8_t, std::int64_t>(*context, generated<std::int8_t>(n, any), Sum{}, 1);
    check_scan<std::int8_t, std::int8_t>(*context, generated<std::int8_t>(n, any), Max{}, 5);
  }
}

TEST_P(ScanWith, Segments) {
  for (const std::int64_t n : test::with_lengths())
    for (const double density : {0.3, 0.001}) {
      check_segments(*context, affine_maps(n), Product{}, density);
      check_segments(*context, stretches<4>(n), Join{}, density);
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
  Graph graph(*context, [&] { inclusive_scan(*context, in, out, Product{}); });
  for (int run = 0; run < 3; ++run) {
    const std::vector<Affine> maps = affine_maps(n);
    in.set(maps);
    graph.replay(run + 1);
    test::expect_same(out.contents(), reference<Affine>(true, maps, {}, Product{}),
                      "replay " + std::to_string(run));
  }
}

TEST_P(ScanWith, RefusesWrongArrays) {
  test::GuardedArray<Affine> array(*context, affine_maps(100));
  const std::span<Affine> all = array;
  const auto refused = [&](std::span<const Affine> in, std::span<Affine> out) {
    test::expect_usage_error([&] { inclusive_scan(*context, in, out, Product{}); }, "inclusive_scan", "out");
  };
  refused(all.first(50), all.last(49));
  refused(all.first(50), all.subspan(1, 50));
}

SCANLENS_ON_EVERY_DEVICE(ScanWith);

}  // namespace
}  // namespace scanlens
