// Makes the frames: an image, its blur and its filters, each only where it is another one than before.
#include <algorithm>
#include <any>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "app/photo/keep_sharp.h"
#include "app/scene/camera.h"
#include "app/viewer/model/stage.h"

namespace scanlens {
namespace {

/// Quality that moving frames give up for speed, the least loss first.
struct Haste {
  bool draft;
  int divisor;
};
constexpr Haste kHastes[] = {{false, 1}, {true, 1}, {true, 2}, {true, 3}, {true, 4}, {true, 6}, {true, 8}};
constexpr int kMostHaste = static_cast<int>(std::size(kHastes)) - 1;

/// Milliseconds of a moving frame beyond which quality is given up, and below which it comes back.
constexpr double kSlow = 45, kFast = 14;

using Clock = std::chrono::steady_clock;

template <class... T>
void append(std::vector<double>& to, T... values) {
  (to.push_back(static_cast<double>(values)), ...);
}

}  // namespace

bool Stage::pulling() const {
  return open_.has_depth() && focus_now_ != focus_disparity(open_.state, open_.metric());
}

/// Moves the focus towards its target. The rest falls by a factor of e every tenth of a second, and ends at
/// 0.
void Stage::pull(double seconds) {
  if (!pulling()) return;
  constexpr double kPerSecond = 10, kThere = 0.002;
  const float goal = focus_disparity(open_.state, open_.metric());
  focus_now_ += (goal - focus_now_) * static_cast<float>(1 - std::exp(-kPerSecond * seconds));
  if (std::abs(focus_now_ - goal) <= kThere * std::max(goal, 0.05f)) focus_now_ = goal;
}

DofStyle Stage::style_now() const {
  DofStyle style = open_.state.style(image_ ? image_->width() : 0);
  bound_pixels(style);
  // OpenGL has no drafts of light.
  const bool has_drafts = gl_.software() || !image_ || !image_->is_light();
  if (hasty_ && kHastes[haste_].draft && has_drafts) style = {};
  return style;
}

Stage::Values Stage::image_key() const {
  Values key = open_.picture_key();
  append(key, divisor_);
  if (!scene_ && open_.shares()) append(key, focus_now_, open_.state.tilt, open_.state.swing);
  return key;
}

Stage::Values Stage::blur_key() const {
  Values key = image_key();
  append(key, focus_now_, style_now().quality);
  for (const DofParam& param : kDofParams)
    if (param.value_at != &DofValues::focus) append(key, open_.state.*param.value_at);
  return key;
}

Stage::Values Stage::filter_key() const {
  Values key = blur_key();
  for (const StackedFilter& filter : open_.filters) {
    append(key, reinterpret_cast<std::uintptr_t>(filter.call.filter), filter.on);
    std::any params = filter.call.params;
    for (const Param& param : filter.call.filter->params) append(key, param.in(params));
  }
  return key;
}

const Picture* Stage::host_picture() const {
  if (image_ && image_->picture) return &*image_->picture;
  return open_.photo() && image_ == &photo_images_[0] ? &open_.photo()->picture : nullptr;
}

const Image<float>* Stage::host_depth() const {
  if (image_ && image_->depth) return &*image_->depth;
  return open_.photo() && open_.photo()->depth && image_ == &photo_images_[0] ? &blurred_depth()->disparity
                                                                              : nullptr;
}

/// Returns the photo's depth, as --keep-sharp has it where something is kept sharp; null for none.
const Depth* Stage::blurred_depth() const {
  return mixed_ ? &*mixed_ : open_.photo()->depth ? &*open_.photo()->depth : nullptr;
}

/// Brings the photo's depth to the focus of now where it is kept sharp. Its extremes stay, by which the lens
/// blurs.
void Stage::mix_depth() {
  Values key;
  if (open_.photo() && open_.photo()->depth && open_.shares())
    append(key, open_.depths(), focus_now_, open_.state.tilt, open_.state.swing);
  if (key == mixed_of_) return;
  mixed_.reset();
  mixed_of_ = std::move(key);
  if (mixed_of_.empty()) return;
  mixed_ = copy_of(*open_.photo()->depth);
  Blur blur{0, focus_now_, 0};
  blur.tilt = static_cast<float>(open_.state.tilt);
  blur.swing = static_cast<float>(open_.state.swing);
  keep_sharp(mixed_->disparity, blur, open_.shares()->disparity);
  ++mixes_;
}

void Stage::make_image() {
  Values key = image_key();
  if (key == image_of_) return;
  image_of_.clear();
  times_.begin(FrameStage::scene);
  if (!scene_) mix_depth();
  if (scene_) {
    const glm::ivec2 size = glm::max(open_.size() / divisor_, 1);
    image_ =
        &scene_->render(open_.state, size.x, size.y, divisor_ > 1 ? SceneDetail::draft : SceneDetail::full);
  } else {
    image_ = &photo_image(divisor_ == 1 ? 0 : 1);
  }
  times_.end(FrameStage::scene);
  image_of_ = std::move(key);
}

/// Returns the photo's image at full size, or at the divisor of now, with the picture and the depth of now.
ViewedImage& Stage::photo_image(int which) {
  ViewedImage& image = photo_images_[which];
  const Depth* const depth = blurred_depth();
  const int divisor = which == 0 ? 1 : divisor_;
  const bool is_same =
      picture_of_images_[which] == open_.pictures() && (which == 0 || photo_divisor_ == divisor);
  if (!is_same)
    image = image_of_photo(gl_, open_.photo()->picture, depth, divisor);
  else if (depth_of_images_[which] != open_.depths() + mixes_)
    set_depth(gl_, image, depth, divisor);
  picture_of_images_[which] = open_.pictures();
  depth_of_images_[which] = open_.depths() + mixes_;
  if (which == 1) photo_divisor_ = divisor;
  return image;
}

void Stage::make_blur() {
  Values key = blur_key();
  if (key == blur_of_) return;
  blur_of_.clear();
  blurred_ = &image_->color();
  if (image_->has_depth()) {
    const DofStyle style = style_now();
    shown_.blur = blur_of(open_.state, focus_now_, *image_);
    times_.begin(FrameStage::blur);
    if (scene_ && effects_->blurs_on_host(*image_, style, shown_.blur)) bring_to_host(gl_, *image_);
    blurred_ = &effects_->blur(*image_, host_picture(), host_depth(), shown_.blur, style);
    times_.end(FrameStage::blur);
  }
  blur_of_ = std::move(key);
}

/// Gives up quality of moving frames, or takes it back, by how long the last took. A clip has a rate to keep,
/// and takes quality back late: it would come and go.
void Stage::judge_speed(double ms) {
  const double slow = open_.plays ? std::min(kSlow, open_.frame_ms) : kSlow,
               fast = open_.plays ? slow / 6 : kFast;
  if (ms > slow) haste_ = std::min(haste_ + 1, kMostHaste);
  if (ms < fast) haste_ = std::max(haste_ - 1, 0);
}

void Stage::update(double seconds) {
  const Clock::time_point start = Clock::now();
  take_opened();
  pull(seconds);
  divisor_ = 1;
  hasty_ = false;
  Values wanted = filter_key();
  const bool moves = wanted != wanted_;
  wanted_ = std::move(wanted);
  still_frames_ = moves || open_.is_unsettled || open_.plays ? 0 : still_frames_ + 1;
  if (open_.is_empty() || open_.is_early()) return;
  hasty_ = open_.hurries && haste_ > 0 && shown_.image && still_frames_ < kStillFrames;
  if (hasty_) divisor_ = kHastes[haste_].divisor;

  make_image();
  if (std::exchange(is_unblurred_, false)) {
    still_frames_ = 0;
    shown_.image = image_;
    shown_.result = &image_->color();
    shown_.size = open_.size();
    return;
  }
  const bool is_made_anew = filter_key() != filter_of_;
  make_blur();
  Values key = filter_key();
  if (key != filter_of_) {
    filter_of_.clear();
    times_.begin(FrameStage::filters);
    result_ = &effects_->filter(*blurred_, *image_, open_.filters);
    times_.end(FrameStage::filters);
    filter_of_ = std::move(key);
  }
  const auto since_start = [&] {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  if (is_made_anew && !hasty_) full_ms_ = since_start();
  make_reference();
  make_layers();
  shown_.image = image_;
  shown_.result = result_;
  shown_.reference = reference_ && reference_of_ == blur_of_ ? &reference_ : nullptr;
  shown_.layers = layers_ && layers_of_ == blur_of_ ? &layers_ : nullptr;
  shown_.size = open_.size();
  if (!moves) return;
  if (gl_.software()) glFinish();
  judge_speed(gl_.software() || times_.frames().empty() ? since_start()
                                                        : times_.frames().back().device_sum());
}

bool Stage::is_about_to_take_long() const {
  constexpr double kLong = 500, kMsPerPixel = 1e-4;  // estimated on two cores
  const bool works = open_.has_depth() || !open_.filters.empty();
  if (!hasty_ || !works || still_frames_ < kStillFrames - 2) return false;
  return (full_ms_ > 0 ? full_ms_ : kMsPerPixel * open_.size().x * open_.size().y) > kLong;
}

}  // namespace scanlens
