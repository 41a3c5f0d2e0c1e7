// Strokes that correct a depth map that is there.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/depth/strokes/spread.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Radii of a stroke up to which it corrects a map, where no edge of the photo comes before.
constexpr double kReach = 16;

/// The nearness that a map's values are.
struct Range {
  double farthest, nearest;
  double width() const { return nearest > farthest ? nearest - farthest : 1; }
};

/// Returns the range of a map and of the strokes that state distances, which become nearness in it.
Range united(const Depth& map, Strokes& strokes) {
  Range range = {map.least, map.most};
  if (!strokes.metric) return map.metric ? range : Range{0, 1};
  strokes.widen(range.farthest, range.nearest);
  const auto nearness = [&range](double distance) {
    return std::clamp((1 / distance - range.farthest) / range.width(), 0.0, 1.0);
  };
  for (Stroke& stroke : strokes.strokes) {
    stroke.from = nearness(stroke.from);
    stroke.to = nearness(stroke.to);
  }
  strokes.metric = false;
  return range;
}

/// Returns the part of a stroke's depth that a pixel takes, by its share of the stroke: all of it near the
/// stroke and in what is like it, none where a share has leaked over an edge.
float part_of(float share) {
  constexpr float kNone = 0.15f, kAll = 0.6f;
  const float t = std::clamp((share - kNone) / (kAll - kNone), 0.f, 1.f);
  return t * t * (3 - 2 * t);
}

Strokes widened(Strokes strokes) {
  for (Stroke& stroke : strokes.strokes)
    stroke.radius = kReach * (stroke.radius > 0 ? stroke.radius : strokes.usual_radius());
  return strokes;
}

}  // namespace

/// Returns how much of the strokes' depth every pixel takes, 0 beyond their reach: strokes hold 1 and what
/// they do not reach 0, and the photo's edges decide between.
Image<float> StrokeSpreading::reach(const Strokes& strokes, const StrokeRaster& raster,
                                    const std::string& name) {
  StrokeRaster within = rasterised(widened(strokes), width_, height_, name);
  const View<std::int16_t> numbers = within.numbers.view();
  const View<const std::int16_t> covered = raster.numbers.view();
  constexpr std::int16_t kStroke = 0, kMap = 1, kOpen = -1;
  for (std::int64_t i = 0; i < numbers.extent(); ++i)
    numbers.data[i] = covered.data[i] >= 0 ? kStroke : numbers.data[i] >= 0 ? kOpen : kMap;
  Image<float> share(width_, height_);
  const StrokePlane planes[] = {{1}, {0}};
  field_->spread(planes, std::as_const(within.numbers).view(), share.view());
  for (std::int64_t i = 0; i < numbers.extent(); ++i) {
    float& part = share.view().data[i];
    part = numbers.data[i] == kMap ? 0 : part_of(part);
  }
  return share;
}

Depth StrokeSpreading::corrected(Strokes strokes, const std::string& name) {
  if (strokes.metric && !map_->metric)
    throw Error(ErrorKind::usage,
                fmt::format("{}: its strokes state metres, and the map that they correct has no unit; state "
                            "nearness, 0 to 1",
                            name));
  const Range range = united(*map_, strokes);
  const StrokeRaster raster = rasterised(strokes, width_, height_, name);
  const Image<float> found = nearness(strokes, raster, false);
  const Image<float> share = reach(strokes, raster, name);

  // The change of the map, which is 0 beyond the strokes' reach at every size.
  Depth change;
  change.disparity = Image<float>(width_, height_);
  const View<float> changes = change.disparity.view();
  for (std::int64_t i = 0; i < changes.extent(); ++i) {
    const double wanted = range.farthest + range.width() * static_cast<double>(found.view().data[i]);
    changes.data[i] =
        share.view().data[i] * (static_cast<float>(wanted) - std::as_const(small_map_).view().data[i]);
  }
  find_extremes(change);
  change = resized(std::move(change), photo_, is_preview_ ? DepthResample::bilinear : DepthResample::edges);

  Depth depth = copy_of(*map_);
  const View<float> values = depth.disparity.view();
  for (std::int64_t i = 0; i < values.extent(); ++i)
    if (const float by = change.disparity.view().data[i]; by != 0)
      values.data[i] = std::clamp(values.data[i] + by, static_cast<float>(range.farthest),
                                  static_cast<float>(range.farthest + range.width()));
  const std::size_t count = strokes.strokes.size();
  depth.convention =
      fmt::format("{}; corrected by {} stroke{}", map_->convention, count, count == 1 ? "" : "s");
  depth.exact = true;  // the map's own jumps have been moved
  doubt_shape(strokes, depth);
  doubt_places(strokes, depth);
  find_extremes(depth);
  return depth;
}

}  // namespace scanlens
