#include "app/depth/strokes/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/depth/small_photo.h"

namespace scanlens {
namespace {

float rounded(float nearness) {
  constexpr float kCodes = 65535;
  return std::round(nearness * kCodes) / kCodes;
}

std::string convention_of(const Strokes& strokes, std::int64_t width, std::int64_t height) {
  const std::size_t count = strokes.strokes.size();
  return fmt::format("{} stroke{} of {}, spread over the photo at {} x {}", count, count == 1 ? "" : "s",
                     strokes.metric ? "metres" : "nearness", width, height);
}

}  // namespace

Image<std::uint8_t> stroke_photo(const PhotoRows& photo, std::int64_t most_pixels) {
  const auto width = static_cast<double>(photo.format.width),
             height = static_cast<double>(photo.format.height);
  const double scale = std::min(1.0, std::sqrt(static_cast<double>(most_pixels) / (width * height)));
  const auto side = [scale](double length) {
    return std::max<std::int64_t>(1, std::llround(length * scale));
  };
  return small_photo(photo, side(width), side(height));
}

StrokeSpreading::StrokeSpreading(PhotoRows photo, std::int64_t most_pixels, const Depth* map)
    : photo_(std::move(photo)),
      map_(map),
      is_preview_(most_pixels < kStrokePixels),
      context_(std::make_unique<Context>(Context::open("cpu"))) {
  const Image<std::uint8_t> picture = stroke_photo(photo_, most_pixels);
  width_ = picture.width();
  height_ = picture.height();
  field_ = std::make_unique<StrokeField>(*context_, picture.view());
  if (!map_) return;
  small_map_ = std::move(resized(copy_of(*map_), width_, height_, DepthResample::bilinear).disparity);
}

Image<float> StrokeSpreading::nearness(const Strokes& strokes, const StrokeRaster& raster, bool warm) {
  Image<float> found(width_, height_);
  // Planes that several strokes share are others from one call to the next.
  const bool continues =
      warm && raster.planes.size() >= last_planes_ && strokes.strokes.size() <= kMostStrokePlanes;
  last_planes_ = raster.planes.size();
  field_->spread(raster.planes, std::as_const(raster.numbers).view(), found.view(), continues);
  return found;
}

/// Adds a warning for strokes that were drawn on a photo of another shape.
void StrokeSpreading::doubt_shape(const Strokes& strokes, Depth& depth) const {
  const RowFormat& photo = photo_.format;
  const double own = static_cast<double>(strokes.width) / static_cast<double>(strokes.height);
  const double shown = static_cast<double>(photo.width) / static_cast<double>(photo.height);
  constexpr double kTolerance = 0.03;
  if (std::abs(own / shown - 1) > kTolerance)
    depth.remarks.push_back(
        {true,
         fmt::format("the strokes were drawn on a photo of {} x {}, this one is {} x {}: they are stretched",
                     strokes.width, strokes.height, photo.width, photo.height)});
}

Depth StrokeSpreading::spread(const Strokes& strokes, const std::string& name, bool warm) {
  if (map_) return corrected(strokes, name);
  const StrokeRaster raster = rasterised(strokes, width_, height_, name);
  Depth depth;
  depth.disparity = nearness(strokes, raster, warm);
  const View<float> values = depth.disparity.view();
  const double range = raster.nearest - raster.farthest;
  for (std::int64_t i = 0; i < values.extent(); ++i) {
    const float nearness = rounded(values.data[i]);
    values.data[i] = strokes.metric
                         ? static_cast<float>(raster.farthest + range * static_cast<double>(nearness))
                         : nearness;
  }
  depth.metric = strokes.metric;
  depth.convention = convention_of(strokes, width_, height_);
  depth.decided_by = "the strokes' own words";
  doubt_shape(strokes, depth);
  find_extremes(depth);
  return depth;
}

Depth spread(const Strokes& strokes, const PhotoRows& photo, const std::string& name) {
  return StrokeSpreading(photo, kStrokePixels).spread(strokes, name);
}

Depth spread(const Strokes& strokes, const PhotoRows& photo, const Depth& map, const std::string& name) {
  return StrokeSpreading(photo, kStrokePixels, &map).spread(strokes, name);
}

std::int64_t spreading_bytes(const RowFormat& photo, std::size_t strokes) {
  // Strokes that correct a map need two planes to find their reach.
  const auto planes = static_cast<int>(std::clamp<std::size_t>(strokes, 2, kMostStrokePlanes));
  return stroke_field_bytes(std::min(kStrokePixels, photo.width * photo.height), planes);
}

}  // namespace scanlens
