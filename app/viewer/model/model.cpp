#include "app/viewer/model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "app/lens/dof_options.h"
#include "app/photo/autofocus.h"
#include "app/scene/camera.h"
#include "core/error.h"

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

/// Returns the bytes of a picture as RGBA with `bits` a sample.
std::int64_t rgba_bytes(std::int64_t pixels, int bits) {
  return pixels * 4 * bits / 8;
}

/// Counts the textures of a picture, of its disparity and of the result.
std::int64_t texture_bytes(std::int64_t pixels, int bits, bool has_depth) {
  return 2 * rgba_bytes(pixels, bits) + (has_depth ? pixels * static_cast<std::int64_t>(sizeof(float)) : 0);
}

/// Counts the textures of a photo. The host holds its samples on their way.
GlMemory bytes_of_textures(const ViewedPhoto& photo) {
  const std::int64_t pixels = photo.picture.width() * photo.picture.height();
  const int bits = std::visit([]<class T>(const Image<T>&) { return static_cast<int>(8 * sizeof(T)); },
                              photo.picture.samples);
  return {rgba_bytes(pixels, bits), 0, texture_bytes(pixels, bits, photo.depth.has_value())};
}

template <class... T>
void append(std::vector<double>& to, T... values) {
  (to.push_back(static_cast<double>(values)), ...);
}

}  // namespace

ViewerModel::ViewerModel(const GlContext& gl, Context& compute, const Session& session)
    : gl_(gl),
      compute_(compute),
      session_(session),
      effects_(std::make_unique<Effects>(gl, compute, sources_)) {
  session_.collects = true;
  if (gl.software()) haste_ = 2;
}

void ViewerModel::open(Album album, ViewedPhoto photo) {
  show_photo(std::move(photo), album.options());
  album_ = std::move(album);
}

void ViewerModel::step(std::ptrdiff_t by, std::vector<std::string>& unreadable) {
  if (album_.size() < 2) return;
  if (std::optional<ViewedPhoto> photo = album_.step(by, unreadable))
    show_photo(std::move(*photo), album_.options());
}

void ViewerModel::take_depth(const std::filesystem::path& file) {
  PhotoOptions options = photo_options_;
  options.depth = file;
  options.lens = {};
  show_photo(open_photo(options, session_), options);
  album_.set_options(options);
}

/// Drops all frames that were made of another picture, or by other shaders.
void ViewerModel::forget_frames() {
  ++opened_;
  image_ = nullptr;
  blurred_ = result_ = nullptr;
  shown_ = {};
}

void ViewerModel::show_photo(ViewedPhoto photo, const PhotoOptions& options) {
  show_photo(std::make_shared<ViewedPhoto>(std::move(photo)), options);
}

void ViewerModel::show_photo(std::shared_ptr<ViewedPhoto> shown, const PhotoOptions& options) {
  ViewedPhoto& photo = *shown;
  session_.require_memory(compute_, gl_, input_name(photo.file), bytes_of_textures(photo));
  ViewedImage image = image_of_photo(gl_, photo.picture, photo.depth ? &*photo.depth : nullptr, 1);
  Blur blur = {};
  if (photo.depth) {
    const LensBlur found =
        load_blur(options, photo.picture, *photo.depth, compute_, session_, session_.run_stage());
    for (const Remark& remark : found.remarks)
      (remark.warning ? photo.warnings : photo.assumed).push_back(remark.text);
    blur = found.blur;
    session_.require_memory(compute_, gl_, input_name(photo.file),
                            effects_->memory(image, blur, state.style()));
  }
  photo_ = std::move(shown);
  is_clip_ = false;
  state.frame = state.playing = 0;
  state.strokes = !photo_->depth && draws_without_depth;
  strokes = photo_->strokes;
  strokes_file = strokes ? photo_->depth_file : std::filesystem::path();
  photo_options_ = options;
  photo_options_.depth = photo_->depth_file;
  scene_.reset();
  photo_images_[0] = std::move(image);
  depth_of_images_[0] = ++depth_;
  picture_of_images_[0] = ++picture_;
  photo_divisor_ = 0;
  size_ = {photo_->picture.width(), photo_->picture.height()};
  if (!std::exchange(is_early_, false)) state.show_all();
  early_ = {};
  is_unblurred_ = shows_at_once;
  full_ms_ = 0;
  forget_frames();
  take_lens(options, blur);
}

void ViewerModel::open_clip(std::shared_ptr<ViewedPhoto> frame, const PhotoOptions& options,
                            std::vector<std::string> words) {
  show_photo(std::move(frame), options);
  is_clip_ = true;
  clip_words_ = std::move(words);
  state.strokes = 0;
  album_ = {};
}

void ViewerModel::show_frame(std::shared_ptr<ViewedPhoto> frame) {
  photo_ = std::move(frame);
  ++picture_;
  ++depth_;
}

void ViewerModel::show_depth(std::optional<Depth> depth) {
  if (!photo_ || (!depth && !photo_->depth)) return;
  photo_->depth = std::move(depth);
  ++depth_;
}

void ViewerModel::note_written(const std::filesystem::path& file) {
  strokes_file = file;
  if (photo_->depth_file != file) return;
  photo_->depth_stamp = FileStamp::of(file);
  photo_->strokes = strokes;
}

/// Takes focus, aperture and lens from the options, else from EXIF, else as `dof` does, which makes this
/// blur.
void ViewerModel::take_lens(const PhotoOptions& options, const Blur& blur) {
  if (photo_->depth) {
    const bool metric = photo_->depth->metric;
    std::string account;
    const ThinLens lens = lens_for(options.lens, photo_lens(options.lens, photo_->lens, account));
    state.take(options.lens);
    state.focus = focus_value(blur.focus, metric);
    state.focal_length = lens.focal_length_mm;
    state.sensor_width = lens.sensor_width_mm;
    state.f_number = lens.f_number;
    if (options.lens.blur) {
      state.blur = 100 * radius_of(*options.lens.blur, size_.x) / static_cast<double>(size_.x);
      if (metric) state.f_number = lens_of_blur(lens, blur, size_.x).f_number;
    }
  } else {
    // For depth that strokes are going to say.
    state.focus = ViewState().focus;
    state.blur = ViewState().blur;
  }
  at_opening_ = state;
  finish_pull();
}

void ViewerModel::open(const SceneTraits& scene, const LensOptions& lens) {
  const ThinLens through = lens_for(lens, kSceneLens);
  thin_lens_blur(through, 1);  // throws where this is no lens
  scene_ = std::make_unique<LiveScene>(gl_, scene, sources_);
  photo_.reset();
  is_clip_ = false;
  strokes.reset();
  state.strokes = 0;
  album_ = {};
  state.take(lens);
  state.focus = through.focus_m;
  state.f_number = through.f_number;
  state.focal_length = through.focal_length_mm;
  state.sensor_width = through.sensor_width_mm;
  set_camera(state, scene.camera);
  state.time = 0;
  state.show_all();
  forget_frames();
  at_opening_ = state;
  finish_pull();
}

bool ViewerModel::reload_if_changed() {
  if (!photo_ || is_clip_ || !photo_->changed_on_disk()) return false;
  // Stamps are set first: a file that cannot be read is tried once for each change.
  photo_->stamp = FileStamp::of(photo_->file);
  photo_->depth_stamp = FileStamp::of(photo_->depth_file);
  const ViewState kept = state, first = at_opening_;
  const bool had_depth = has_depth(), was_metric = metric();
  const std::shared_ptr<const Strokes> drawn = strokes, read = photo_->strokes;
  const std::filesystem::path drawn_file = strokes_file;
  show_photo(open_photo(photo_options_, session_), photo_options_);
  if (drawn != read) {
    strokes = drawn;
    strokes_file = drawn_file;
  }
  // A lens set in metres does not fit depth without a unit, nor the other way round.
  const bool keeps_lens = has_depth() == had_depth && metric() == was_metric;
  for (const ViewParam& param : view_params())
    if (keeps_lens || param.group != "Lens") {
      state.*param.value = kept.*param.value;
      at_opening_.*param.value = first.*param.value;
    }
  finish_pull();
  return true;
}

void ViewerModel::reload_shaders() {
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

void ViewerModel::focus_at(glm::dvec2 pixel) {
  if (const std::optional<float> disparity = disparity_around(pixel))
    state.focus = focus_value(*disparity, metric());
}

void ViewerModel::autofocus() {
  if (!has_depth()) return;
  if (scene_ && image_) bring_to_host(gl_, *image_);
  const Picture* picture = photo_ ? &photo_->picture : host_picture();
  const Image<float>* depth = photo_ ? &photo_->depth->disparity : host_depth();
  if (!picture || !depth) return;
  const std::filesystem::path name = photo_ ? photo_->file : scene_->traits().name;
  state.focus = focus_value(scanlens::autofocus(compute_, *picture, *depth, name, session_), metric());
}

void ViewerModel::reset() {
  for (const ViewParam& param : view_params())
    if (is_of_treatment(param)) state.*param.value = at_opening_.*param.value;
}

Treatment ViewerModel::treatment() const {
  Treatment now{{}, filters, photo_options_, strokes};
  for (const ViewParam& param : view_params())
    if (is_of_treatment(param)) now.values.push_back(state.*param.value);
  return now;
}

void ViewerModel::restore(const Treatment& treatment) {
  if (photo_ && !is_clip_ && treatment.options.depth != photo_options_.depth) {
    const ViewState kept = state;
    show_photo(open_photo(treatment.options, session_), treatment.options);
    album_.set_options(treatment.options);
    state = kept;
  }
  auto value = treatment.values.begin();
  for (const ViewParam& param : view_params())
    if (is_of_treatment(param)) state.*param.value = *value++;
  filters = treatment.filters;
  strokes = treatment.strokes;
  finish_pull();
}

bool ViewerModel::takes(Takes what) const {
  switch (what) {
    case Takes::nothing:
      return true;
    case Takes::metric_depth:
      return has_depth() && metric();
    case Takes::relative_depth:
      return has_depth() && !metric();
    case Takes::any_depth:
      return has_depth();
    case Takes::scene:
      return is_scene();
    case Takes::light:
      return image_ && image_->is_light();
  }
  return false;
}

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
  DofStyle style = state.style();
  // OpenGL has no drafts of light.
  const bool has_drafts = gl_.software() || !image_ || !image_->is_light();
  if (hasty_ && kHastes[haste_].draft && has_drafts) style = {};
  return style;
}

ViewerModel::Values ViewerModel::image_key() const {
  Values key;
  append(key, opened_, divisor_);
  if (!scene_) return append(key, depth_, picture_), key;
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
  return photo_ && photo_->depth && image_ == &photo_images_[0] ? &photo_->depth->disparity : nullptr;
}

void ViewerModel::make_image() {
  Values key = image_key();
  if (key == image_of_) return;
  image_of_.clear();
  times_.begin(Stage::scene);
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
  const Depth* const depth = photo_->depth ? &*photo_->depth : nullptr;
  const int divisor = which == 0 ? 1 : divisor_;
  const bool is_same = picture_of_images_[which] == picture_ && (which == 0 || photo_divisor_ == divisor);
  if (!is_same)
    image = image_of_photo(gl_, photo_->picture, depth, divisor);
  else if (depth_of_images_[which] != depth_)
    set_depth(gl_, image, depth, divisor);
  picture_of_images_[which] = picture_;
  depth_of_images_[which] = depth_;
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

std::int64_t ViewerModel::device_bytes() const {
  if (!image_) return 0;
  const std::int64_t textures =
      texture_bytes(std::int64_t{image_->width()} * image_->height(), image_->bits, image_->has_depth());
  if (!image_->has_depth()) return textures;
  const GlMemory blurring = effects_->memory(*image_, shown_.blur, style_now());
  return textures + blurring.opengl + blurring.device;
}

}  // namespace scanlens
