// The window of the viewer: takes what a person does, draws frames. window.cpp and headless.cpp have a
// surface each for it.
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/clip/clip_mode.h"
#include "app/viewer/model/placement.h"
#include "app/viewer/model/stage.h"
#include "app/viewer/model/thumbnails.h"
#include "app/viewer/notices.h"
#include "app/viewer/opening.h"
#include "app/viewer/panel_context.h"
#include "app/viewer/parts/layout.h"
#include "app/viewer/parts/painter.h"
#include "app/viewer/parts/picture_view.h"
#include "app/viewer/plane_mode.h"
#include "app/viewer/questions.h"
#include "app/viewer/saving.h"
#include "app/viewer/script/input.h"
#include "app/viewer/strokes/stroke_mode.h"

namespace scanlens {

/// Belongs to the OpenGL context and the computing one, which must not be moved. One at a time.
class Viewer {
 public:
  Viewer(const GlContext& gl, Context& compute, Talk& talk);

  Opened& open() { return open_; }
  const Opened& open() const { return open_; }
  Stage& stage() { return stage_; }
  const Stage& stage() const { return stage_; }
  Opening& opening() { return opening_; }
  const Opening& opening() const { return opening_; }
  Saving& saving() { return saving_; }
  const Saving& saving() const { return saving_; }
  StrokeMode& strokes() { return strokes_; }
  const StrokeMode& strokes() const { return strokes_; }
  ClipMode& clip() { return clip_; }
  const ClipMode& clip() const { return clip_; }
  PlaneMode& plane() { return plane_; }
  const PlaneMode& plane() const { return plane_; }
  Notices& notices() { return notices_; }
  const Notices& notices() const { return notices_; }
  Questions& questions() { return questions_; }
  const Thumbnails& thumbnails() const { return thumbnails_; }
  const GlContext& gl() const { return gl_; }
  const Context& compute() const { return compute_; }

  bool shows_notices = true;  ///< false for a picture alone

  /// Takes what a person does; the next frames act on it, in turn.
  void input(const Input& input);
  /// Acts on the input so far, goes on by `seconds` and makes the next frame's picture.
  void advance(double seconds);
  /// Draws that frame into the bound framebuffer, which has the viewer's size.
  void draw();

  /// Returns true if nothing moves, all input has been acted on and the picture is at its full quality.
  bool at_rest() const {
    return inputs_.empty() && stage_.at_rest() && strokes_.at_rest() && clip_.at_rest() && !saving_.runs() &&
           !open_.opens() && (!shows_strip() || thumbnails_.at_rest());
  }
  /// Returns the seconds that the next frame may wait for somebody to do something.
  double patience() const;
  bool wants_close() const { return wants_close_; }
  glm::ivec2 size() const { return size_; }
  glm::ivec2 size_in_points() const { return glm::round(glm::dvec2(size_) / scale_); }
  /// Returns what the panels and the picture take of the window.
  Layout layout() const {
    return layout_of(open_.state, size_, panels_.letter(), open_.is_empty() && !opening_.opens(),
                     clip_.on()      ? Below::time
                     : shows_strip() ? Below::strip
                                     : Below::nothing);
  }
  Placement placement() const { return {open_.state, layout().picture, glm::dvec2(open_.size())}; }
  /// Returns true if the folder's photos are shown along the bottom.
  bool shows_strip() const {
    return open_.state.strip > 0 && !clip_.on() && !open_.is_scene() && open_.album().size() > 1;
  }
  /// Returns what is shown, in one line: the window's title.
  std::string title() const;
  /// Returns what Ctrl+C has copied since the last call.
  std::optional<std::string> take_copied();

  // Actions of keys and panels.
  /// Closes the viewer once nothing is being saved; where work is not saved it asks, once.
  void close();
  void close_at_once() { wants_close_ = true; }
  void save_and_close();
  /// Leaves the innermost of a question, an open list, the choice of a plane, the help and the full screen;
  /// never the viewer.
  void leave();
  void ask_open();
  void ask_save();
  void save();
  void save_to(const std::filesystem::path& output);
  void save_clip();
  void copy_command();
  void toggle(double ViewState::*value) { open_.state.*value = open_.state.*value > 0 ? 0 : 1; }
  /// Lets the pointer draw depth, or not.
  void toggle_strokes();
  void reload_shaders();
  void autofocus();

  /// Returns what the person waits for, once that takes longer than half a second: "Reading photo.jpg".
  /// Nothing is known of how long it will take.
  std::string waits_for() const;
  /// Returns the seconds since somebody began to wait for it.
  double waited() const { return waited_; }
  /// Returns the opacity of the words about the first click: 1, and less after it.
  double hint_opacity() const { return hint_; }
  /// Returns true while files are dragged over the window, if the window system says so.
  bool is_dragged_over() const { return dragged_over_; }
  glm::dvec2 pointer() const { return pointer_; }
  bool pointer_inside() const;
  PointerShape pointer_shape() const;

 private:
  /// A press of a button, and what its drag does.
  struct Press {
    enum class Does { nothing, undecided, pan, orbit, wipe, draw };
    Does does = Does::nothing;
    bool on_panels = false;
    MouseButton button = MouseButton::left;
    int modifiers = 0;
    glm::dvec2 at = {0, 0};
  };

  void act_on_inputs();
  void act(const Input& input);
  void press(const ButtonChanged& button);
  void move(glm::dvec2 to);
  void scroll(const Scrolled& scrolled);
  void press_key(const KeyChanged& key);
  void type(const Typed& typed);
  void begin_drag();
  void release(const ButtonChanged& button);
  void click();
  void take_dropped(const std::vector<std::filesystem::path>& files);
  void look_for_changes(double seconds);
  void once_saved(std::function<void()> work);
  bool may_save();
  void focus_at(std::optional<glm::dvec2> pixel);
  bool is_on_wipe() const;  ///< true if the pointer is

  const GlContext& gl_;
  Context& compute_;
  Notices notices_;
  Stage stage_;
  Opened open_;
  StrokeMode strokes_;
  ClipMode clip_;
  PlaneMode plane_;
  Opening opening_;
  Saving saving_;
  Thumbnails thumbnails_;
  std::unique_ptr<PictureView> picture_view_;
  PanelContext panels_;
  std::unique_ptr<Painter> painter_;
  Questions questions_;

  std::deque<Input> inputs_;
  std::function<void()> once_saved_;  ///< inputs and files that are read wait for it; null: nothing
  bool closes_ = false;               ///< true if that closes the window
  glm::ivec2 size_{1, 1};
  double scale_ = 1;  ///< pixels per point
  glm::dvec2 pointer_{-1, -1};
  Press press_;
  std::chrono::steady_clock::time_point last_click_time_ = {};
  glm::dvec2 last_click_{-100, -100};
  int held_ = 0;              ///< keys and buttons
  bool begins_step_ = false;  ///< what the frame's inputs do is a step of its own for undo
  bool has_clicked_ = false, dragged_over_ = false;
  double waited_ = 0, rested_ = 0, hint_ = 1;
  double since_look_ = 0, seconds_ = 0;
  std::string copied_;
  bool close_is_asked_ = false;  ///< while a file is being saved
  bool wants_close_ = false;
};

/// A key and what it does, or another line of their list.
struct ViewerKey {
  std::string_view shown;  ///< "Ctrl+C"
  std::string_view help;   ///< empty if another key's help covers it
  std::string_view signs;  ///< each acts when typed, wherever the keyboard has it; empty: `key` acts
  Key key;
  int modifiers;
  bool repeats;                 ///< while it is held down
  void (*act)(Viewer& viewer);  ///< null: the line is a heading, or about the mouse

  bool is_heading() const { return shown.empty() && !act; }
};

/// Returns all keys, in the order in which help shows them.
std::span<const ViewerKey> viewer_keys();

/// Builds the frame's panels.
void build_panels(Viewer& viewer);

}  // namespace scanlens
