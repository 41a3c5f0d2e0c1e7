#include "app/viewer/model/stage.h"

#include <utility>

#include "app/gl/upload.h"
#include "app/photo/autofocus.h"
#include "core/error.h"

namespace scanlens {

Stage::Stage(const GlContext& gl, Context& compute, const Settings& settings, const Opened& open)
    : gl_(gl),
      compute_(compute),
      settings_(settings),
      open_(open),
      effects_(std::make_unique<Effects>(gl, compute, sources_)) {
  if (gl.software()) haste_ = 2;
}

void Stage::hold(const ViewedPhoto& photo, const Blur& blur) {
  const std::string name = input_name(photo.file);
  const std::int64_t pixels = photo.picture.width() * photo.picture.height();
  require_memory(settings_, compute_, gl_, name,
                 bytes_of_textures(pixels, photo.bits(), photo.depth.has_value()));
  ViewedImage image = image_of_photo(gl_, photo.picture, photo.depth ? &*photo.depth : nullptr, 1);
  if (photo.depth)
    require_memory(settings_, compute_, gl_, name,
                   effects_->memory(image, blur, open_.state.style(image.width())));
  scene_.reset();
  photo_images_[0] = std::move(image);
  picture_of_images_[0] = open_.pictures();
  depth_of_images_[0] = open_.depths() + mixes_;
  photo_divisor_ = 0;
  is_unblurred_ = open_.shows_at_once;
  full_ms_ = 0;
  forget_frames();
}

void Stage::hold(const SceneTraits& scene) {
  scene_ = std::make_unique<LiveScene>(gl_, scene, sources_);
  forget_frames();
}

/// Drops all frames that were made of another picture, or by other shaders.
void Stage::forget_frames() {
  for (Values* const made :
       {&wanted_, &image_of_, &blur_of_, &filter_of_, &reference_of_, &layers_of_, &histogram_of_})
    made->clear();
  image_ = nullptr;
  blurred_ = result_ = nullptr;
  shown_ = {};
}

/// Takes note of what has been opened since the last frame.
void Stage::take_opened() {
  if (std::exchange(jumps_, open_.jumps()) != jumps_)
    focus_now_ = focus_disparity(open_.state, open_.metric());
  if (std::exchange(opened_, open_.opened()) == opened_) return;
  forget_frames();
  if (!open_.is_early()) return;
  early_ = image_of_photo(gl_, open_.early().picture, nullptr, 1);
  shown_.image = &early_;
  shown_.result = &early_.color();
  shown_.size = open_.size();
}

void Stage::reload_shaders() {
  ShaderSources sources;
  auto effects = std::make_unique<Effects>(gl_, compute_, sources);
  // Drivers compile some programs at their first use. That happens here, not in the first frame.
  if (image_ && image_->has_depth())
    for (const DofQuality quality : {DofQuality::draft, DofQuality::good})
      if (!effects->blurs_on_host(*image_, {.quality = quality}, shown_.blur))
        effects->blur(*image_, host_picture(), host_depth(), shown_.blur, {.quality = quality});
  if (scene_) scene_->reload(sources);
  effects_ = std::move(effects);
  sources_ = std::move(sources);
  forget_frames();
}

std::optional<float> Stage::sharpest() {
  if (!open_.has_depth()) return std::nullopt;
  if (scene_ && image_) bring_to_host(gl_, *image_);
  const ViewedPhoto* const photo = open_.photo();
  const Picture* picture = photo ? &photo->picture : host_picture();
  const Image<float>* depth = photo ? &photo->depth->disparity : host_depth();
  if (!picture || !depth) return std::nullopt;
  const std::filesystem::path name = photo ? photo->file : open_.scene()->name;
  return autofocus(compute_, *picture, *depth, name, settings_);
}

std::int64_t Stage::device_bytes() const {
  if (!image_) return 0;
  const std::int64_t pixels = std::int64_t{image_->width()} * image_->height();
  const std::int64_t textures = bytes_of_textures(pixels, image_->bits, image_->has_depth()).opengl;
  if (!image_->has_depth()) return textures;
  const GlMemory blurring = effects_->memory(*image_, shown_.blur, style_now());
  return textures + blurring.opengl + blurring.device;
}

}  // namespace scanlens
