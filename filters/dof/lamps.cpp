#include "filters/dof/lamps.h"

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace scanlens {
namespace {

/// Pixels of radius from a disc to the next. Half the L1 distance from a disc with a soft edge is 0.028 at 8
/// pixels of radius, whatever its fraction, and 0.013 at 20; 0.5 and 1 have 0.030 and 0.069 at 8.
constexpr float kSpacing = 0.75f;
/// Larger tables space discs farther, and rows of large discs go together: edges are off by a thousandth.
constexpr float kMostDiscs = 1024, kMostRows = 512;
constexpr int kMostHalfSize = 65535;  ///< of a step's 16 bits

/// A shape of radius 1: half its width at a height, and half its height.
struct LampOutline {
  Bokeh bokeh;
  float height() const { return bokeh == Bokeh::hexagon ? 0.9523f : 1; }
  float width_at(float up) const {
    // The hexagon stands on a side, of 1.0996 radii.
    return bokeh == Bokeh::hexagon ? 1.0996f - 0.57735f * up : std::sqrt(std::max(0.f, 1 - up * up));
  }
};

/// Adds a disc's steps, and returns its area.
double add_steps(const LampOutline& outline, float wide, float high, std::vector<std::uint32_t>& steps) {
  const int last = std::min(kMostHalfSize, static_cast<int>(high * outline.height()));
  const int together = 1 + static_cast<int>(high / kMostRows);
  double area = 0;
  for (int row = 0; row <= last; row += together) {
    const int end = std::min(last, row + together - 1);
    const float middle = static_cast<float>(row + end) / 2;
    const int across = std::min(kMostHalfSize, static_cast<int>(wide * outline.width_at(middle / high)));
    const auto step = static_cast<std::uint32_t>(across) | static_cast<std::uint32_t>(end) << 16;
    if (row > 0 && (steps.back() & 0xFFFF) == (step & 0xFFFF))
      steps.back() = step;
    else
      steps.push_back(step);
    area += (2. * across + 1) * ((row == 0 ? 1 : 2) + 2. * (end - row));
  }
  return area;
}

DiscTable discs_up_to(float most, const DofStyle& style) {
  const float wide = 1 / std::sqrt(style.anamorphic), high = std::sqrt(style.anamorphic);
  const float spacing = std::max(kSpacing, most / kMostDiscs);
  const LampOutline outline{style.bokeh};
  const int count = static_cast<int>(most / spacing) + 4;
  DiscTable table;
  table.words.resize(static_cast<std::size_t>(count * kDiscWords));
  for (int i = 0; i < count; ++i) {
    const float radius = static_cast<float>(i) * spacing;
    const std::size_t first = table.words.size();
    const double area = add_steps(outline, radius * wide, std::max(radius * high, 1e-3f), table.words);
    std::uint32_t* const disc = table.words.data() + static_cast<std::ptrdiff_t>(i * kDiscWords);
    disc[0] = static_cast<std::uint32_t>(std::min(4294967296.0 / area, 4294967295.0));
    disc[1] = static_cast<std::uint32_t>(first);
    disc[2] = static_cast<std::uint32_t>(table.words.size() - first);
  }
  table.discs = {table.words.data(), 1 / spacing, wide * outline.width_at(0), high * outline.height()};
  return table;
}

}  // namespace

const DiscTable& disc_table(const DofStyle& style, float most) {
  static const DiscTable none;
  if (style.bokeh == Bokeh::box || !(most > kLeastLampRadius)) return none;
  using Key = std::tuple<Bokeh, float, int>;
  static std::mutex mutex;
  static std::map<Key, std::unique_ptr<DiscTable>> tables;
  int doublings = 4;
  while (std::ldexp(1.f, doublings) < most) ++doublings;
  const std::lock_guard lock(mutex);
  auto& made = tables[{style.bokeh, style.anamorphic, doublings}];
  if (!made) made = std::make_unique<DiscTable>(discs_up_to(std::ldexp(1.f, doublings), style));
  return *made;
}

}  // namespace scanlens
