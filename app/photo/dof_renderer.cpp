#include "app/photo/dof_renderer.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>

#include "app/gl/dof.h"
#include "app/gl/download.h"
#include "app/gl/layered.h"
#include "app/gl/upload.h"
#include "app/photo/readable.h"
#include "filters/dof_shape.h"

namespace scanlens {
DofJob dof_job(const Picture& picture, const Blur& blur, const DofStyle& style, const LightRange& light) {
  const int bits =
      std::visit([]<class T>(const Image<T>&) { return 8 * static_cast<int>(sizeof(T)); }, picture.samples);
  return {picture.width(), picture.height(), bits, picture.channels(), blur, style, light};
}

DofRenderer::DofRenderer(Context& compute) : compute_(compute), sources_(std::filesystem::path()) {}

DofRenderer::DofRenderer(Context& compute, const GlContext& gl, ShadersFor use, ShaderSources sources)
    : compute_(compute), gl_(&gl), use_(use), sources_(std::move(sources)) {}

DofShaders& DofRenderer::shaders_of(bool draft) {
  std::unique_ptr<DofShaders>& shaders = draft ? drafts_ : layers_;
  if (!shaders && draft) shaders = std::make_unique<GlDepthOfField>(*gl_, compute_, sources_);
  if (!shaders) shaders = std::make_unique<GlLayeredDof>(*gl_, sources_);
  return *shaders;
}

void DofRenderer::compile() {
  for (const bool draft : {false, true}) shaders_of(draft);
}

DofShaders* DofRenderer::shaders_for(const DofJob& job) {
  if (use_ == ShadersFor::nothing || needs_passes(job.blur, job.style) ||
      (use_ == ShadersFor::drafts && !job.is_draft()))
    return nullptr;
  DofShaders& shaders = shaders_of(job.is_draft());
  return shaders.fits(job) ? &shaders : nullptr;
}

Picture DofRenderer::run(Picture picture, Image<float> disparity, const DofJob& job) {
  if (DofShaders* shaders = shaders_for(job)) return run_in_textures(*gl_, *shaders, picture, disparity, job);
  const Image<float> depth = upload(compute_, std::move(disparity));
  return std::visit(
      [&]<class T>(Image<T>&& image) {
        const bool of_host = image.backend() == Backend::cpu;
        Image<T> work = upload(compute_, std::move(image));
        depth_of_field<T>(compute_, work.view(), depth.view(), job.blur, work.view(), job.light, job.style,
                          job.notes);
        return Picture{of_host ? download(compute_, std::move(work)) : std::move(work)};
      },
      std::move(picture.samples));
}

Picture DofRenderer::run_library(const Picture& picture, const Image<float>& disparity, const DofJob& job) {
  const Readable<float> depth(compute_, disparity);
  return std::visit(
      [&]<class T>(const Image<T>& image) {
        const Readable<T> samples(compute_, image);
        Image<T> result(compute_, image.width(), image.height(), image.channels());
        depth_of_field<T>(compute_, samples.view(), depth.view(), job.blur, result.view(), job.light,
                          job.style, job.notes);
        return Picture{download(compute_, std::move(result))};
      },
      picture.samples);
}

GlMemory DofRenderer::memory(const DofShaders& shaders, const DofJob& job) {
  GlMemory memory = shaders.memory(job);
  const GlMemory textures = bytes_of_textures(job.width * job.height, job.bits, true);
  // The host holds, one after the other, the picture as RGBA, what the table takes, and the result.
  memory.host = std::max(memory.host, textures.host);
  memory.opengl += textures.opengl;
  return memory;
}

std::int64_t DofRenderer::library_bytes(const DofJob& job) {
  const std::int64_t pixels = job.width * job.height;
  return pixels * (job.channels * (job.bits / 8) + static_cast<std::int64_t>(sizeof(float))) + workspace(job);
}

std::int64_t DofRenderer::workspace(const DofJob& job) {
  return depth_of_field_workspace(job.width, job.height, job.channels, job.bits / 8, job.blur, job.style);
}

namespace {

template <class T>
Image<T> run_in_textures(const GlContext& gl, DofShaders& shaders, const Image<T>& image,
                         const Image<float>& disparity, const DofJob& job) {
  const Texture color = upload_rgba(gl, image), depth = upload_disparity(gl, disparity);
  return download_texture<T>(gl, shaders.run(color, depth, job), image.channels());
}

}  // namespace

Picture run_in_textures(const GlContext& gl, DofShaders& shaders, const Picture& picture,
                        const Image<float>& disparity, const DofJob& job) {
  return std::visit(
      [&](const auto& image) { return Picture{run_in_textures(gl, shaders, image, disparity, job)}; },
      picture.samples);
}

}  // namespace scanlens
