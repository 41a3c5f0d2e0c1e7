// The viewer's model: a photo or a live scene, seen through the lens and the filters of the moment.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/model/area.h"
#include "app/viewer/model/effects.h"
#include "app/viewer/model/history.h"
#include "app/viewer/model/image.h"
#include "app/viewer/model/photo.h"
#include "app/viewer/model/stage_times.h"
#include "app/viewer/model/state.h"

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

/// Belongs to the OpenGL context and the computing one, which must not be moved.
class ViewerModel {
  enum class Opens { nothing, album, step, map };

 public:
  ViewerModel(const GlContext& gl, Context& compute, const Settings& settings);

  ViewState state;
  std::vector<StackedFilter> filters;
  std::shared_ptr<const Strokes> strokes;  ///< drawn on the photo; null: no strokes
  std::shared_ptr<const Strokes> sharp;    ///< that keep the photo sharp; null: no strokes
  std::filesystem::path sharp_file;        ///< that holds them
  LensKeys keys;                           ///< of a clip; its ClipMode applies them
  std::filesystem::path strokes_file;      ///< that holds them, once they are to be read from one
  bool draws_without_depth = true;         ///< a photo without depth opens to be drawn on
  bool is_unsettled = false;               ///< depth is going to be another one: full quality can wait
  bool hurries = true;                     ///< moving frames give up quality where they would be slow
  bool plays = false;                      ///< a clip does: its frames hurry, and full quality can wait
  double frame_ms = 0;         ///< milliseconds that the picture of a playing clip's frame may take
  bool shows_at_once = false;  ///< a photo is seen before it is blurred, and a part of it before all is read

  // These show something else. When they throw Error, what was shown before stays.

  /// Shows an album's photo, which is open already.
  void open(Album album, ViewedPhoto photo);
  /// Shows the photo `by` places on in its album, or the next readable one in that direction. Adds the causes
  /// why those between cannot be read. Changes nothing if no other photo can be read.
  void step(std::ptrdiff_t by, std::vector<std::string>& unreadable);
  /// Reads the photo again with a file as its depth map.
  void take_depth(const std::filesystem::path& file);

  // These begin to read what is shown next, in place of what was being read. opening.cpp has them.

  /// Begins with an album's first photo that can be read.
  void begin_open(Album album);
  /// See Album::begin_step.
  void begin_step(std::ptrdiff_t by);
  /// Begins with a file as the depth map of the photo that is shown.
  void begin_take_depth(const std::filesystem::path& file);
  /// Begins with the depth that a network guesses.
  void begin_take_network(const std::filesystem::path& file);
  /// Returns true while a file is being read; opens_file() is its name.
  bool opens() const { return opened_next_ != Opens::nothing; }
  std::filesystem::path opens_file() const;
  bool steps() const { return opened_next_ == Opens::step; }
  /// Returns true while a photo is shown that is not complete yet. It cannot be changed or saved until then.
  bool is_early() const { return is_early_; }
  /// Returns the photo if it has been read, or waits for it. Shows its picture meanwhile, if there is one.
  /// Adds the causes why others cannot be read. Throws Error if the reading failed, and ends it.
  std::optional<ViewedPhoto> arrived(bool wait, std::vector<std::string>& unreadable);
  /// Shows the photo that has arrived.
  void show_arrived(ViewedPhoto photo);
  void open(const SceneTraits& scene, const LensOptions& lens);
  /// Shows a clip's frame; an album is left. `words` are those of the command line that say which part of the
  /// clip is taken, and how its depth is read over time.
  void open_clip(std::shared_ptr<ViewedPhoto> frame, const PhotoOptions& options,
                 std::vector<std::string> words);
  /// Shows another frame of the clip, and keeps all else.
  void show_frame(std::shared_ptr<ViewedPhoto> frame);

  /// Gives the photo another depth, at its size, or none, and keeps all else.
  void show_depth(std::optional<Depth> depth);
  /// Keeps the photo sharp by these shares, 0 to 1, at its size; none lets all of it be.
  void show_shares(std::optional<Depth> shares);
  /// Makes a file that the viewer itself has written the photo's depth file.
  void note_written(const std::filesystem::path& file);

  /// Reads the photo again if its files have changed. Returns true if they had.
  bool reload_if_changed();

  /// Compiles all shaders again. When that throws, those before stay.
  void reload_shaders();

  /// Focuses on the thing at a pixel of the picture, by a smooth pull. Does nothing for pixels without depth.
  void focus_at(glm::dvec2 pixel);
  /// Does so with the sharpest part of a photo. Throws Error where nothing is sharp.
  void autofocus();
  /// Returns a value as it was when the picture was opened.
  double first_value(const ViewParam& param) const { return at_opening_.*param.value; }
  /// Sets the lens and the look to what they were when this was opened.
  void reset();
  /// Returns how the picture is treated now.
  Treatment treatment() const;
  /// Treats the picture like this again. When that throws Error, nothing has changed.
  void restore(const Treatment& treatment);
  /// Ends the pull: the focus jumps to its target.
  void finish_pull();

  /// Goes on by `seconds` and makes the frame's picture, for this area. While something moves it trades
  /// quality for speed.
  const Shown& update(double seconds, const Area& area);

  /// Returns true if nothing moves and the picture is at its full quality.
  bool at_rest() const {
    return still_frames_ > kStillFrames && !pulling() && !(is_scene() && state.moving > 0);
  }

  /// Returns true if one of the next frames makes the full quality and takes more than half a second for it.
  bool is_about_to_take_long() const;

  bool is_empty() const { return !scene_ && !photo_; }  ///< nothing has been opened yet
  bool is_scene() const { return scene_ != nullptr; }
  /// Returns true if photo() is a frame of a clip.
  bool is_clip() const { return is_clip_; }
  const std::vector<std::string>& clip_words() const { return clip_words_; }
  bool has_depth() const { return is_scene() || (photo_ && photo_->depth); }
  bool metric() const { return is_scene() || (has_depth() && photo_->depth->metric); }
  bool takes(Takes what) const;
  const ViewedPhoto* photo() const { return photo_.get(); }
  /// Returns its picture, which stays as long as anybody has it.
  std::shared_ptr<const Picture> photo_picture() const { return {photo_, &photo_->picture}; }
  const LiveScene* scene() const { return scene_.get(); }
  const Album& album() const { return album_; }
  const PhotoOptions& photo_options() const { return photo_options_; }
  glm::ivec2 size() const { return size_; }   ///< of the full picture
  const Area& area() const { return area_; }  ///< that the last frame was made for
  const Shown& shown() const { return shown_; }
  StageTimes& times() { return times_; }
  std::int64_t device_bytes() const;

  /// Returns what is known of a pixel of the full picture.
  std::optional<PixelReport> pixel(glm::dvec2 place) const;

  /// Returns the median disparity of the pixels around one, as --focus-at takes it.
  std::optional<float> disparity_around(glm::dvec2 place) const;

  /// Counts what the area shows of the input or the result, once that is the same in two frames at rest.
  void make_histogram();
  const SeenHistogram& histogram() const { return histogram_; }

 private:
  static constexpr int kStillFrames = 3;
  using Values = std::vector<double>;

  void forget_frames();
  void begin_read_again(PhotoOptions options);
  void show_early(const SmallPicture& picture);
  void leave_early();
  void put_aside(Album album);
  void show_photo(ViewedPhoto photo, const PhotoOptions& options);
  void show_photo(std::shared_ptr<ViewedPhoto> shown, const PhotoOptions& options);
  void take_lens(const PhotoOptions& options, const Blur& blur);
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
  Talk talk_;  ///< collects
  ShaderSources sources_;
  std::unique_ptr<Effects> effects_;
  StageTimes times_;

  Album album_, next_album_;
  std::vector<Album> aside_;  ///< with readings that nobody waits for
  Opens opened_next_ = Opens::nothing;
  PhotoReading with_map_;  ///< the photo that is shown
  PhotoOptions photo_options_, map_options_;
  ViewedImage early_;
  bool is_early_ = false, is_unblurred_ = false;
  std::shared_ptr<ViewedPhoto> photo_;
  bool is_clip_ = false;
  std::vector<std::string> clip_words_;
  std::unique_ptr<LiveScene> scene_;
  int opened_ = 0;  ///< counts what was opened, so that nothing made of another picture is shown
  ViewState at_opening_;

  float focus_now_ = 0;  ///< disparity
  int still_frames_ = 0;
  int haste_ = 0;  ///< how much quality moving frames give up for speed, a step of kHastes
  bool hasty_ = false;
  double full_ms_ = 0;  ///< that full quality took the last time; 0: not known
  int divisor_ = 1;
  glm::ivec2 size_{1, 1};
  Area area_;

  ViewedImage photo_images_[2];  ///< at full size and smaller
  int photo_divisor_ = 0;        ///< of the smaller
  int picture_ = 0;              ///< counts the pictures of the photo: the frames of a clip
  int picture_of_images_[2] = {};
  int depth_ = 0;                ///< counts the depths of the photo
  std::optional<Depth> shares_;  ///< of what stays sharp
  std::optional<Depth> mixed_;   ///< the photo's depth, nearer to the focus by these
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
