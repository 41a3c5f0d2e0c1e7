// Values of the pixel under the pointer.
#include <array>
#include <cstddef>

#include "app/depth/around.h"
#include "app/viewer/model/stage.h"
#include "filters/dof/layered.h"

namespace scanlens {
namespace {

/// Returns a texel of four channels, 0..1 of codes.
std::array<float, 4> texel(const Texture& texture, glm::ivec2 at) {
  std::array<float, 4> values = {};
  glGetTextureSubImage(texture.id(), 0, at.x, at.y, 0, 1, 1, 1, GL_RGBA, GL_FLOAT, sizeof values,
                       values.data());
  return values;
}

/// Returns red of the texels around one, as far as they are inside, and where that one is among them.
Image<float> texels_around(const Texture& texture, glm::ivec2 at, int reach, glm::ivec2& middle) {
  const glm::ivec2 first = glm::max(at - reach, 0),
                   end = glm::min(at + reach + 1, glm::ivec2(texture.width(), texture.height()));
  Image<float> texels(end.x - first.x, end.y - first.y);
  glGetTextureSubImage(texture.id(), 0, first.x, first.y, 0, end.x - first.x, end.y - first.y, 1, GL_RED,
                       GL_FLOAT, static_cast<GLsizei>(texels.view().extent() * 4), texels.view().data);
  middle = at - first;
  return texels;
}

}  // namespace

/// Returns the image's texel that shows this place of the full picture.
std::optional<glm::ivec2> Stage::texel_at(glm::dvec2 place) const {
  if (!image_ || place.x < 0 || place.y < 0 || place.x >= open_.size().x || place.y >= open_.size().y)
    return std::nullopt;
  const glm::ivec2 texels(image_->width(), image_->height());
  return glm::min(glm::ivec2(place * (glm::dvec2(texels) / glm::dvec2(open_.size()))), texels - 1);
}

std::optional<PixelReport> Stage::pixel(glm::dvec2 place) const {
  const std::optional<glm::ivec2> at = texel_at(place);
  if (!at || !result_) return std::nullopt;
  PixelReport report;
  report.x = static_cast<std::int64_t>(place.x);
  report.y = static_cast<std::int64_t>(place.y);
  report.channels = image_->channels;
  report.bits = image_->bits;
  const double white = report.bits == 32 ? 1 : (1 << report.bits) - 1;
  const std::array<float, 4> input = texel(image_->color(), *at), result = texel(*result_, *at);
  for (std::size_t c = 0; c < 4; ++c) {
    report.input[c] = input[c] * white;
    report.result[c] = result[c] * white;
  }
  if (image_->has_depth()) {
    report.disparity = texel(image_->disparity(), *at)[0];
    report.metric = image_->metric;
    const float from_plane =
        shown_.blur.focus - focus_on_plane(shown_.blur, at->x, at->y, image_->width(), image_->height());
    report.circle =
        signed_circle(*report.disparity + from_plane, layered_lens(shown_.blur, open_.state.style())) /
        static_cast<float>(static_cast<double>(image_->width()) / open_.size().x);
  }
  gl_.check("reading a pixel");
  return report;
}

std::optional<float> Stage::disparity_around(glm::dvec2 place) const {
  const std::optional<glm::ivec2> at = texel_at(place);
  if (!at || !image_->has_depth()) return std::nullopt;
  if (open_.photo()) return open_.disparity_around(place);
  glm::ivec2 middle;
  const Image<float> texels = texels_around(image_->disparity(), *at, kAroundReach, middle);
  gl_.check("reading the depth around a pixel");
  return scanlens::disparity_around(texels.view(), middle.x, middle.y);
}

}  // namespace scanlens
