#include <fmt/format.h>

#include <optional>

#include "app/gl/objects.h"
#include "app/viewer/surface.h"
#include "app/viewer/viewer.h"
#include "core/error.h"

namespace scanlens {
namespace {

class Headless : public Surface {
 public:
  Headless(int width, int height, int cuda_ordinal)
      : gl_(GlContext::open(cuda_ordinal)),
        framebuffer_(Framebuffer::create()),
        asked_(Resized{width, height}) {}

  const GlContext& gl() const override { return gl_; }

  void take_input(Viewer& viewer, double) override {
    if (asked_) viewer.input(*asked_);
    asked_.reset();
  }

  void resize(const Resized& to) override { asked_ = to; }

  void begin_frame(Viewer& viewer) override {
    const glm::ivec2 size = viewer.size();
    if (color_.width() != size.x || color_.height() != size.y) {
      if (size.x > gl_.max_texture_size() || size.y > gl_.max_texture_size())
        throw Error(fmt::format("{} x {} is more than the {} pixels per side that this OpenGL draws", size.x,
                                size.y, gl_.max_texture_size()));
      color_ = Texture::image_2d(GL_RGBA8, size.x, size.y);
      glNamedFramebufferTexture(framebuffer_.id(), GL_COLOR_ATTACHMENT0, color_.id(), 0);
      gl_.check("making room for the viewer's frame");
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
  }

  void end_frame(Viewer&) override { glBindFramebuffer(GL_FRAMEBUFFER, 0); }

  double seconds() override { return 1.0 / 60; }

  Image<std::uint8_t> picture() override { return read_frame(color_.width(), color_.height()); }

 private:
  GlContext gl_;
  Framebuffer framebuffer_;
  Texture color_;
  std::optional<Resized> asked_;
};

}  // namespace

std::unique_ptr<Surface> open_headless(int width, int height, int cuda_ordinal) {
  return std::make_unique<Headless>(width, height, cuda_ordinal);
}

}  // namespace scanlens
