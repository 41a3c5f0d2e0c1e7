#include "app/viewer/model/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/depth/depth.h"
#include "app/gl/download.h"
#include "app/gl/upload.h"
#include "app/session/readable.h"
#include "app/viewer/model/layer_color_formula.h"
#include "core/image.h"
#include "filters/depth_of_field.h"
#include "filters/dof/layered.h"
#include "filters/registry.h"

namespace scanlens {
namespace {

template <class T>
Image<T> blurred_by_library(Context& compute, const Image<T>& samples, const Image<float>& depth,
                            const Blur& blur, const LightRange& light, const DofStyle& style) {
  const Readable<T> picture(compute, samples);
  const Readable<float> disparity(compute, depth);
  Image<T> result(compute, samples.width(), samples.height(), samples.channels());
  depth_of_field<T>(compute, picture.view(), disparity.view(), blur, result.view(), light, style);
  return download(compute, std::move(result));
}

template <class T>
Texture filtered(const GlContext& gl, Context& compute, const Texture& color, int channels,
                 const std::vector<FilterCall>& calls) {
  Image<T> work = upload(compute, download_texture<T>(gl, color, channels));
  run_filters<T>(compute, calls, work.view(), work.view());
  return upload_rgba(gl, download(compute, std::move(work)));
}

}  // namespace

std::vector<const Filter*> stackable_filters() {
  std::vector<const Filter*> found;
  for (const Filter* filter : all_filters())
    if (filter->map == MapKind::none && !filter->output) found.push_back(filter);
  return found;
}

StackedFilter stacked(const Filter& filter) {
  return {{&filter, filter.defaults()}};
}

std::string filter_text(const FilterCall& call) {
  std::string text(call.filter->name);
  std::any params = call.params;
  for (const Param& param : call.filter->params)
    text += fmt::format(":{}={}", param.name, value_text(param, param.in(params)));
  return text;
}

Effects::Effects(const GlContext& gl, Context& compute, const ShaderSources& sources)
    : gl_(gl),
      compute_(compute),
      layered_(std::make_unique<GlLayeredDof>(gl, sources)),
      draft_(std::make_unique<GlDepthOfField>(gl, compute, sources)) {}

bool Effects::fits(const ViewedImage& image, const DofStyle& style, const Blur& blur) const {
  if (image.is_light() && style.quality == DofQuality::draft) return false;
  return style.quality == DofQuality::draft
             ? draft_->fits(image.width(), image.height(), image.bits, image.channels == 4, blur)
             : layered_->fits(image.width(), image.height(), image.channels, style);
}

bool Effects::blurs_on_host(const ViewedImage& image, const DofStyle& style, const Blur& blur) const {
  return gl_.software() || !fits(image, style, blur);
}

void Effects::make_room(const ViewedImage& image, Texture& kept) {
  GLint format = 0;
  if (kept) glGetTextureLevelParameteriv(kept.id(), 0, GL_TEXTURE_INTERNAL_FORMAT, &format);
  const GLenum wanted = rgba_format(image.bits);
  if (kept.width() != image.width() || kept.height() != image.height() ||
      static_cast<GLenum>(format) != wanted)
    kept = Texture::image_2d(wanted, image.width(), image.height());
}

const Texture& Effects::blur(const ViewedImage& image, const Picture* picture, const Image<float>* depth,
                             const Blur& blur, const DofStyle& style) {
  if (blurs_on_host(image, style, blur)) {
    blurred_ = std::visit(
        [&](const auto& samples) {
          return upload_rgba(gl_, blurred_by_library(compute_, samples, *depth, blur, image.light, style));
        },
        picture->samples);
    return blurred_;
  }
  make_room(image, blurred_);
  if (style.quality == DofQuality::draft) {
    draft_->run(image.color(), image.disparity(), image.bits, image.channels == 4, blur, blurred_);
  } else {
    layered_->run(image.color(), image.disparity(), image.bits, image.channels, blur, style, blurred_,
                  image.light);
  }
  return blurred_;
}

Texture Effects::layers(const ViewedImage& image, const Image<float>& disparity, const Blur& blur,
                        DofStyle style) {
  style.highlights = 0;  // these are colours, no light
  const LayeredLens lens = layered_lens(blur, style);
  const View<const float> depth = disparity.view();
  const LayerCuts cuts = cuts_of(image, lens, style.quality);
  const Image<std::uint8_t> turbo = turbo_colors();
  Image<std::uint8_t> colors(depth.width, depth.height, 3);
  for (std::int64_t i = 0; i < depth.extent(); ++i) {
    const LayerShare share = layer_share(signed_circle(depth.data[i], lens), cuts);
    const int at = static_cast<int>(layer_color(share, cuts.count) * 255);
    std::copy_n(turbo.view().row(0) + 3 * at, 3, colors.view().data + 3 * i);
  }
  return upload_rgba(gl_, blurred_by_library(compute_, colors, disparity, blur, {}, style));
}

const Texture& Effects::filter(const Texture& color, const ViewedImage& image,
                               const std::vector<StackedFilter>& filters) {
  std::vector<FilterCall> calls;
  for (const StackedFilter& filter : filters)
    if (filter.on) calls.push_back(filter.call);
  if (calls.empty()) return color;
  const int channels = image.channels;
  filtered_ = image.bits == 8    ? filtered<std::uint8_t>(gl_, compute_, color, channels, calls)
              : image.bits == 16 ? filtered<std::uint16_t>(gl_, compute_, color, channels, calls)
                                 : filtered<float>(gl_, compute_, color, channels, calls);
  return filtered_;
}

GlMemory Effects::memory(const ViewedImage& image, const Blur& blur, const DofStyle& style) const {
  const int width = image.width(), height = image.height(), bytes = image.bits / 8;
  if (blurs_on_host(image, style, blur)) {
    // The library's result, and the same as RGBA on its way to a texture.
    const std::int64_t result = std::int64_t{width} * height * (image.channels + 4) * bytes;
    return {result, depth_of_field_workspace(width, height, image.channels, bytes, blur, style), 0};
  }
  return style.quality == DofQuality::draft
             ? draft_->memory(width, height, image.bits, image.channels == 4, blur)
             : layered_->memory(width, height, image.bits, image.channels, blur, style);
}

}  // namespace scanlens
