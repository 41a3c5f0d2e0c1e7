// The viewer's mode in which the pointer draws how far things are; the photo's depth follows.
#pragma once

#include <filesystem>
#include <future>
#include <glm/glm.hpp>
#include <map>
#include <memory>
#include <string>

#include "app/viewer/model/opened.h"
#include "app/viewer/model/placement.h"
#include "app/viewer/script/input.h"
#include "app/viewer/strokes/background_spread.h"
#include "app/viewer/strokes/drawing.h"

namespace scanlens {

/// Draws strokes on the photo that is open. The strokes are part of what is open, so that its treatment has
/// them; this class makes depth of them whenever they change, by drawing, by undo or by a file.
class StrokeMode {
 public:
  StrokeMode(Opened& open, Talk& talk);

  /// Returns true if the pointer draws.
  bool on() const { return open_.state.strokes > 0 && drawable() && photo_; }
  /// Enters or leaves the mode. Leaving it on a photo without depth keeps the next one from opening in it.
  void toggle();

  // Input while the mode is on. Those that return bool do so with true if the input was for the mode.
  /// Erases, takes a depth, or sets the radius.
  bool press(const ButtonChanged& button, const Placement& placement, glm::dvec2 pointer);
  /// Begins a stroke where a drag began.
  bool begin_drag(const Placement& placement, glm::dvec2 from);
  void move(const Placement& placement, glm::dvec2 pointer);
  void release(const Placement& placement);
  bool scroll(const Scrolled& scrolled, const Placement& placement, glm::dvec2 pointer);
  bool press_key(const KeyChanged& key);
  bool type(char character);
  /// Begins a first guess, which takes the place of what is drawn once it is made.
  void guess();
  bool guesses() const { return guessing_.strokes.valid(); }
  /// Returns true if what is drawn is that guess, or one of --depth guess.
  bool is_guess() const { return depth_.drawn && depth_.drawn == guess_; }
  /// Draws a stroke, as --stroke takes it. Throws Error (usage) for anything else.
  void draw(const std::string& words);

  /// Goes on by `seconds`: asks for the strokes' depth, and shows the latest result. Throws the failure of
  /// making it.
  void advance(double seconds);
  /// Returns true if the depth of all strokes is shown, at its full quality.
  bool at_rest() const {
    return !photo_ || (depth_.rests(open_.strokes) && sharp_.rests(open_.sharp) && !guesses());
  }
  /// Returns true while depth of the latest strokes is being made.
  bool makes_depth() const { return !at_rest() && !draws(); }

  /// Writes the strokes to a file, unless one holds them. `Opened` then names it. Does nothing without
  /// strokes.
  void write_file();

  const StrokeDrawing& drawing() const { return depth_.drawing; }
  /// The strokes that keep the photo sharp, and whether the tools draw these.
  const StrokeDrawing& sharp() const { return sharp_.drawing; }
  bool protects() const { return protects_; }
  void set_protects(bool protects);
  /// Takes up a tool that draws depth.
  void choose_tool(StrokeTool tool);
  /// Changes strokes or tools.
  template <class Work>
  void change(const Work& work) {
    work(depth_.drawing);
    commit();
  }
  /// Returns a nearness in words: "0.72", of a map with a unit "1.4 m".
  std::string nearness_text(double nearness) const;
  bool corrects_a_map() const { return !map_file_.empty(); }
  /// Returns true if the nearest stroke is in focus, because nobody has focused elsewhere.
  bool focuses() const { return depth_.drawn && open_.state.focus == proposed_focus(); }

 private:
  /// Strokes, and what is made of them.
  struct Layer {
    StrokeDrawing drawing;
    std::unique_ptr<BackgroundSpread> spread;
    std::shared_ptr<const Strokes> drawn, asked, final;  ///< in drawing, last asked for, shown as the map
    bool final_asked = false;
    double since_asked = 0;

    bool rests(const std::shared_ptr<const Strokes>& strokes) const {
      return final == strokes && !drawing.draws();
    }
  };

  /// Returns the photo that is shown; null for a frame of a clip.
  const ViewedPhoto* drawable() const { return open_.is_clip() ? nullptr : open_.photo(); }
  void begin_photo();
  void begin_spreading(Layer& layer);
  Layer& active() { return protects_ ? sharp_ : depth_; }
  bool draws() const { return depth_.drawing.draws() || sharp_.drawing.draws(); }
  void commit();
  void keep_drawn(Layer& layer) const;
  void take_changed(Layer& layer, const std::shared_ptr<const Strokes>& strokes) const;
  void go_on(Layer& layer, double seconds);
  double proposed_focus() const;
  void take_guess();
  void ask(Layer& layer, double seconds);
  void show_result(Layer& layer);
  std::filesystem::path write_strokes(const Strokes& strokes, std::filesystem::path file, const char* kind);
  std::optional<double> nearness_at(glm::dvec2 pixel) const;
  double reach(const Placement& placement) const;
  static bool holds(const std::filesystem::path& file, const Strokes& strokes);

  Opened& open_;
  Talk& talk_;
  std::shared_ptr<const Picture> photo_;  ///< that is drawn on
  Layer depth_, sharp_;                   ///< how far things are; and what stays sharp, whose nearness is 1
  bool protects_ = false;
  DepthRange map_range_;            ///< of depth with a unit: 1/metre of nearness 0 and 1
  std::filesystem::path map_file_;  ///< the map that strokes correct, or the photo that carries it

  std::shared_ptr<const Strokes> guess_;
  struct Guessing {
    std::shared_ptr<const Picture> photo;  ///< that it is made of
    std::shared_ptr<const Strokes> drawn;  ///< that it takes the place of
    std::future<Strokes> strokes;
  } guessing_;
  bool sets_radius_ = false;
  glm::dvec2 pressed_at_ = {};
  double radius_at_press_ = 0;
  std::map<std::filesystem::path, std::filesystem::path> written_;  ///< files of strokes, by photo and kind
};

}  // namespace scanlens
