#include "app/depth/strokes/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/depth/small_photo.h"
#include "core/context.h"

namespace scanlens {

Image<std::uint8_t> stroke_photo(const PhotoRows& photo, std::int64_t most_pixels) {
  const auto width = static_cast<double>(photo.format.width),
             height = static_cast<double>(photo.format.height);
  const double scale = std::min(1.0, std::sqrt(static_cast<double>(most_pixels) / (width * height)));
  const auto side = [scale](double length) {
    return std::max<std::int64_t>(1, std::llround(length * scale));
  };
  return small_photo(photo, side(width), side(height));
}

Depth spread(const Strokes& strokes, const PhotoRows& photo, const std::string& name) {
  const Image<std::uint8_t> picture = stroke_photo(photo, kStrokePixels);
  const std::int64_t width = picture.width(), height = picture.height();
  const StrokeRaster raster = rasterised(strokes, width, height, name);
  Context context = Context::open("cpu");
  StrokeField field(context, picture.view());
  Depth depth;
  depth.disparity = Image<float>(width, height);
  const View<float> values = depth.disparity.view();
  field.spread(raster.planes, std::as_const(raster.numbers).view(), values);

  constexpr float kCodes = 65535;
  const double range = raster.nearest - raster.farthest;
  for (std::int64_t i = 0; i < values.extent(); ++i) {
    const float nearness = std::round(values.data[i] * kCodes) / kCodes;
    values.data[i] = strokes.metric
                         ? static_cast<float>(raster.farthest + range * static_cast<double>(nearness))
                         : nearness;
  }
  depth.metric = strokes.metric;
  const std::size_t count = strokes.strokes.size();
  depth.convention =
      fmt::format("{} stroke{} of {}, spread over the photo at {} x {}", count, count == 1 ? "" : "s",
                  strokes.metric ? "metres" : "nearness", width, height);
  depth.decided_by = "the strokes' own words";
  const double own = static_cast<double>(strokes.width) / static_cast<double>(strokes.height);
  const double shown = static_cast<double>(photo.format.width) / static_cast<double>(photo.format.height);
  constexpr double kTolerance = 0.03;
  if (std::abs(own / shown - 1) > kTolerance)
    depth.remarks.push_back(
        {true,
         fmt::format("the strokes were drawn on a photo of {} x {}, this one is {} x {}: they are stretched",
                     strokes.width, strokes.height, photo.format.width, photo.format.height)});
  find_extremes(depth);
  return depth;
}

std::int64_t spreading_bytes(const RowFormat& photo) {
  return stroke_field_bytes(std::min(kStrokePixels, photo.width * photo.height), kMostStrokePlanes);
}

}  // namespace scanlens
