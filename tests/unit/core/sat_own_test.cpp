// Summed-area tables of every kind on the CPU, those that the library does not hold compiled among them.
#define HWY_WANT_AVX3_DL  // as core/sat/cpu/byte_rows.cpp is compiled for it
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/sat_with.h"
#include "tests/unit/support/instruction_sets.h"
#include "tests/unit/support/own_sat.h"

namespace scanlens {
namespace {

/// Numbers of threads to try. A sanitizer's threads are slow, and 33 of them wait for each other.
std::vector<int> numbers_of_threads() {
  if (test::is_set("SCANLENS_SANITIZED")) return {1, 3};
  return {1, 2, 3, 8, 33};
}

using test::check;
using test::check_bands;
using test::for_layouts;
using test::Layout;
using test::looked_up;
using test::Own;

/// Makes tables of any channels.
struct OwnOfAny {
  template <class T, class S>
  static void table(Context& context, const Layout& layout, View<const T> image, View<S> table,
                    const Terms& terms) {
    with_maker<false>(layout,
                      [&](auto own) { own.template table<T, S>(context, layout, image, table, terms); });
  }
  template <class T, class S>
  static void tables(Context& context, const Layout& layout, View<const T> image, View<S> table,
                     View<SquareSum<S>> squares, const Terms& terms) {
    with_maker<true>(
        layout, [&](auto own) { own.template tables<T, S>(context, layout, image, table, squares, terms); });
  }
  template <class T, class S>
  static void go_on(Context& context, const Layout& layout, View<const T> band, View<S> table) {
    with_maker<false>(layout, [&](auto own) { own.template go_on<T, S>(context, layout, band, table); });
  }

 private:
  template <bool kSquares, class Use>
  static void with_maker(const Layout& layout, const Use& use) {
    if (layout.from == 1) return use(Own<1, 1, kSquares>());
    if (layout.from == 4) return use(Own<4, 4, kSquares>());
    if (layout.to == 3) return use(Own<3, 3, kSquares>());
    use(Own<3, 4, kSquares>());
  }
};

template <class Body>
void for_every_layout(std::int64_t width, std::int64_t height, std::int64_t images, const Body& body) {
  test::for_every_layout(width, height, images, body);
  for_layouts(width, height, images, 3, 4, body);
}

/// Tables of these types, and those of squares, of every layout.
template <class T, class S>
void check_kinds(const Terms& terms = {}) {
  Context context = Context::open("cpu");
  constexpr std::pair<std::int64_t, std::int64_t> kSizes[] = {
      {0, 5},   {5, 0},   {1, 1},   {31, 33},  {32, 32}, {33, 31},   {127, 3},
      {128, 9}, {129, 1}, {1, 257}, {255, 17}, {256, 7}, {257, 128}, {515, 129}};
  // Under a sanitizer a few sizes that cut tables into parts.
  const std::size_t first = test::is_set("SCANLENS_SANITIZED") ? std::size(kSizes) - 2 : 0;
  for (const auto& [width, height] : std::span(kSizes).subspan(first))
    for_every_layout(width, height, 1,
                     [&](const Layout& layout) { check<T, S, OwnOfAny>(context, layout, terms, true); });
  for (const std::int64_t images : {3, 64})
    for_every_layout(31, 5, images,
                     [&](const Layout& layout) { check<T, S, OwnOfAny>(context, layout, terms, true); });
  if constexpr (!std::is_floating_point_v<S>)
    for (const std::int64_t band : {1, 7, 64})
      for_every_layout(131, 70, 1,
                       [&](const Layout& layout) { check_bands<T, S, OwnOfAny>(context, layout, band); });
}

TEST(SatOnTheCpu, EveryTypeLayoutAndSquares) {
  check_kinds<std::uint8_t, std::uint32_t>();
  check_kinds<std::uint8_t, std::uint64_t>();
  check_kinds<std::uint16_t, std::uint32_t>();
  check_kinds<std::uint16_t, std::uint64_t>();
  check_kinds<std::uint32_t, std::uint32_t>();
  check_kinds<float, double>();
}

TEST(SatOnTheCpu, LooksTermsUp) {
  for (const bool wide : {false, true}) {
    check_kinds<std::uint8_t, std::uint32_t>(looked_up(wide));
    check_kinds<std::uint8_t, std::uint64_t>(looked_up(wide));
    check_kinds<std::uint16_t, std::uint32_t>(looked_up(wide));
    check_kinds<std::uint16_t, std::uint64_t>(looked_up(wide));
  }
}

TEST(SatOnTheCpu, ScalesFloats) {
  Terms terms;
  terms.scale = 65535;
  terms.most = 65000;
  check_kinds<float, std::uint32_t>(terms);
  check_kinds<float, std::uint64_t>(terms);
}

TEST(SatOnTheCpu, EveryInstructionSetGivesTheSameBits) {
  Context context = Context::open("cpu");
  test::for_every_instruction_set([&] {
    for (const std::int64_t width : {1, 2, 7, 33, 130, 1037})
      for_every_layout(width, 45, 1, [&](const Layout& layout) {
        check<std::uint8_t, std::uint32_t, OwnOfAny>(context, layout);
        check<std::uint8_t, std::uint32_t, OwnOfAny>(context, layout, looked_up(false));
        check<std::uint8_t, std::uint64_t, OwnOfAny>(context, layout);
        check<std::uint8_t, std::uint64_t, OwnOfAny>(context, layout, looked_up(true), true);
        check<std::uint16_t, std::uint32_t, OwnOfAny>(context, layout);
        check<std::uint16_t, std::uint64_t, OwnOfAny>(context, layout);
        check<float, std::uint32_t, OwnOfAny>(context, layout);
      });
    for (const std::int64_t gap : {0, 3})
      check<std::uint8_t, std::uint32_t, OwnOfAny>(context, {1600, 1100, 3, 3, false, false, 1, gap});
  });
}

/// Samples that come out of no generator, so that every call sees the same, and of such different sizes that
/// sums are rounded: another order shows.
std::vector<double> table_of_doubles(Context& context, std::int64_t width, std::int64_t height, int channels,
                                     std::int64_t offset) {
  std::vector<float> samples(static_cast<std::size_t>(width * height * channels));
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] =
        std::ldexp(static_cast<float>(i * 2654435761u % 1000003) - 3e5f, static_cast<int>(i % 61) - 30);
  std::vector<double> sums(samples.size() + 16);
  summed_area_table<float, double>(context, View<const float>(samples.data(), width, height, channels),
                                   View<double>(sums.data() + offset, width, height, channels));
  return {sums.begin() + offset, sums.end() - 16 + offset};
}

TEST(SatOnTheCpu, DoublesAreTheSameBitsHoweverManyThreads) {
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 33);
  Context context = Context::open("cpu");
  for (const auto& shape : {std::array{70, 40, 3}, {1031, 773, 1}, {1031, 773, 3}, {1600, 1100, 4}}) {
    const int width = shape[0], height = shape[1], channels = shape[2];
    const std::vector<double> expected = table_of_doubles(context, width, height, channels, 0);
    for (const int threads : numbers_of_threads())
      tbb::task_arena(threads).execute([&] {
        EXPECT_EQ(table_of_doubles(context, width, height, channels, threads % 8), expected) << threads;
      });
    test::for_every_instruction_set(
        [&] { EXPECT_EQ(table_of_doubles(context, width, height, channels, 3), expected); });
  }
}

TEST(SatOnTheCpu, ManyThreads) {
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 33);
  Context context = Context::open("cpu");
  for (const int threads : numbers_of_threads())
    tbb::task_arena(threads).execute([&] {
      check<std::uint8_t, std::uint32_t, OwnOfAny>(context, {701, 801, 3, 3}, Terms{}, true);
      check<std::uint8_t, std::uint32_t, OwnOfAny>(context, {701, 801, 3, 4, false, true}, looked_up(false));
      check<std::uint16_t, std::uint64_t, OwnOfAny>(context, {701, 801, 3, 4, true, true});
      check<float, double, OwnOfAny>(context, {701, 801, 1, 1, false, true});
      check<std::uint8_t, std::uint32_t, OwnOfAny>(context, {301, 203, 4, 4, false, false, 5});
    });
}

}  // namespace
}  // namespace scanlens
