#include "app/viewer/picture_view.h"

#include <algorithm>
#include <cmath>

#include "app/depth/depth.h"
#include "app/gl/upload.h"
#include "filters/dof/layered.h"

namespace scanlens {
namespace {

/// Returns a sampler that reads between texels, which textures do not by themselves.
Sampler smooth_sampler() {
  Sampler sampler = Sampler::create();
  glSamplerParameteri(sampler.id(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glSamplerParameteri(sampler.id(), GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glSamplerParameteri(sampler.id(), GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glSamplerParameteri(sampler.id(), GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return sampler;
}

constexpr GLuint kResult = 0, kInput = 1, kDisparity = 2, kReference = 3, kTurbo = 4;

}  // namespace

PictureView::PictureView(const GlContext& gl, const ShaderSources& sources)
    : gl_(gl),
      program_(sources, {{GL_VERTEX_SHADER, "background.vert"}, {GL_FRAGMENT_SHADER, "view.frag"}}),
      nothing_(VertexArray::create()),
      turbo_(upload_rgba(gl, turbo_colors())),
      smooth_(smooth_sampler()) {}

/// Sets what the views of depth show.
void PictureView::set_depth(const Shown& shown, const ViewState& state) {
  const ViewedImage& image = *shown.image;
  const LayeredLens lens = layered_lens(shown.blur, state.style());
  program_.set("depth_range", glm::vec2(image.least, image.most));
  program_.set("lens", glm::vec4(lens.scale, lens.focus, lens.most, 0));
  program_.set("near_far", glm::vec2(lens.near, lens.far));
  const int layers = state.style().quality == DofQuality::draft ? layers_of(DofQuality::good)
                                                                : layers_of(state.style().quality);
  const LayerCuts cuts =
      layer_cuts(layers, signed_circle(image.least, lens), signed_circle(image.most, lens));
  program_.set("cut_count", cuts.count);
  program_.set("cuts_at", cuts.at);
  program_.set("zones", cuts.zone);
  program_.set("steps", cuts.steps_per_zone);
}

void PictureView::draw(const Shown& shown, const ViewState& state, glm::dvec2 window) {
  const ViewedImage& image = *shown.image;
  const Placement placement(state, window, shown.size);
  glViewport(0, 0, static_cast<int>(window.x), static_cast<int>(window.y));
  program_.use();
  const auto view = static_cast<ShownView>(static_cast<int>(state.view));
  const bool of_depth = view == ShownView::depth || view == ShownView::circle || view == ShownView::layers;
  program_.set("view", static_cast<int>(of_depth && !image.has_depth() ? ShownView::input : view));
  program_.set("window", glm::vec2(window));
  program_.set("picture", glm::vec2(shown.size));
  program_.set("centre", glm::vec2(placement.to_picture(0.5 * window)));
  program_.set("zoom", static_cast<float>(placement.zoom()));
  program_.set("wipe", static_cast<float>(state.wipe * window.x));
  program_.set("exposure", image.is_light() ? static_cast<float>(std::exp2(state.exposure)) : 0.f);
  program_.set("has_alpha", image.channels == 4 ? 1 : 0);
  program_.set("gain", static_cast<float>(state.gain));
  program_.set("around", state.dark > 0 ? glm::vec3(0.09f) : glm::vec3(0.82f));
  if (image.has_depth()) set_depth(shown, state);

  glBindTextureUnit(kResult, shown.result->id());
  glBindTextureUnit(kInput, image.color().id());
  glBindTextureUnit(kDisparity, image.disparity().id());
  glBindTextureUnit(kReference, (shown.reference ? *shown.reference : image.color()).id());
  glBindTextureUnit(kTurbo, turbo_.id());
  for (const GLuint unit : {kResult, kInput, kReference}) glBindSampler(unit, smooth_.id());
  glBindVertexArray(nothing_.id());
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glBindSamplers(0, kTurbo + 1, nullptr);
  glBindVertexArray(0);
  gl_.check("drawing the picture");
}

}  // namespace scanlens
