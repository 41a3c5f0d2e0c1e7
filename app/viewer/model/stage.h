// The stage: what the GPU draws of what is open. Textures, depth of field, filters, other views.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/viewer/model/effects.h"
#include "app/viewer/model/image.h"
#include "app/viewer/model/opened.h"
#include "app/viewer/model/stage_times.h"

namespace scanlens {

/// Values of one pixel.
struct PixelReport {
  std::int64_t x = 0, y = 0;  ///< of the full picture
  int channels = 3, bits = 8;
  std::array<double, 4> input = {}, result = {};  ///< codes, or light
  std::optional<float> disparity;
  bool metric = false;
  float circle = 0;  ///< radius in pixels of the full picture, above 0 before the focus
};

/// Frequency of each share of white, by channel: red, green, blue; or one, grey.
struct SeenHistogram {
  std::vector<std::vector<float>> channels;  ///< 256 bins each, the fullest of all is 1
};

/// Belongs to the OpenGL context and the computing one, which must not be moved. Makes anew only what has
/// changed.
class Stage : public Stand {
 public:
  Stage(const GlContext& gl, Context& compute, const Settings& settings, const Opened& open);

  void hold(const ViewedPhoto& photo, const Blur& blur) override;
  void hold(const SceneTraits& scene) override;

  /// Compiles all shaders again. When that throws, those before stay.
  void reload_shaders();

  /// Goes on by `seconds` and makes the frame's picture. While something moves it trades quality for speed.
  void update(double seconds);

  /// Returns true if nothing moves and the picture is at its full quality.
  bool at_rest() const {
    return still_frames_ > kStillFrames && !pulling() && !(open_.is_scene() && open_.state.moving > 0);
  }

  /// Returns true if one of the next frames makes the full quality and takes more than half a second for it.
  bool is_about_to_take_long() const;

  const Shown& shown() const { return shown_; }
  StageTimes& times() { return times_; }
  std::int64_t device_bytes() const;

  /// Returns what is known of a pixel of the full picture.
  std::optional<PixelReport> pixel(glm::dvec2 place) const;

  /// Returns the median disparity of the pixels around one, as --focus-at takes it.
  std::optional<float> disparity_around(glm::dvec2 place) const;

  /// Returns the disparity of the sharpest part. Throws Error where nothing is sharp.
  std::optional<float> sharpest();

  /// Counts what the area shows of the input or the result, once that is the same in two frames at rest.
  void make_histogram();
  const SeenHistogram& histogram() const { return histogram_; }

 private:
  static constexpr int kStillFrames = 3;
  using Values = std::vector<double>;

  void forget_frames();
  void take_opened();
  bool pulling() const;
  void pull(double seconds);
  Values image_key() const;
  Values blur_key() const;
  Values filter_key() const;
  void make_image();
  ViewedImage& photo_image(int which);
  void make_blur();
  void make_reference();
  void make_layers();
  void judge_speed(double ms);
  DofStyle style_now() const;
  const Picture* host_picture() const;
  const Image<float>* host_depth() const;
  const Depth* blurred_depth() const;
  void mix_depth();
  std::optional<glm::ivec2> texel_at(glm::dvec2 place) const;

  const GlContext& gl_;
  Context& compute_;
  const Settings settings_;
  const Opened& open_;
  ShaderSources sources_;
  std::unique_ptr<Effects> effects_;
  StageTimes times_;

  std::unique_ptr<LiveScene> scene_;
  ViewedImage early_;
  bool is_unblurred_ = false;
  int opened_ = 0, jumps_ = 0;  ///< those of what is open that the last frame knew

  float focus_now_ = 0;  ///< disparity
  int still_frames_ = 0;
  int haste_ = 0;  ///< how much quality moving frames give up for speed, a step of kHastes
  bool hasty_ = false;
  double full_ms_ = 0;  ///< that full quality took the last time; 0: not known
  int divisor_ = 1;

  ViewedImage photo_images_[2];  ///< at full size and smaller
  int photo_divisor_ = 0;        ///< of the smaller
  int picture_of_images_[2] = {};
  std::optional<Depth> mixed_;  ///< the photo's depth, nearer to the focus where it is to stay sharp
  Values mixed_of_;
  int mixes_ = 0;                ///< counts them
  int depth_of_images_[2] = {};  ///< those in photo_images_
  ViewedImage* image_ = nullptr;
  const Texture *blurred_ = nullptr, *result_ = nullptr;
  Texture reference_, layers_;
  Values wanted_, image_of_, blur_of_, filter_of_, reference_of_, layers_of_, histogram_of_,
      histogram_wanted_;
  Shown shown_;
  SeenHistogram histogram_;
};

}  // namespace scanlens
