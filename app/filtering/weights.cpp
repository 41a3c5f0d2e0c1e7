// The weights of the part of a picture that a filter changes.
#include <cstdint>
#include <utility>

#include "app/depth/depth.h"
#include "app/filtering/filter_maps.h"
#include "app/photo/readable.h"
#include "core/image.h"
#include "filters/statistics.h"
#include "filters/where.h"

namespace scanlens {
namespace {

/// The planes beside a picture, in the context's memory.
struct Beside {
  View<const float> disparity, mask;
  bool metric = false;
  Blur blur = {};
};

template <class T>
void weigh_rows(Context& context, const Where& where, const PhotoRows& photo, const Beside& beside,
                View<std::uint16_t> weights, const FeatherGuide& guide) {
  const std::int64_t width = photo.format.width;
  std::int64_t y = 0;
  Image<T> rows;
  photo.read([&](Bytes bytes) {
    const auto count = static_cast<std::int64_t>(bytes.size() / photo.format.row_bytes());
    const auto part = [&]<class U>(View<U> plane) {
      return plane.empty() ? plane : plane.region(0, y, width, count);
    };
    View<const T> here(reinterpret_cast<const T*>(bytes.data()), width, count, photo.format.channels);
    if (context.on_cuda()) {
      if (rows.height() < count) rows = Image<T>(context, width, count, here.channels);
      const View<T> there = rows.view().region(0, 0, width, count);
      copy(context, here, there);
      here = there;
    }
    const PixelSources<T> sources{here, part(beside.disparity), part(beside.mask), beside.metric,
                                  beside.blur};
    weigh(context, where, sources, y, part(weights), {part(guide.plane), guide.least, guide.most});
    y += count;
  });
}

}  // namespace

Image<std::uint16_t> weights_of(Context& context, const Where& where, const PhotoRows& photo,
                                const Depth* depth, const Blur& blur, const Image<float>& mask) {
  const std::int64_t width = photo.format.width, height = photo.format.height;
  Image<std::uint16_t> weights(context, width, height), guide;
  if (where.feather_pixels() > 0) guide = Image<std::uint16_t>(context, width, height);
  const Image<float> none;
  const Readable<float> disparity(context, depth ? depth->disparity : none), shares(context, mask);
  Beside beside{disparity.view(), shares.view()};
  if (depth) beside.metric = depth->metric, beside.blur = blur;
  const auto weigh_all = photo.format.sample_bytes == 1   ? weigh_rows<std::uint8_t>
                         : photo.format.sample_bytes == 2 ? weigh_rows<std::uint16_t>
                                                          : weigh_rows<float>;
  FeatherGuide follows{guide.view()};
  if (depth) follows = {guide.view(), depth->least, depth->most};
  weigh_all(context, where, photo, beside, weights.view(), follows);
  feather(context, where, std::as_const(guide).view(), weights.view());
  return weights;
}

}  // namespace scanlens
