#include "app/viewer/model/opened.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/depth/around.h"
#include "app/io/text.h"
#include "app/photo/dof_options.h"
#include "app/scene/camera.h"
#include "app/viewer/model/image.h"
#include "core/error.h"

namespace scanlens {

Opened::Opened(Stand& stand, Context& compute, const Settings& settings)
    : stand_(stand), compute_(compute), talk_(settings, Talk::Kind::collects) {}

void Opened::open(Album album, ViewedPhoto photo) {
  show_photo(std::make_shared<ViewedPhoto>(std::move(photo)), album.options());
  put_aside(std::exchange(album_, std::move(album)));
}

void Opened::show_photo(std::shared_ptr<ViewedPhoto> shown, const PhotoOptions& options) {
  ViewedPhoto& photo = *shown;
  Blur blur = {};
  if (photo.depth) {
    const LensBlur found =
        load_blur(options, photo.picture, *photo.depth, compute_, talk_.settings, talk_.run_stage());
    for (const Remark& remark : found.remarks)
      (remark.warning ? photo.warnings : photo.assumed).push_back(remark.text);
    blur = found.blur;
  }
  ++pictures_;
  ++depths_;
  stand_.hold(photo, blur);
  photo_ = std::move(shown);
  scene_ = nullptr;
  is_clip_ = false;
  state.frame = state.playing = 0;
  state.strokes = !photo_->depth && draws_without_depth;
  strokes = photo_->strokes;
  keys = {};
  sharp.reset();
  sharp_file.clear();
  shares_.reset();
  strokes_file = strokes ? photo_->depth_file : std::filesystem::path();
  photo_options_ = options;
  if (!options.guesses()) photo_options_.depth = photo_->depth_file;
  size_ = {photo_->picture.width(), photo_->picture.height()};
  if (!early_) state.show_all();
  early_.reset();
  ++opened_;
  take_lens(options, blur);
}

void Opened::open_clip(std::shared_ptr<ViewedPhoto> frame, const PhotoOptions& options,
                       std::vector<std::string> words) {
  give_up();  // a step may have begun since
  show_photo(std::move(frame), options);
  is_clip_ = true;
  clip_words_ = std::move(words);
  state.strokes = 0;
  put_aside(std::exchange(album_, {}));
}

void Opened::show_frame(std::shared_ptr<ViewedPhoto> frame) {
  photo_ = std::move(frame);
  ++pictures_;
  ++depths_;
}

void Opened::show_depth(std::optional<Depth> depth) {
  if (!photo_ || (!depth && !photo_->depth)) return;
  photo_->depth = std::move(depth);
  ++depths_;
}

void Opened::show_shares(std::optional<Depth> shares) {
  if (!shares && !shares_) return;
  shares_ = std::move(shares);
  ++depths_;
}

void Opened::note_written(const std::filesystem::path& file) {
  strokes_file = file;
  if (photo_->depth_file != file) return;
  photo_->depth_stamp = FileStamp::of(file);
  photo_->strokes = strokes;
}

/// Takes focus, aperture and lens from the options, else from EXIF, else as `dof` does, which makes this
/// blur.
void Opened::take_lens(const PhotoOptions& options, const Blur& blur) {
  if (photo_->depth) {
    const bool metric = photo_->depth->metric;
    std::string account;
    const ThinLens lens = lens_for(options.lens, photo_lens(options.lens, photo_->lens, account));
    state.take(options.lens.of(kLensGroup));
    state.focus = focus_value(blur.focus, metric);
    state.tilt = blur.tilt;
    state.swing = blur.swing;
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

void Opened::open(const SceneTraits& scene, const LensOptions& lens) {
  const ThinLens through = lens_for(lens, kSceneLens);
  thin_lens_blur(through, 1);  // throws where this is no lens
  stand_.hold(scene);
  scene_ = &scene;
  photo_.reset();
  early_.reset();
  is_clip_ = false;
  strokes.reset();
  state.strokes = 0;
  put_aside(std::exchange(album_, {}));
  state.take(lens);
  state.focus = through.focus_m;
  state.f_number = through.f_number;
  state.focal_length = through.focal_length_mm;
  state.sensor_width = through.sensor_width_mm;
  set_camera(state, scene.camera);
  state.time = 0;
  state.show_all();
  ++opened_;
  at_opening_ = state;
  finish_pull();
}

void Opened::focus_on(float disparity) {
  state.focus = focus_value(disparity, metric());
}

void Opened::advance(double seconds, const Area& area) {
  area_ = area;
  if (has_depth() && metric()) state.focus = std::max(state.focus, nearest_focus(state));
  if (!scene_) return;
  size_ = area.size;
  if (state.moving > 0) state.time = std::fmod(state.time + seconds, view_param("time").most);
}

std::vector<double> Opened::picture_key() const {
  const auto number = [](auto value) { return static_cast<double>(value); };
  if (!scene_) return {number(opened_), number(depths_), number(pictures_)};
  return {number(opened_), number(size_.x), number(size_.y),    state.azimuth,
          state.elevation, state.distance,  state.target_x,     state.target_y,
          state.target_z,  state.time,      state.focal_length, state.sensor_width};
}

int Opened::bits() const {
  if (scene_) return scene_->samples == SceneSamples::light ? 32 : 8;
  return photo_ ? photo_->bits() : 8;
}

std::optional<float> Opened::disparity_around(glm::dvec2 place) const {
  const bool inside = place.x >= 0 && place.y >= 0 && place.x < size_.x && place.y < size_.y;
  if (!inside || !photo_ || !photo_->depth) return std::nullopt;
  return scanlens::disparity_around(photo_->depth->disparity.view(), static_cast<std::int64_t>(place.x),
                                    static_cast<std::int64_t>(place.y));
}

bool Opened::takes(Takes what) const {
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
      return bits() == 32;
  }
  return false;
}

}  // namespace scanlens
