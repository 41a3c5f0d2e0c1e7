#include "app/depth/strokes/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/depth/small_photo.h"

namespace scanlens {
namespace {

std::string convention_of(const Strokes& strokes, std::int64_t width, std::int64_t height) {
  const std::size_t count = strokes.strokes.size();
  return fmt::format("{} stroke{} of {}, spread over the photo at {} x {}", count, count == 1 ? "" : "s",
                     strokes.metric ? "metres" : "nearness", width, height);
}

/// Takes the upper part of the picture's border for far, but for what lies beside the strokes. Below is often
/// the ground, or more of what is near. Returns true if there is such a border.
bool add_far(StrokeRaster& raster) {
  constexpr std::int64_t kApart = 8;  // parts of the longer side
  const View<std::int16_t> numbers = raster.numbers.view();
  const std::int64_t width = numbers.width, height = numbers.height, apart = std::max(width, height) / kApart;
  std::int64_t left = width, right = 0, top = height, bottom = 0;
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      if (numbers(x, y) < 0) continue;
      left = std::min(left, x - apart);
      right = std::max(right, x + apart);
      top = std::min(top, y - apart);
      bottom = std::max(bottom, y + apart);
    }
  const auto far = static_cast<std::int16_t>(raster.planes.size());
  bool found = false;
  const auto add = [&](std::int64_t x, std::int64_t y) {
    if (x >= left && x <= right && y >= top && y <= bottom) return;
    numbers(x, y) = far;
    found = true;
  };
  for (std::int64_t x = 0; x < width; ++x) add(x, 0);
  for (std::int64_t y = 1; y < 2 * height / 3; ++y)
    for (const std::int64_t x : {std::int64_t{0}, width - 1}) add(x, y);
  if (found) raster.planes.push_back({});
  return found;
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

/// Adds a warning for strokes that leave the photo.
void StrokeSpreading::doubt_places(const Strokes& strokes, Depth& depth) const {
  const auto is_outside = [](double place, std::int64_t side) {
    return place < -0.5 || place > static_cast<double>(side) - 0.5;
  };
  for (std::size_t i = 0; i < strokes.strokes.size(); ++i)
    for (const auto& [x, y] : strokes.strokes[i].points) {
      if (!is_outside(x, strokes.width) && !is_outside(y, strokes.height)) continue;
      depth.remarks.push_back(
          {true, fmt::format("stroke {} goes to {:g},{:g}, outside of the photo ({} x {})", i + 1, x, y,
                             strokes.width, strokes.height)});
      break;
    }
}

Depth StrokeSpreading::spread(const Strokes& strokes, const std::string& name, bool warm) {
  if (map_) return corrected(strokes, name);
  StrokeRaster raster = rasterised(strokes, width_, height_, name);
  const bool adds_far =
      strokes.leave_out_the_far() && raster.planes.size() < kMostStrokePlanes && add_far(raster);
  Depth depth;
  depth.disparity = nearness(strokes, raster, warm);
  const View<float> values = depth.disparity.view();
  const double range = raster.nearest - raster.farthest;
  for (std::int64_t i = 0; i < values.extent(); ++i) {
    const float nearness = rounded_nearness(values.data[i]);
    values.data[i] = strokes.metric
                         ? static_cast<float>(raster.farthest + range * static_cast<double>(nearness))
                         : nearness;
  }
  depth.metric = strokes.metric;
  depth.convention = convention_of(strokes, width_, height_);
  if (adds_far) {
    depth.convention += "; what they leave out is taken for far, until another depth is drawn";
    last_planes_ = kMostStrokePlanes + 1;  // what is drawn next takes the place of the far plane
  }
  depth.focus = strokes.focus();
  depth.decided_by = "the strokes' own words";
  doubt_shape(strokes, depth);
  doubt_places(strokes, depth);
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
  // One more for what strokes leave out; those that correct a map need two planes to find their reach.
  const auto planes = static_cast<int>(std::clamp<std::size_t>(strokes + 1, 2, kMostStrokePlanes));
  return stroke_field_bytes(std::min(kStrokePixels, photo.width * photo.height), planes);
}

}  // namespace scanlens
