// Tables of core/sat_with.h for the checks of sat.h.
#pragma once

#include "core/sat_with.h"
#include "tests/unit/support/sat.h"

namespace scanlens::test {

/// Makes tables of images of kIn channels into kOut, or both tables if kSquares.
template <int kIn, int kOut, bool kSquares>
struct Own {
  template <class T, class S>
  static void table(Context& context, const Layout& layout, View<const T> image, View<S> table,
                    const Terms& terms) {
    if constexpr (!kSquares) summed_area_table<kIn, kOut>(context, image, table, terms, layout.images);
  }
  template <class T, class S>
  static void tables(Context& context, const Layout& layout, View<const T> image, View<S> table,
                     View<SquareSum<S>> squares, const Terms& terms) {
    if constexpr (kSquares)
      summed_area_tables<kIn, kOut>(context, image, table, squares, terms, layout.images);
  }
  template <class T, class S>
  static void go_on(Context& context, const Layout&, View<const T> band, View<S> table) {
    continue_summed_area_table<kIn, kOut>(context, band, table);
  }
};

/// Every layout of images around the sizes of tiles, and of some that take many tiles.
template <class T, class S, int kIn, int kOut, bool kSquares = false>
void check_kind(Context& context, const Terms& terms = {}) {
  using Maker = Own<kIn, kOut, kSquares>;
  const auto check_layout = [&](const Layout& layout) {
    check<T, S, Maker>(context, layout, terms, kSquares);
  };
  constexpr std::pair<std::int64_t, std::int64_t> kSizes[] = {
      {0, 5}, {5, 0}, {1, 1}, {31, 33}, {127, 3}, {128, 9}, {1, 257}, {257, 128}, {515, 129}};
  for (const auto& [width, height] : kSizes) for_layouts(width, height, 1, kIn, kOut, check_layout);
  for_layouts(64, 31, 3, kIn, kOut, check_layout);
  for (const bool aligned : {false, true})
    if (!testing::Test::HasFatalFailure())
      check_layout({1600, 1100, kIn, kOut, false, !aligned, 1, 3, aligned});
}

}  // namespace scanlens::test
