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
#include "app/viewer/model/model.h"

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

bool ViewerModel::pulling() const {
  return has_depth() && focus_now_ != focus_disparity(state, metric());
}

void ViewerModel::finish_pull() {
  focus_now_ = focus_disparity(state, metric());
}

/// Moves the focus towards its target. The rest falls by a factor of e every tenth of a second, and ends at
/// 0.
void ViewerModel::pull(double seconds) {
  if (!pulling()) return;
  constexpr double kPerSecond = 10, kThere = 0.002;
  const float goal = focus_disparity(state, metric());
  focus_now_ += (goal - focus_now_) * static_cast<float>(1 - std::exp(-kPerSecond * seconds));
  if (std::abs(focus_now_ - goal) <= kThere * std::max(goal, 0.05f)) focus_now_ = goal;
}

DofStyle ViewerModel::style_now() const {
  DofStyle style = state.style(image_ ? image_->width() : 0);
  bound_pixels(style);
  // OpenGL has no drafts of light.
  const bool has_drafts = gl_.software() || !image_ || !image_->is_light();
  if (hasty_ && kHastes[haste_].draft && has_drafts) style = {};
  return style;
}

ViewerModel::Values ViewerModel::image_key() const {
  Values key;
  append(key, opened_, divisor_);
  if (!scene_) return append(key, depth_, picture_, shares_ ? focus_now_ : 0), key;
  append(key, size_.x, size_.y, state.azimuth, state.elevation, state.distance, state.target_x,
         state.target_y, state.target_z, state.time, state.focal_length, state.sensor_width);
  return key;
}

ViewerModel::Values ViewerModel::blur_key() const {
  Values key = image_key();
  append(key, focus_now_, style_now().quality);
  for (const DofParam& param : kDofParams)
    if (param.value_at != &DofValues::focus) append(key, state.*param.value_at);
  return key;
}

ViewerModel::Values ViewerModel::filter_key() const {
  Values key = blur_key();
  for (const StackedFilter& filter : filters) {
    append(key, reinterpret_cast<std::uintptr_t>(filter.call.filter), filter.on);
    std::any params = filter.call.params;
    for (const Param& param : filter.call.filter->params) append(key, param.in(params));
  }
  return key;
}

const Picture* ViewerModel::host_picture() const {
  if (image_ && image_->picture) return &*image_->picture;
  return photo_ && image_ == &photo_images_[0] ? &photo_->picture : nullptr;
}

const Image<float>* ViewerModel::host_depth() const {
  if (image_ && image_->depth) return &*image_->depth;
  return photo_ && photo_->depth && image_ == &photo_images_[0] ? &blurred_depth()->disparity : nullptr;
}

/// Returns the photo's depth, as --keep-sharp has it where something is kept sharp; null for none.
const Depth* ViewerModel::blurred_depth() const {
  return mixed_ ? &*mixed_ : photo_->depth ? &*photo_->depth : nullptr;
}

/// Brings the photo's depth to the focus of now where it is kept sharp. Its extremes stay, by which the lens
/// blurs.
void ViewerModel::mix_depth() {
  Values key;
  if (photo_ && photo_->depth && shares_) append(key, depth_, focus_now_, state.tilt, state.swing);
  if (key == mixed_of_) return;
  mixed_.reset();
  mixed_of_ = std::move(key);
  if (mixed_of_.empty()) return;
  mixed_ = copy_of(*photo_->depth);
  Blur blur{0, focus_now_, 0};
  blur.tilt = static_cast<float>(state.tilt);
  blur.swing = static_cast<float>(state.swing);
  keep_sharp(mixed_->disparity, blur, shares_->disparity);
  ++mixes_;
}

void ViewerModel::make_image() {
  Values key = image_key();
  if (key == image_of_) return;
  image_of_.clear();
  times_.begin(Stage::scene);
  if (!scene_) mix_depth();
  if (scene_) {
    const glm::ivec2 size = glm::max(size_ / divisor_, 1);
    image_ = &scene_->render(state, size.x, size.y, divisor_ > 1 ? SceneDetail::draft : SceneDetail::full);
  } else {
    image_ = &photo_image(divisor_ == 1 ? 0 : 1);
  }
  times_.end(Stage::scene);
  image_of_ = std::move(key);
}

/// Returns the photo's image at full size, or at the divisor of now, with the picture and the depth of now.
ViewedImage& ViewerModel::photo_image(int which) {
  ViewedImage& image = photo_images_[which];
  const Depth* const depth = blurred_depth();
  const int divisor = which == 0 ? 1 : divisor_;
  const bool is_same = picture_of_images_[which] == picture_ && (which == 0 || photo_divisor_ == divisor);
  if (!is_same)
    image = image_of_photo(gl_, photo_->picture, depth, divisor);
  else if (depth_of_images_[which] != depth_ + mixes_)
    set_depth(gl_, image, depth, divisor);
  picture_of_images_[which] = picture_;
  depth_of_images_[which] = depth_ + mixes_;
  if (which == 1) photo_divisor_ = divisor;
  return image;
}

void ViewerModel::make_blur() {
  Values key = blur_key();
  if (key == blur_of_) return;
  blur_of_.clear();
  blurred_ = &image_->color();
  if (image_->has_depth()) {
    const DofStyle style = style_now();
    shown_.blur = blur_of(state, focus_now_, *image_);
    times_.begin(Stage::blur);
    if (scene_ && effects_->blurs_on_host(*image_, style, shown_.blur)) bring_to_host(gl_, *image_);
    blurred_ = &effects_->blur(*image_, host_picture(), host_depth(), shown_.blur, style);
    times_.end(Stage::blur);
  }
  blur_of_ = std::move(key);
}

/// Gives up quality of moving frames, or takes it back, by how long the last took. A clip has a rate to keep,
/// and takes quality back late: it would come and go.
void ViewerModel::judge_speed(double ms) {
  const double slow = plays ? std::min(kSlow, frame_ms) : kSlow, fast = plays ? slow / 6 : kFast;
  if (ms > slow) haste_ = std::min(haste_ + 1, kMostHaste);
  if (ms < fast) haste_ = std::max(haste_ - 1, 0);
}

const Shown& ViewerModel::update(double seconds, const Area& area) {
  const Clock::time_point start = Clock::now();
  area_ = area;
  if (has_depth() && metric()) state.focus = std::max(state.focus, nearest_focus(state));
  if (scene_ && state.moving > 0) state.time = std::fmod(state.time + seconds, view_param("time").most);
  pull(seconds);
  divisor_ = 1;
  hasty_ = false;
  if (scene_) size_ = area.size;
  Values wanted = filter_key();
  const bool moves = wanted != wanted_;
  wanted_ = std::move(wanted);
  still_frames_ = moves || is_unsettled || plays ? 0 : still_frames_ + 1;
  if (is_empty() || is_early_) return shown_;
  hasty_ = hurries && haste_ > 0 && shown_.image && still_frames_ < kStillFrames;
  if (hasty_) divisor_ = kHastes[haste_].divisor;

  make_image();
  if (std::exchange(is_unblurred_, false)) {
    still_frames_ = 0;
    shown_.image = image_;
    shown_.result = &image_->color();
    shown_.size = size_;
    return shown_;
  }
  const bool is_made_anew = filter_key() != filter_of_;
  make_blur();
  Values key = filter_key();
  if (key != filter_of_) {
    filter_of_.clear();
    times_.begin(Stage::filters);
    result_ = &effects_->filter(*blurred_, *image_, filters);
    times_.end(Stage::filters);
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
  shown_.size = size_;
  if (!moves) return shown_;
  if (gl_.software()) glFinish();
  judge_speed(gl_.software() || times_.frames().empty() ? since_start()
                                                        : times_.frames().back().device_sum());
  return shown_;
}

bool ViewerModel::is_about_to_take_long() const {
  constexpr double kLong = 500, kMsPerPixel = 1e-4;  // estimated on two cores
  const bool works = has_depth() || !filters.empty();
  if (!hasty_ || !works || still_frames_ < kStillFrames - 2) return false;
  return (full_ms_ > 0 ? full_ms_ : kMsPerPixel * size_.x * size_.y) > kLong;
}

}  // namespace scanlens
