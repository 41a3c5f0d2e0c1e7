// Holds what is open: a photo, a clip's frame or a live scene, with its depth, strokes, filters and values.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/scene/scenes.h"
#include "app/viewer/model/area.h"
#include "app/viewer/model/history.h"
#include "app/viewer/model/photo.h"
#include "app/viewer/model/state.h"

namespace scanlens {

/// The place where what is opened is going to be drawn. Each throws Error where it has no room, and keeps
/// what it had.
class Stand {
 public:
  virtual ~Stand() = default;
  virtual void hold(const ViewedPhoto& photo, const Blur& blur) = 0;
  virtual void hold(const SceneTraits& scene) = 0;
};

/// Draws nothing. A function that shows something else keeps what was shown before when it throws Error.
class Opened {
  enum class Opens { nothing, album, step, map, reload, restore };

 public:
  Opened(Stand& stand, Context& compute, const Settings& settings);

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

  /// Shows an album's photo, which is open already.
  void open(Album album, ViewedPhoto photo);
  void open(const SceneTraits& scene, const LensOptions& lens);
  /// Shows a clip's frame; an album is left. `words` are those of the command line that say which part of the
  /// clip is taken, and how its depth is read over time.
  void open_clip(std::shared_ptr<ViewedPhoto> frame, const PhotoOptions& options,
                 std::vector<std::string> words);
  /// Shows another frame of the clip, and keeps all else.
  void show_frame(std::shared_ptr<ViewedPhoto> frame);

  // Readings of what is shown next, in place of what was being read; opening.cpp has them.

  /// Begins with an album's first photo that can be read.
  void begin_open(Album album);
  /// See Album::begin_step.
  void begin_step(std::ptrdiff_t by);
  /// Begins with a file as the depth map of the photo that is shown.
  void begin_take_depth(const std::filesystem::path& file);
  /// Begins with the depth that a network guesses.
  void begin_take_network(const std::filesystem::path& file);
  /// Begins to read the photo again if its files have changed. Returns true if they had.
  bool begin_reload_if_changed();
  /// Returns true while a file is being read; opens_file() is its name.
  bool opens() const { return opened_next_ != Opens::nothing; }
  /// Passes over what is being read.
  void give_up();
  std::filesystem::path opens_file() const;
  bool steps() const { return opened_next_ == Opens::step; }
  /// Returns true while a photo is shown that is not complete yet. It cannot be changed or saved until then.
  bool is_early() const { return early_.has_value(); }
  const SmallPicture& early() const { return *early_; }
  /// Returns the photo if it has been read, or waits for it. Shows its picture meanwhile, if there is one.
  /// Adds the causes why others cannot be read. Throws Error if the reading failed, and ends it.
  std::optional<ViewedPhoto> arrived(bool wait, std::vector<std::string>& unreadable);
  /// Shows the photo that has arrived.
  void show_arrived(ViewedPhoto photo);

  /// Gives the photo another depth, at its size, or none, and keeps all else.
  void show_depth(std::optional<Depth> depth);
  /// Keeps the photo sharp by these shares, 0 to 1, at its size; none lets all of it be.
  void show_shares(std::optional<Depth> shares);
  /// Makes a file that the viewer itself has written the photo's depth file.
  void note_written(const std::filesystem::path& file);

  /// Sets the lens and the look to what they were when this was opened.
  void reset();
  /// Returns what a value was when this was opened, which reset() brings back.
  double first_value(const ViewParam& param) const { return at_opening_.*param.value; }
  /// Returns how the picture is treated.
  Treatment treatment() const;
  /// Goes a step of the treatment back, or on. Begins to read the photo where its depth is another one.
  void undo() { show_step(&History::undo); }
  void redo() { show_step(&History::redo); }
  /// Takes note of the treatment, as a step of its own if `begins`.
  void note_treatment(bool begins, bool held);
  /// Treats a photo that was shown before as it was left.
  void recall_treatment();
  void mark_saved(const std::filesystem::path& noted, const Treatment& treatment);
  /// Returns the name under which the treatment of what is shown is noted.
  const std::filesystem::path& noted() const { return noted_; }
  /// Returns the names of the photos whose treatment is not saved: "a.jpg, b.jpg".
  std::string unsaved() const;

  /// Ends the pull: the focus jumps to its target.
  void finish_pull() { ++jumps_; }
  /// Focuses at this disparity, by a smooth pull.
  void focus_on(float disparity);
  /// Goes on by `seconds`, for a picture that fills this area.
  void advance(double seconds, const Area& area);

  bool is_empty() const { return !scene_ && !photo_; }  ///< nothing has been opened yet
  bool is_scene() const { return scene_ != nullptr; }
  /// Returns true if photo() is a frame of a clip.
  bool is_clip() const { return is_clip_; }
  const std::vector<std::string>& clip_words() const { return clip_words_; }
  /// Returns the median disparity of a photo's pixels around one, as --focus-at takes it.
  std::optional<float> disparity_around(glm::dvec2 place) const;
  bool has_depth() const { return is_scene() || (photo_ && photo_->depth); }
  bool metric() const { return is_scene() || (has_depth() && photo_->depth->metric); }
  /// Returns the bits of a sample: 8, 16 or, of light, 32.
  int bits() const;
  bool takes(Takes what) const;
  const ViewedPhoto* photo() const { return photo_.get(); }
  /// Returns its picture, which stays as long as anybody has it.
  std::shared_ptr<const Picture> photo_picture() const { return {photo_, &photo_->picture}; }
  const SceneTraits* scene() const { return scene_; }
  const Settings& settings() const { return talk_.settings; }
  const Album& album() const { return album_; }
  const PhotoOptions& photo_options() const { return photo_options_; }
  const std::optional<Depth>& shares() const { return shares_; }  ///< of what stays sharp
  glm::ivec2 size() const { return size_; }                       ///< of the full picture
  const Area& area() const { return area_; }                      ///< that the last frame was made for

  // Count what was opened, the pictures of it (the frames of a clip), its depths and the jumps of the focus.
  int opened() const { return opened_; }
  int pictures() const { return pictures_; }
  int depths() const { return depths_; }
  int jumps() const { return jumps_; }
  /// Returns what tells one picture and its depth from another: these numbers, and a scene's size and camera.
  std::vector<double> picture_key() const;

 private:
  void begin_read_again(PhotoOptions options, Opens why);
  void leave_early();
  void put_aside(Album album);
  void show_photo(std::shared_ptr<ViewedPhoto> shown, const PhotoOptions& options);
  void show_reloaded(std::shared_ptr<ViewedPhoto> photo);
  void take_lens(const PhotoOptions& options, const Blur& blur);
  void show_step(const Treatment* (History::*step)());
  void restore(const Treatment& treatment);

  Stand& stand_;
  Context& compute_;
  Talk talk_;  ///< collects

  Album album_, next_album_;
  std::vector<Album> aside_;  ///< with readings that nobody waits for
  Opens opened_next_ = Opens::nothing;
  PhotoReading again_;  ///< the photo that is shown
  PhotoOptions photo_options_, again_options_;
  Treatment restores_;       ///< what a photo that is read for that is to be treated like
  Treatment restores_from_;  ///< how it was treated when that began
  std::optional<SmallPicture> early_;
  std::shared_ptr<ViewedPhoto> photo_;
  bool is_clip_ = false;
  std::vector<std::string> clip_words_;
  const SceneTraits* scene_ = nullptr;
  std::optional<Depth> shares_;
  ViewState at_opening_;
  glm::ivec2 size_{1, 1};
  Area area_;
  int opened_ = 0, pictures_ = 0, depths_ = 0, jumps_ = 0;

  std::map<std::filesystem::path, History>
      histories_;                ///< of each photo that was shown; a scene's by its name
  std::filesystem::path noted_;  ///< whose treatment is shown
};

}  // namespace scanlens
