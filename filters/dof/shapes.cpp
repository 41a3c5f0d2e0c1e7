#include "filters/dof/shapes.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/runtime/recently_used.h"

namespace scanlens {
namespace {

/// Half heights and half widths of a staircase, in radii of the disc with the same area.
struct Outline {
  int steps;
  float half_height[kMostSteps], half_width[kMostSteps];
};

/// Radius up to which discs of `good` are boxes: for a third of the deposits they are as near to a lens as
/// staircases (teapots, circles up to 8 pixels: 52.0 dB and 42.5 in the band around jumps; 51.9 and 42.6).
constexpr float kMostSmallDisc = 2.6f;

/// Returns the outline that comes nearest. The sides of polygons show at lamps, which have shapes of their
/// own.
Bokeh outline_kind(const DofStyle& style) {
  const bool is_plain = style.blades < 3 && (style.bokeh == Bokeh::box || style.rotation == 0);
  return is_plain && style.bokeh != Bokeh::octagon ? style.bokeh : Bokeh::disc;
}

Outline outline_of(const DofStyle& style, float radius) {
  const bool small = style.quality != DofQuality::best && radius < kMostSmallDisc;
  // Discs: the staircases nearest to a disc of the same area. The hexagon stands on a side, of 1.0996 radii.
  const Bokeh kind = outline_kind(style);
  if (kind == Bokeh::box || (kind == Bokeh::disc && small)) return {1, {0.8862f}, {0.8862f}};
  if (kind == Bokeh::hexagon) return {3, {0.31f, 0.62f, 0.93f}, {0.998f, 0.819f, 0.640f}};
  if (style.quality == DofQuality::best) return {3, {0.4902f, 0.7726f, 0.9651f}, {0.9651f, 0.7726f, 0.4902f}};
  return {2, {0.62f, 0.951f}, {0.951f, 0.62f}};
}

/// The staircase of an outline `radius` pixels large. `side`: of what it surrounds, 1 or 2 pixels.
SpreadShape shape_at(const Outline& outline, float radius, float anamorphic, int side) {
  const float wide = 1 / std::sqrt(anamorphic), high = std::sqrt(anamorphic),
              core = static_cast<float>(side) / 2;
  const auto half = [&](float size) {
    return std::max(0, static_cast<int>(std::lround(size * radius - core)));
  };
  SpreadShape shape{};
  for (int i = 0; i < outline.steps; ++i) {
    const int up = half(outline.half_height[i] * high);
    const int across = half(outline.half_width[i] * wide);
    // A box as high as the one before, or as wide as it, is part of it or holds it.
    if (shape.steps > 0 && up == shape.half_height[shape.steps - 1]) continue;
    if (shape.steps > 0 && across == shape.half_width[shape.steps - 1]) --shape.steps;
    shape.half_height[shape.steps] = up;
    shape.half_width[shape.steps] = across;
    ++shape.steps;
  }
  double area = 0;
  for (int i = 0; i < shape.steps; ++i) {
    const double up = 2 * shape.half_height[i] + side;
    area += up * (2 * shape.half_width[i] + side);
    if (i + 1 < shape.steps) area -= up * (2 * shape.half_width[i + 1] + side);
  }
  shape.radius = static_cast<float>(std::sqrt(area / 3.14159265358979));
  shape.share = static_cast<std::uint32_t>(std::min(4294967296.0 * side * side / area, 4294967295.0));
  return shape;
}

std::vector<SpreadShape> shapes_up_to(float most, const DofStyle& style, int side) {
  std::vector<SpreadShape> shapes;
  for (int i = 0; shapes.size() < 2 || shapes[shapes.size() - 1].radius <= most + 2; ++i) {
    const float radius = static_cast<float>(i) + 0.5f * static_cast<float>(side);
    const SpreadShape shape = shape_at(outline_of(style, radius), radius, style.anamorphic, side);
    if (shapes.empty() || shape.radius > shapes.back().radius) shapes.push_back(shape);
  }
  for (std::size_t i = 0; i + 1 < shapes.size(); ++i)
    shapes[i].per_radius = 1 / (shapes[i + 1].radius - shapes[i].radius);
  return shapes;
}

}  // namespace

std::size_t ShapeTable::bytes() const {
  std::size_t shapes = 0;
  for (const std::vector<SpreadShape>& group : groups) shapes += group.size();
  return shapes * sizeof(SpreadShape);
}

std::shared_ptr<const ShapeTable> shape_table(const DofStyle& style, float most) {
  using Key = std::tuple<Bokeh, bool, float, int>;
  constexpr std::size_t kMostBytes = std::size_t{8} << 20;
  static RecentlyUsed<Key, ShapeTable> tables(kMostBytes);
  int doublings = 4;
  while (std::ldexp(1.f, doublings) < most) ++doublings;
  const Key key{outline_kind(style), style.quality == DofQuality::best, style.anamorphic, doublings};
  return tables.get(key, [&] {
    ShapeTable made;
    for (int i = 0; i < kGroupSizes; ++i)
      made.groups[i] = shapes_up_to(std::ldexp(1.f, doublings), style, 1 << i);
    return made;
  });
}

}  // namespace scanlens
