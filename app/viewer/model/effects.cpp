#include "app/viewer/model/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/depth/depth.h"
#include "app/gl/download.h"
#include "app/gl/upload.h"
#include "app/viewer/model/layer_color_formula.h"
#include "core/image.h"
#include "filters/dof/layered.h"
#include "filters/registry.h"

namespace scanlens {
namespace {

DofJob job_on(const ViewedImage& image, const Blur& blur, const DofStyle& style) {
  return {image.width(), image.height(), image.bits, image.channels, blur, style, image.light};
}

Texture upload_picture(const GlContext& gl, const Picture& picture) {
  return std::visit([&](const auto& samples) { return upload_rgba(gl, samples); }, picture.samples);
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
    if (filter->map == MapKind::none && !changes_geometry(*filter)) found.push_back(filter);
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
      renderer_(compute, gl, gl.software() ? ShadersFor::nothing : ShadersFor::all, sources) {
  renderer_.compile();
}

bool Effects::blurs_on_host(const ViewedImage& image, const DofStyle& style, const Blur& blur) {
  return !renderer_.shaders_for(job_on(image, blur, style));
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
  const DofJob job = job_on(image, blur, style);
  if (DofShaders* shaders = renderer_.shaders_for(job)) {
    make_room(image, blurred_);
    shaders->run(image.color(), image.disparity(), job, blurred_);
  } else {
    blurred_ = upload_picture(gl_, renderer_.run_library(*picture, *depth, job));
  }
  return blurred_;
}

Texture Effects::layers(const ViewedImage& image, const Image<float>& disparity, const Blur& blur,
                        DofStyle style) {
  style.highlights = style.recover = style.grain = 0;  // these are colours, no light
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
  const Picture picture{std::move(colors)};
  return upload_picture(gl_, renderer_.run_library(picture, disparity, dof_job(picture, blur, style)));
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

GlMemory Effects::memory(const ViewedImage& image, const Blur& blur, const DofStyle& style) {
  const DofJob job = job_on(image, blur, style);
  if (const DofShaders* shaders = renderer_.shaders_for(job)) return shaders->memory(job);
  // The library's result, and the same as RGBA on its way to a texture.
  const std::int64_t result = job.width * job.height * (job.channels + 4) * (job.bits / 8);
  return {result, DofRenderer::workspace(job), 0};
}

}  // namespace scanlens
