#include "tests/bench/quality/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "filters/depth_of_field.h"
#include "tests/bench/quality/metrics.h"
#include "tests/bench/quality/references.h"
#include "tests/bench/quality/side_by_side.h"

namespace scanlens::bench {
namespace {

constexpr int kCircles[] = {8, 24, 64};

/// Returns the brightest sample, white at least.
float brightest_of(const Image<float>& image) {
  const View<const float> view = image.view();
  return std::max(1.0f, *std::max_element(view.data, view.data + view.extent()));
}

template <DofQuality kQuality>
Picture blurred(Context& context, const Picture& sharp, View<const float> disparity, const Blur& blur) {
  return std::visit(
      [&]<class T>(const Image<T>& image) {
        LightRange light;
        if constexpr (std::is_same_v<T, float>) light.most = brightest_of(image);
        Image<float> depth(context, disparity.width, disparity.height);
        copy(context, disparity, depth.view());
        Image<T> work(context, image.width(), image.height(), image.channels());
        copy(context, image.view(), work.view());
        depth_of_field<T>(context, work.view(), std::as_const(depth).view(), blur, work.view(), light,
                          {.quality = kQuality});
        return Picture{download(context, std::move(work))};
      },
      sharp.samples);
}

/// A quality is a line here; gains are over the first line.
struct Quality {
  const char* name;
  Picture (*blurred)(Context& context, const Picture& sharp, View<const float> disparity, const Blur& blur);
};
constexpr Quality kQualities[] = {{"draft", blurred<DofQuality::draft>},
                                  {"good", blurred<DofQuality::good>},
                                  {"best", blurred<DofQuality::best>}};

/// Returns the blur whose largest radius in this picture is `circle`.
Blur blur_up_to(int circle, double focus_m, View<const float> disparity) {
  const double focus = 1 / focus_m;
  double reach = 0;
  for (std::int64_t y = 0; y < disparity.height; ++y)
    for (std::int64_t x = 0; x < disparity.width; ++x)
      reach = std::max(reach, std::abs(disparity(x, y) - focus));
  return {static_cast<float>(circle / reach), static_cast<float>(focus), static_cast<float>(circle)};
}

Likeness likeness_of(View<const float> picture, View<const float> truth, View<const std::uint8_t> band) {
  const Image<float> map = ssim_map(luma_picture(picture).view(), luma_picture(truth).view());
  return {psnr(picture, truth), psnr(picture, truth, band), mean_ssim(map.view()),
          mean_ssim(map.view(), band)};
}

Likeness gain_of(const Likeness& ours, const Likeness& first) {
  return {ours.psnr - first.psnr, ours.band_psnr - first.band_psnr, ours.ssim - first.ssim,
          ours.band_ssim - first.band_ssim};
}

/// Measures all qualities on one picture.
void measure(Context& context, const QualitySettings& settings, References& references,
             const SharpScene& sharp, const QualityCase& one, std::vector<QualityResult>& results) {
  const View<const float> disparity = sharp.disparity.view();
  const Blur blur = blur_up_to(one.circle, one.focus_m, disparity);
  const Image<float> truth = codes_of(references.truth(one, blur, settings.views));
  const Image<std::uint8_t> band = jump_band(disparity, blur, one.circle);
  std::vector<Image<float>> pictures;
  Likeness first;
  for (const Quality& quality : kQualities) {
    if (settings.progress) settings.progress(fmt::format("{}: {}", one.name(), quality.name));
    Image<float> picture = codes_of(quality.blurred(context, sharp.picture, disparity, blur));
    const Likeness likeness = likeness_of(std::as_const(picture).view(), truth.view(), band.view());
    if (&quality == kQualities) first = likeness;
    results.push_back({one.scene.name, shape_name(one.shape), one.focus_m, one.circle, settings.views,
                       quality.name, likeness, gain_of(likeness, first)});
    if (settings.collected) settings.collected(results.back());
    pictures.push_back(std::move(picture));
  }
  if (!settings.pictures.empty()) write_side_by_side(settings.pictures, one.name(), truth.view(), pictures);
}

}  // namespace

std::vector<QualityResult> measure_quality(Context& context, const QualitySettings& settings) {
  for (const Shape& shape : settings.shapes)
    if (std::min(shape.width, shape.height) <= 2 * kSsimReach)
      throw Error(ErrorKind::usage, fmt::format("--size: quality takes {0} x {0} pixels and more, not {1}",
                                                2 * kSsimReach + 1, shape_name(shape)));
  if (!settings.pictures.empty()) make_folder(settings.pictures);
  References references(settings.references, context.cuda_ordinal(), settings.progress);
  std::vector<QualityResult> results;
  for (const Shape& shape : settings.shapes)
    for (const SceneTraits& scene : scenes()) {
      const SharpScene sharp = references.sharp(scene, shape);
      for (const double focus : scene.focus_m)
        for (const int circle : kCircles)
          measure(context, settings, references, sharp, {scene, shape, focus, circle}, results);
    }
  return results;
}

}  // namespace scanlens::bench
