#include "app/viewer/model/model.h"

#include <utility>
#include <variant>

#include "app/gl/upload.h"
#include "app/photo/autofocus.h"
#include "app/photo/dof_options.h"
#include "app/scene/camera.h"
#include "core/error.h"

namespace scanlens {
namespace {

GlMemory textures_of(const ViewedPhoto& photo) {
  const std::int64_t pixels = photo.picture.width() * photo.picture.height();
  const int bits = std::visit([]<class T>(const Image<T>&) { return static_cast<int>(8 * sizeof(T)); },
                              photo.picture.samples);
  return bytes_of_textures(pixels, bits, photo.depth.has_value());
}

}  // namespace

ViewerModel::ViewerModel(const GlContext& gl, Context& compute, const Settings& settings)
    : gl_(gl),
      compute_(compute),
      talk_(settings, Talk::Kind::collects),
      effects_(std::make_unique<Effects>(gl, compute, sources_)) {
  if (gl.software()) haste_ = 2;
}

void ViewerModel::open(Album album, ViewedPhoto photo) {
  show_photo(std::move(photo), album.options());
  put_aside(std::exchange(album_, std::move(album)));
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
  show_photo(open_photo(options, talk_.settings), options);
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
  require_memory(talk_.settings, compute_, gl_, input_name(photo.file), textures_of(photo));
  ViewedImage image = image_of_photo(gl_, photo.picture, photo.depth ? &*photo.depth : nullptr, 1);
  Blur blur = {};
  if (photo.depth) {
    const LensBlur found =
        load_blur(options, photo.picture, *photo.depth, compute_, talk_.settings, talk_.run_stage());
    for (const Remark& remark : found.remarks)
      (remark.warning ? photo.warnings : photo.assumed).push_back(remark.text);
    blur = found.blur;
    require_memory(talk_.settings, compute_, gl_, input_name(photo.file),
                   effects_->memory(image, blur, state.style(image.width())));
  }
  photo_ = std::move(shown);
  is_clip_ = false;
  state.frame = state.playing = 0;
  state.strokes = !photo_->depth && draws_without_depth;
  strokes = photo_->strokes;
  keys = {};
  sharp.reset();
  sharp_file.clear();
  show_shares(std::nullopt);
  strokes_file = strokes ? photo_->depth_file : std::filesystem::path();
  photo_options_ = options;
  if (!options.guesses()) photo_options_.depth = photo_->depth_file;
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
  put_aside(std::exchange(album_, {}));
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

void ViewerModel::show_shares(std::optional<Depth> shares) {
  if (!shares && !shares_) return;
  shares_ = std::move(shares);
  mixed_.reset();
  mixed_of_.clear();
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

void ViewerModel::open(const SceneTraits& scene, const LensOptions& lens) {
  const ThinLens through = lens_for(lens, kSceneLens);
  thin_lens_blur(through, 1);  // throws where this is no lens
  scene_ = std::make_unique<LiveScene>(gl_, scene, sources_);
  photo_.reset();
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
  show_photo(open_photo(photo_options_, talk_.settings), photo_options_);
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
  state.focus = focus_value(scanlens::autofocus(compute_, *picture, *depth, name, talk_.settings), metric());
}

void ViewerModel::reset() {
  keys = {};
  for (const ViewParam& param : view_params())
    if (is_of_treatment(param)) state.*param.value = at_opening_.*param.value;
}

Treatment ViewerModel::treatment() const {
  Treatment now{{}, filters, photo_options_, strokes, sharp, keys};
  ViewState of = state;
  if (!keys.empty()) keys.apply(keys.first(), metric(), of);
  for (const ViewParam& param : view_params())
    if (is_of_treatment(param)) now.values.push_back(of.*param.value);
  return now;
}

void ViewerModel::restore(const Treatment& treatment) {
  const auto network = [](const PhotoOptions& of) { return of.network.choice.model; };
  if (photo_ && !is_clip_ &&
      (treatment.options.depth != photo_options_.depth ||
       network(treatment.options) != network(photo_options_))) {
    const ViewState kept = state;
    show_photo(open_photo(treatment.options, talk_.settings), treatment.options);
    album_.set_options(treatment.options);
    state = kept;
  }
  auto value = treatment.values.begin();
  for (const ViewParam& param : view_params())
    if (is_of_treatment(param)) state.*param.value = *value++;
  filters = treatment.filters;
  strokes = treatment.strokes;
  sharp = treatment.sharp;
  keys = treatment.keys;
  keys.apply(std::llround(state.frame), metric(), state);
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

std::int64_t ViewerModel::device_bytes() const {
  if (!image_) return 0;
  const std::int64_t pixels = std::int64_t{image_->width()} * image_->height();
  const std::int64_t textures = bytes_of_textures(pixels, image_->bits, image_->has_depth()).opengl;
  if (!image_->has_depth()) return textures;
  const GlMemory blurring = effects_->memory(*image_, shown_.blur, style_now());
  return textures + blurring.opengl + blurring.device;
}

}  // namespace scanlens
