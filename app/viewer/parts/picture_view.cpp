#include "app/viewer/parts/picture_view.h"

#include <algorithm>
#include <cmath>

#include "app/depth/depth.h"
#include "app/gl/lens.h"
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

GlProgram view_program(const ShaderSources& sources, const ShaderDefines& defines) {
  return {
      sources, {{GL_VERTEX_SHADER, "background.vert"}, {GL_FRAGMENT_SHADER, "viewer/view.frag"}}, defines};
}

GlProgram plain_program(const ShaderSources& sources, bool light, bool one_tap) {
  ShaderDefines defines{{"PLAIN", "1"}};
  if (light) defines.emplace_back("LIGHT", "1");
  if (one_tap) defines.emplace_back("ONE_TAP", "1");
  return view_program(sources, defines);
}

/// Returns how many places between texels, along a side, a pixel of the window is the mean of. 0 stands for
/// the single texel: those of a picture at its full size are shown as squares, of a smaller one they are
/// blended.
int taps_of(const Texture& texture, glm::dvec2 picture, double zoom) {
  const double covered = texture.width() / picture.x / zoom;
  if (covered <= 0.5 && texture.width() >= picture.x) return 0;
  return static_cast<int>(std::clamp(std::ceil(covered), 1.0, 8.0));
}

/// Returns the colour of the window where there is no picture.
glm::vec3 color_around(const ViewState& state) {
  return glm::vec3(state.dark > 0 ? 0.09f : 0.82f);
}

constexpr GLuint kPicture = 0, kInput = 1, kDisparity = 2, kReference = 3, kTurbo = 4, kLayers = 5;

}  // namespace

PictureView::PictureView(const GlContext& gl, const ShaderSources& sources)
    : gl_(gl),
      plain_{{plain_program(sources, false, false), plain_program(sources, false, true)},
             {plain_program(sources, true, false), plain_program(sources, true, true)}},
      of_depth_(view_program(sources, {})),
      nothing_(VertexArray::create()),
      turbo_(upload_rgba(gl, turbo_colors())),
      smooth_(smooth_sampler()) {}

/// Sets what the views of depth show.
void PictureView::set_depth(const Shown& shown, const ViewState& state) {
  const ViewedImage& image = *shown.image;
  const LayeredLens lens = layered_lens(shown.blur, state.style());
  of_depth_.set("depth_range", glm::vec2(image.least, image.most));
  set_lens(of_depth_, lens);
  of_depth_.set("tilted", glm::vec2(shown.blur.swing, shown.blur.tilt));
  const LayerCuts cuts = cuts_of(image, lens, state.style().quality);
  of_depth_.set("layers_are_known", shown.layers ? 1 : 0);
  of_depth_.set("cut_count", cuts.count);
  of_depth_.set("cuts_at", cuts.at);
  of_depth_.set("zones", cuts.zone);
  of_depth_.set("steps", cuts.steps_per_zone);
}

/// Draws a view into the columns `from` up to `to`.
void PictureView::draw_part(const Shown& shown, const ViewState& state, ShownView view, glm::dvec2 window,
                            const Area& area, int from, int to) {
  const ViewedImage& image = *shown.image;
  const Placement placement(state, area, shown.size);
  const bool plain = view == ShownView::result || view == ShownView::input;
  const Texture& texture = view == ShownView::input ? image.color() : *shown.result;
  const int taps = taps_of(texture, shown.size, placement.zoom());
  const GlProgram& program = plain ? plain_[image.is_light()][taps == 1] : of_depth_;
  program.use();
  program.set("taps", taps);
  program.set("view", static_cast<int>(view));
  program.set("window", glm::vec2(window));
  program.set("picture", glm::vec2(shown.size));
  program.set("centre", glm::vec2(placement.to_picture(0.5 * window)));
  program.set("zoom", static_cast<float>(placement.zoom()));
  const auto exposure = static_cast<float>(std::exp2(state.exposure));
  program.set("exposure", image.is_light() ? exposure : 0.f);
  program.set("brightest", exposure * image.brightest);
  program.set("has_alpha", image.channels == 4 ? 1 : 0);
  program.set("gain", static_cast<float>(state.gain));
  program.set("around", color_around(state));
  if (!plain && image.has_depth()) set_depth(shown, state);
  glBindTextureUnit(kPicture, texture.id());
  glScissor(from, 0, to - from, static_cast<int>(window.y));
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

void PictureView::draw(const Shown& shown, const ViewState& state, glm::dvec2 window, const Area& area) {
  clear(state);
  const ViewedImage& image = *shown.image;
  glViewport(0, 0, static_cast<int>(window.x), static_cast<int>(window.y));
  glBindTextureUnit(kInput, image.color().id());
  glBindTextureUnit(kDisparity, image.disparity().id());
  glBindTextureUnit(kReference, (shown.reference ? *shown.reference : image.color()).id());
  glBindTextureUnit(kTurbo, turbo_.id());
  glBindTextureUnit(kLayers, (shown.layers ? *shown.layers : turbo_).id());
  for (const GLuint unit : {kPicture, kInput, kReference, kLayers}) glBindSampler(unit, smooth_.id());
  glBindVertexArray(nothing_.id());
  glEnable(GL_SCISSOR_TEST);
  const auto from = static_cast<int>(area.from.x), end = static_cast<int>(area.end().x),
             line = static_cast<int>(area.column(state.wipe));
  if (line > from) draw_part(shown, state, ShownView::input, window, area, from, line);
  draw_part(shown, state, state.seen_view(image.has_depth()), window, area, line, end);
  if (line > from) {
    constexpr GLfloat kWhite[] = {1, 1, 1, 1};
    glScissor(line - 1, 0, 2, static_cast<int>(window.y));
    glClearBufferfv(GL_COLOR, 0, kWhite);
  }
  glDisable(GL_SCISSOR_TEST);
  glBindSamplers(0, kLayers + 1, nullptr);
  glBindVertexArray(0);
  gl_.check("drawing the picture");
}

void PictureView::clear(const ViewState& state) {
  const glm::vec4 color(color_around(state), 1);
  glClearBufferfv(GL_COLOR, 0, &color[0]);
}

}  // namespace scanlens
