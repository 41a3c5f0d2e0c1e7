#include "filters/dof/lamps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

#include "core/runtime/recently_used.h"
#include "filters/bokeh_picture.h"
#include "filters/dof/pupil.h"
#include "filters/dof_shape.h"

namespace scanlens {
namespace {

/// Pixels of radius from a disc to the next; wide lamps take every second. Half the L1 distance of a lamp of
/// a pixel from a disc is at most 0.016 at 8 to 10 pixels of radius; every second disc has 0.021 there, and
/// 0.017 at 13.
constexpr float kSpacing = 0.275f;
/// Discs from here on are a wide lamp's.
constexpr double kWide = kNarrowLamp * 1.125 + 4 * kSpacing;
/// Larger tables space discs farther, and rows of large discs go together: edges are off by a thousandth.
constexpr float kMostDiscs = 2048;
constexpr int kMostRows = 512;  ///< above the middle
/// Half a pixel does not show at wider blurs, whose discs are all about a pixel's middle.
constexpr double kMostExactMiddle = 160;
constexpr double kRounding = 1e-6;  ///< edges that pass through a pixel's middle hold it

/// The outline of a style's lights: rows of runs.
class Outline {
 public:
  explicit Outline(const DofStyle& style) : pupil_(style) {
    if (style.picture) picture_.emplace(*style.picture, style.rotation, style.anamorphic);
  }

  std::array<double, 2> rows() const { return picture_ ? picture_->rows() : pupil_.rows(); }
  std::array<double, 2> reach() const { return picture_ ? picture_->reach() : pupil_.reach(); }
  /// Calls visit(left, right) for the runs at a height.
  void for_each_run(double y, const auto& visit) const {
    if (!picture_) return std::apply(visit, pupil_.at(y));
    for (const auto& run : picture_->at(y)) std::apply(visit, run);
  }

 private:
  Pupil pupil_;
  std::optional<BokehPicture::Outline> picture_;
};

/// Adds the boxes of a disc `radius` pixels large, and returns its area. Its middle lies half a pixel right
/// of a pixel's for middle_x = 1, and below it for middle_y = 1. Each half has at most most_rows + 1 boxes.
double add_boxes(const Outline& outline, double radius, int middle_x, int middle_y, int most_rows,
                 std::vector<std::uint32_t>& words) {
  const double beside = middle_x / 2., below = middle_y / 2.;
  const auto [top, bottom] = outline.rows();
  const double reach = std::min<double>(kMostHalfSize, radius * std::max(-top, bottom) + kRounding);
  const auto down = static_cast<int>(reach + below);
  const int together = 1 + down / most_rows;
  double area = 0;
  const std::size_t first_word = words.size();
  for (int row = static_cast<int>(std::ceil(below - reach)); row <= down; row += together) {
    const int last = std::min(down, row + together - 1);
    const double size = std::max(radius, 1e-6);
    outline.for_each_run(((row + last) / 2. - below) / size, [&](double left, double right) {
      const double from = std::ceil(beside + left * radius - kRounding),
                   to = std::floor(beside + right * radius + kRounding);
      if (from > to) return;
      const std::uint32_t columns = box_word(static_cast<int>(from), static_cast<int>(to));
      area += (last_of_box(columns) - first_of_box(columns) + 1.) * (last - row + 1);
      if (words.size() > first_word && words[words.size() - 2] == columns &&
          last_of_box(words.back()) == row - 1)
        words.back() = box_word(first_of_box(words.back()), last);
      else
        words.insert(words.end(), {columns, box_word(row, last)});
    });
  }
  if (area > 0) return area;
  words.insert(words.end(), {box_word(0, 0), box_word(0, 0)});  // a pixel
  return 1;
}

DiscTable discs_up_to(float most, const DofStyle& style) {
  const float spacing = disc_spacing(most);
  const Outline outline(style);
  const int count = static_cast<int>(most / spacing) + 2 * kMostSoftening + 6;
  DiscTable table;
  table.words.resize(static_cast<std::size_t>(count * kMiddles * kDiscWords));
  for (int i = 0; i < count * kMiddles; ++i) {
    const auto [radius, most_rows] = disc_size(i / kMiddles, spacing);
    const auto disc = table.words.begin() + std::ptrdiff_t{i} * kDiscWords;
    if (i % kMiddles > 0 && radius > kMostExactMiddle) {
      std::copy_n(disc - kDiscWords, kDiscWords, disc);
      continue;
    }
    const std::size_t first = table.words.size();
    const double area = add_boxes(outline, radius, i % 2, i / 2 % 2, most_rows, table.words);
    const std::uint32_t words[] = {static_cast<std::uint32_t>(std::min(4294967296.0 / area, 4294967295.0)),
                                   static_cast<std::uint32_t>(first),
                                   static_cast<std::uint32_t>((table.words.size() - first) / kBoxWords)};
    std::copy_n(words, kDiscWords, table.words.begin() + std::ptrdiff_t{i} * kDiscWords);
  }
  const auto [across, down] = outline.reach();
  table.discs = {table.words.data(), 1 / spacing, static_cast<float>(across), static_cast<float>(down)};
  return table;
}

}  // namespace

float disc_spacing(float most) {
  return std::max(kSpacing, most / kMostDiscs);
}

DiscSize disc_size(int place, float spacing) {
  const auto radius_of = [&](int at) { return static_cast<double>(static_cast<float>(at) * spacing); };
  const bool of_few_rows = radius_of(place) >= kWide && place % 2 == 1;
  return {radius_of(of_few_rows ? place - 1 : place), of_few_rows ? kRowsOfOneDisc : kMostRows};
}

std::string hidden_shape(const Blur& blur, const DofStyle& style) {
  const float widest = widest_circle({blur, style.near, style.far});
  const bool has_shape = sides_of(style) > 0 || style.picture;
  if (style.quality == DofQuality::draft || !has_shape || widest > kLeastLampRadius) return {};
  return fmt::format(
      "the blur of {:.2g} pixels is too narrow to show {}; they show from {:g} pixels of radius on", widest,
      style.picture ? "pictures" : "blades", kLeastLampRadius);
}

std::shared_ptr<const DiscTable> disc_table(const DofStyle& style, float most) {
  static const auto none = std::make_shared<const DiscTable>();
  if ((style.bokeh == Bokeh::box && sides_of(style) == 0 && !style.picture) || !(most > kLeastLampRadius))
    return none;
  using Key = std::tuple<std::uint64_t, Bokeh, float, float, float, float, int>;
  constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  static RecentlyUsed<Key, DiscTable> tables(kMostBytes);
  int doublings = 4;
  while (std::ldexp(1.f, doublings) < most) ++doublings;
  return tables.get({style.picture ? style.picture->id() : 0, style.bokeh, style.anamorphic, style.blades,
                     style.rotation, style.roundness, doublings},
                    [&] { return discs_up_to(std::ldexp(1.f, doublings), style); });
}

}  // namespace scanlens
