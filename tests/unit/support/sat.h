// An image of any type and layout, its summed-area tables, and what they are by the definition, summed one
// after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/sat.h"
#include "core/sat/backends.h"
#include "tests/unit/support/guarded.h"

namespace scanlens::test {

struct Layout {
  std::int64_t width, height;
  int from = 1, to = 1;  ///< channels
  bool planar = false, bordered = false;
  std::int64_t images = 1;
  std::int64_t gap = 5;  ///< elements between rows
  /// Image and table begin at multiples of 16 bytes, and their rows too. The gap is then what is needed for
  /// that, and `gap` elements more, rounded down to as much.
  bool aligned = false;

  std::string text() const {
    return std::to_string(images) + " x " + std::to_string(width) + " x " + std::to_string(height) + " x " +
           std::to_string(from) + "->" + std::to_string(to) + (planar ? " planar" : "") +
           (bordered ? " bordered" : "") + " gap " + std::to_string(gap) + (aligned ? " aligned" : "");
  }
  /// Between rows of `width` elements of type E.
  template <class E>
  std::int64_t gap_after(std::int64_t width, std::int64_t unaligned) const {
    constexpr auto kStep = static_cast<std::int64_t>(16 / sizeof(E));
    return aligned ? (width + kStep - 1) / kStep * kStep - width + gap / kStep * kStep : unaligned;
  }
  std::int64_t table_width() const { return width + bordered; }
  std::int64_t table_rows() const { return height + bordered; }
};

/// Makes tables by core/sat.h. Tests of core/sat_with.h have a maker of their own.
struct FromLibrary {
  template <class T, class S>
  static void table(Context& context, const Layout& layout, View<const T> image, View<S> table,
                    const Terms& terms) {
    summed_area_table<T, S>(context, image, table, terms, layout.images);
  }
  template <class T, class S>
  static void tables(Context& context, const Layout& layout, View<const T> image, View<S> table,
                     View<SquareSum<S>> squares, const Terms& terms) {
    if constexpr (SquaresInLibrary<T, S>)
      summed_area_tables<T, S>(context, image, table, squares, terms, layout.images);
    else
      FAIL() << "the library holds no such squares";
  }
  template <class T, class S>
  static void go_on(Context& context, const Layout&, View<const T> band, View<S> table) {
    continue_summed_area_table<T, S>(context, band, table);
  }
};

/// The table by its definition, row by row: term(x, y, c) is what pixel (x, y) adds to channel c.
template <class Sum, class Term>
Image<Sum> table_reference(std::int64_t width, std::int64_t height, int channels, const Term& term) {
  Image<Sum> table(width, height, channels);
  for (std::int64_t y = 0; y < height; ++y)
    for (int c = 0; c < channels; ++c) {
      Sum row = 0;
      for (std::int64_t x = 0; x < width; ++x) {
        row += static_cast<Sum>(term(x, y, c));
        table.view()(x, y, c) = row + (y > 0 ? table.view()(x, y - 1, c) : Sum{0});
      }
    }
  return table;
}

/// The term as core/sat.h defines it, in a type that holds it.
template <class Exact, class S, class T>
Exact exact_term(const T* pixel, int channels, int c, const Terms& terms) {
  if (c == channels) return 1;
  if constexpr (std::is_floating_point_v<S>) return pixel[c];
  if (terms.packed)
    return static_cast<Exact>(static_cast<std::uint64_t>(pixel[0]) +
                              static_cast<std::uint64_t>(pixel[1]) * 2097152 +
                              static_cast<std::uint64_t>(pixel[2]) * 4398046511104);
  const bool is_alpha = channels == 4 && c == 3;
  std::uint64_t value, alpha = 1;
  if constexpr (std::is_floating_point_v<T>) {
    const auto code = [](double x, double most) {
      return static_cast<std::uint64_t>(std::nearbyint(std::isnan(x) || x < 0 ? 0 : x < most ? x : most));
    };
    if (channels == 4) alpha = alpha_term(pixel[3]);
    value = is_alpha ? alpha : code(pixel[c] * terms.scale, terms.most);
  } else {
    if (channels == 4) alpha = pixel[3];
    value = is_alpha || !terms.lut ? pixel[c] : terms.lut[pixel[c]];
  }
  return static_cast<Exact>(terms.weigh_by_alpha && !is_alpha ? value * alpha : value);
}

/// An image, its tables, and what they should be.
template <class T, class S, class Maker = FromLibrary>
class Trial {
 public:
  using Squares = SquareSum<S>;

  Trial(Context& context, const Layout& layout, const Terms& terms = {}, bool squares = false)
      : context_(context),
        layout_(layout),
        terms_(terms),
        image_(context, layout.width * layout.from, layout.height * layout.images, layout.aligned ? 0 : 1,
               layout.gap_after<T>(layout.width * layout.from, 3)),
        table_(context, layout.table_width() * (layout.planar ? 1 : layout.to), rows(),
               layout.aligned ? 0 : 7,
               layout.gap_after<S>(layout.table_width() * (layout.planar ? 1 : layout.to), layout.gap)) {
    if (squares) squares_.emplace(context, table_.view().width, rows(), 2, layout.gap);
    if constexpr (std::is_floating_point_v<T>) {
      const View<T> samples = image_.expected();
      for (std::int64_t y = 0; y < samples.height; ++y)
        for (std::int64_t x = 0; x < samples.width; ++x)
          samples(x, y) = std::uniform_real_distribution<T>(T(-0.25), T(1.25))(generator());
      image_.upload();
    }
  }

  View<const T> image() {
    const View<T> all = image_.view();
    return View<const T>(all.data, layout_.width, all.height, layout_.from, all.pitch);
  }
  View<S> table() { return shaped(table_.view()); }
  View<Squares> squares() { return shaped(squares_->view()); }

  void run() {
    Terms terms = terms_;
    if (terms.lut) terms.lut = context_.readable(terms.lut, sizeof(T) == 1 ? 256 : 65536);
    if (squares_)
      Maker::template tables<T, S>(context_, layout_, image(), table(), squares(), terms);
    else
      Maker::template table<T, S>(context_, layout_, image(), table(), terms);
  }

  void check(const std::string& what = "") {
    const std::string where = layout_.text() + " " + what;
    check_one(
        table_, [](auto value) { return value; }, where);
    if (squares_ && !testing::Test::HasFatalFailure())
      check_one(
          *squares_, [](auto value) { return value * value; }, where + " squares");
    if (!testing::Test::HasFatalFailure()) image_.check(where + " image");
  }

 private:
  std::int64_t rows() const {
    return layout_.table_rows() * layout_.images * (layout_.planar ? layout_.to : 1);
  }
  template <class U>
  View<U> shaped(const View<U>& all) const {
    return View<U>(all.data, layout_.table_width(), all.height, layout_.planar ? 1 : layout_.to, all.pitch);
  }

  /// `of` is what the table sums of each term. Floats may be off by the roundings of a row's and a column's
  /// sums.
  template <class Out, class Of>
  void check_one(GuardedArray<Out>& table, const Of& of, const std::string& what) {
    using Exact = std::conditional_t<std::is_floating_point_v<Out>, long double, std::uint64_t>;
    const View<Out> expected = table.expected();
    const View<T> samples = image_.expected();
    const Image<Out> actual = table.image(what);
    const int border = layout_.bordered;
    const long double bound = 2.L * static_cast<long double>(layout_.width + layout_.height) * 0x1p-53L;
    for (std::int64_t b = 0; b < layout_.images; ++b)
      for (int c = 0; c < layout_.to; ++c) {
        const auto term = [&](std::int64_t x, std::int64_t y, int) {
          const T* pixel = samples.row(b * layout_.height + y) + x * layout_.from;
          return of(exact_term<Exact, S>(pixel, layout_.from, c, terms_));
        };
        const Image<Exact> sums = table_reference<Exact>(layout_.width, layout_.height, 1, term);
        Image<Exact> sizes;
        if constexpr (std::is_floating_point_v<Out>)
          sizes = table_reference<Exact>(layout_.width, layout_.height, 1,
                                         [&](auto x, auto y, int) { return std::abs(term(x, y, c)); });
        for (std::int64_t y = 0; y < layout_.table_rows(); ++y)
          for (std::int64_t x = 0; x < layout_.table_width(); ++x) {
            const std::int64_t row = (layout_.planar ? b * layout_.to + c : b) * layout_.table_rows() + y;
            const std::int64_t at = layout_.planar ? x : x * layout_.to + c;
            const bool on_border = x < border || y < border;
            const Exact sum = on_border ? 0 : sums.view()(x - border, y - border);
            expected(at, row) = static_cast<Out>(sum);
            if constexpr (std::is_floating_point_v<Out>) {
              if (on_border) continue;
              const Out found = actual.view()(at, row);
              ASSERT_LE(std::abs(found - sum), bound * sizes.view()(x - border, y - border))
                  << what << " at " << x << ", " << y;
              expected(at, row) = found;
            }
          }
      }
    table.check(what);
  }

  Context& context_;
  Layout layout_;
  Terms terms_;
  GuardedArray<T> image_;
  GuardedArray<S> table_;
  std::optional<GuardedArray<Squares>> squares_;
};

template <class T, class S, class Maker = FromLibrary>
void check(Context& context, const Layout& layout, const Terms& terms = {}, bool squares = false) {
  Trial<T, S, Maker> trial(context, layout, terms, squares);
  trial.run();
  trial.check();
}

/// Tables made band by band are those made at once.
template <class T, class S, class Maker = FromLibrary>
void check_bands(Context& context, const Layout& layout, std::int64_t band) {
  Layout whole = layout;
  whole.bordered = false;
  Trial<T, S, Maker> trial(context, whole);
  trial.run();
  trial.check();
  if (testing::Test::HasFatalFailure()) return;
  const std::int64_t planes = layout.planar ? layout.to : 1;
  const std::int64_t width = layout.table_width() * (layout.planar ? 1 : layout.to);
  const std::int64_t border = layout.bordered ? width / layout.table_width() : 0;
  Image<S> expected(trial.table().width, trial.table().height, trial.table().channels);
  copy(context, trial.table(), expected.view());
  context.synchronize();

  std::vector<S> above(static_cast<std::size_t>(width * planes), S{0});
  for (std::int64_t first = 0; first < layout.height; first += band) {
    const std::int64_t count = std::min(band, layout.height - first);
    GuardedArray<S> part(context, width, (count + 1) * planes, layout.aligned ? 0 : 3,
                         layout.gap_after<S>(width, 5));
    for (std::int64_t p = 0; p < planes; ++p)
      std::copy_n(above.data() + p * width, width, part.expected().row(p * (count + 1)));
    part.upload();
    const View<S> lines = part.view();
    const View<const T> image = trial.image();
    Maker::template go_on<T, S>(
        context, layout, image.region(0, first, layout.width, count),
        View<S>(lines.data, layout.table_width(), lines.height, layout.planar ? 1 : layout.to, lines.pitch));
    for (std::int64_t p = 0; p < planes; ++p)
      for (std::int64_t y = 0; y < count; ++y) {
        S* const row = part.expected().row(p * (count + 1) + y + 1);
        std::fill_n(row, border, S{0});
        std::copy_n(expected.view().row(p * layout.height + first + y), width - border, row + border);
        if (y == count - 1) std::copy_n(row, width, above.data() + p * width);
      }
    part.check(layout.text() + " bands of " + std::to_string(band) + " from " + std::to_string(first));
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// body(layout) for images of this size and these channels, planar or not, bordered or not.
template <class Body>
void for_layouts(std::int64_t width, std::int64_t height, std::int64_t images, int from, int to,
                 const Body& body) {
  for (const bool planar : {false, true})
    for (const bool bordered : {false, true}) {
      if ((planar && to == 1) || testing::Test::HasFatalFailure()) continue;
      body(Layout{width, height, from, to, planar, bordered, images});
    }
}

/// The same for every number of channels that the library has tables of.
template <class Body>
void for_every_layout(std::int64_t width, std::int64_t height, std::int64_t images, const Body& body) {
  for (const int channels : {1, 3, 4}) for_layouts(width, height, images, channels, channels, body);
}

/// Look-up tables whose entries fit 16 bits, all of them or all but the last few.
inline Terms looked_up(bool wide) {
  static std::array<std::array<std::uint32_t, 65536>, 2> tables;
  auto& table = tables[wide];
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = static_cast<std::uint32_t>((i * 40503 + 77) % 65536 + (wide && i % 256 > 250 ? 9999999 : 0));
  Terms terms;
  terms.lut = table.data();
  return terms;
}

}  // namespace scanlens::test
