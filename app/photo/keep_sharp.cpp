#include "app/photo/keep_sharp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "app/depth/strokes/strokes.h"
#include "app/photo/photo_options.h"
#include "filters/statistics.h"

namespace scanlens {
namespace {

/// Returns alpha, or brightness, in 0 .. 1.
Image<float> shares_of(const Picture& mask) {
  return std::visit(
      []<class T>(const Image<T>& image) {
        const float full =
            std::is_floating_point_v<T> ? 1.f : static_cast<float>(std::numeric_limits<T>::max());
        const int channels = image.channels();
        Image<float> shares(image.width(), image.height());
        const T* in = image.view().data;
        for (std::int64_t i = 0; i < shares.view().extent(); ++i, in += channels) {
          const auto sample = [&](int c) { return static_cast<float>(in[c]); };
          const float share = channels == 3 ? luma_of(sample(0), sample(1), sample(2)) : sample(channels - 1);
          shares.view().data[i] = share > 0 ? std::min(share / full, 1.f) : 0.f;  // NaN is not
        }
        return shares;
      },
      mask.samples);
}

}  // namespace

void keep_sharp(Depth& depth, const Blur& blur, const std::filesystem::path& mask, const Picture& photo,
                const Settings& settings) {
  const PhotoRows rows = rows_of(photo);
  Depth shares;
  if (strokes_of_file(mask))
    shares = read_depth(mask, {}, settings.limits(), rows);
  else
    shares.disparity = shares_of(read_picture(mask, settings.limits()));
  shares.most = 1;
  DepthOptions smooth;
  smooth.resample = DepthResample::bilinear;
  shares = fitted(std::move(shares), rows, smooth, mask, settings);
  keep_sharp(depth.disparity, blur, shares.disparity);
  find_extremes(depth);
}

void keep_sharp(Image<float>& disparity, const Blur& blur, const Image<float>& shares) {
  const View<float> values = disparity.view();
  const auto width = static_cast<int>(values.width), height = static_cast<int>(values.height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      values(x, y) = std::lerp(values(x, y), focus_on_plane(blur, x, y, width, height), shares.view()(x, y));
}

}  // namespace scanlens
