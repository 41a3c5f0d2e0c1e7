// The viewer: takes what a person does, draws frames. It knows no window; window.cpp and headless.cpp
// have one each.
#pragma once

#include <chrono>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/clip/clip_mode.h"
#include "app/viewer/layout.h"
#include "app/viewer/model/model.h"
#include "app/viewer/model/thumbnails.h"
#include "app/viewer/panel_context.h"
#include "app/viewer/parts/painter.h"
#include "app/viewer/parts/picture_view.h"
#include "app/viewer/questions.h"
#include "app/viewer/script/input.h"
#include "app/viewer/shown_command.h"
#include "app/viewer/strokes/stroke_mode.h"
#include "core/error.h"

namespace scanlens {

/// Something to be said in the window for a few seconds.
struct Notice {
  std::string text;
  bool warning = false;
  double seconds_left = 6;
};

/// Belongs to the OpenGL context and the computing one, which must not be moved. One at a time.
class Viewer {
 public:
  Viewer(const GlContext& gl, Context& compute, Talk& talk);

  ViewerModel& model() { return model_; }
  const ViewerModel& model() const { return model_; }
  const GlContext& gl() const { return gl_; }
  const Context& compute() const { return compute_; }

  std::filesystem::path program;  ///< scanlens, whose command lines save; empty: nothing is saved
  bool shows_notices = true;      ///< false for a picture alone

  /// Takes what a person does; the next frames act on it, in turn.
  void input(const Input& input);

  /// Acts on the input so far, goes on by `seconds` and makes the next frame's picture.
  void advance(double seconds);

  /// Draws that frame into the bound framebuffer, which has the viewer's size.
  void draw();

  /// Throws the failure of the last frame, or of a file. For callers whose notices nobody sees.
  void rethrow_failure();

  /// Returns true if nothing moves, all input has been acted on and the picture is at its full quality.
  bool at_rest() const {
    return inputs_.empty() && model_.at_rest() && strokes_.at_rest() && clip_.at_rest() &&
           !saving_.running() && !model_.opens() && (!shows_strip() || thumbnails_.at_rest());
  }
  /// Returns the seconds that the next frame may wait for somebody to do something.
  double patience() const;
  bool wants_close() const { return wants_close_; }
  glm::ivec2 size() const { return size_; }
  /// Returns what the panels and the picture take of the window.
  Layout layout() const {
    return layout_of(model_.state, size_, panels_.letter(), model_.is_empty() && !opens(),
                     clip_.on()      ? Below::time
                     : shows_strip() ? Below::strip
                                     : Below::nothing);
  }
  /// Returns true if the folder's photos are shown along the bottom.
  bool shows_strip() const {
    return model_.state.strip > 0 && !clip_.on() && !model_.is_scene() && model_.album().size() > 1;
  }
  const Thumbnails& thumbnails() const { return thumbnails_; }
  glm::ivec2 size_in_points() const { return glm::round(glm::dvec2(size_) / scale_); }

  /// Returns what is shown, in one line: the window's title.
  std::string title() const;
  /// Returns what Ctrl+C has copied since the last call.
  std::optional<std::string> take_copied();

  // Actions of keys and panels.
  /// Closes the viewer; where work is not saved it asks, once.
  void close();
  void close_at_once() { wants_close_ = true; }
  void save_and_close();
  /// Leaves the innermost of a question, an open list, the help and the full screen; never the viewer.
  void leave();
  void undo();
  void redo();
  void ask_open();
  void ask_save();
  /// Returns the names of the photos whose treatment is not saved: "a.jpg, b.jpg".
  std::string unsaved() const;
  void toggle(double ViewState::*value) { model_.state.*value = model_.state.*value > 0 ? 0 : 1; }
  void step(std::ptrdiff_t by);
  void open(const std::vector<std::filesystem::path>& files);
  /// Opens the album that the program was started for, while the window is there already. `judge` may refuse
  /// its first photo, `opened` is called when that is shown. Where that cannot be read the window says so;
  /// with nobody at the window `advance` throws the failure.
  void open_named(Album album, std::function<void(const ViewedPhoto&)> judge, std::function<void()> opened);
  /// Waits for what was opened so.
  void wait_for_named() { arrive(true); }
  /// Opens the clip that the program was started for, as `open_named` does an album.
  void open_clip(ClipToView clip, std::function<void(const ViewedPhoto&)> judge,
                 std::function<void()> opened);
  /// Returns true if something is being read to be shown next; and its name.
  bool opens() const { return model_.opens() || clip_.opens(); }
  std::filesystem::path opens_file() const {
    return clip_.opens() ? clip_.opens_file() : model_.opens_file();
  }
  /// Lets the pointer draw depth, or no more.
  void toggle_strokes();
  void take_depth(const std::filesystem::path& file);
  /// Reads the photo's depth by the network that is found.
  void take_network();
  const std::filesystem::path& network() const { return network_; }
  /// Saves under a name that is free.
  void save();
  void save_to(const std::filesystem::path& output);
  /// Saves the whole clip under a name that is free.
  void save_clip();
  /// Returns true while a clip is being saved.
  bool saves_clip() const { return saving_.running() && saves_clip_; }
  /// Ends the saving of a clip, which leaves no file.
  void cancel_saving() { saving_.cancel(); }
  void copy_command();
  void reload_shaders();
  void autofocus();
  /// Waits until a file that is being saved is complete, and says so.
  void finish_saving();
  void say(std::string text) { notices_.push_back({std::move(text)}); }
  void complain(std::string text);

  /// Returns what the person waits for, once that takes longer than half a second: "Reading photo.jpg".
  /// Nothing is known of how long it will take.
  std::string waits_for() const;
  /// Returns the opacity of the words about the first click: 1, and less after it.
  double hint_opacity() const { return hint_; }
  /// Returns true while files are dragged over the window, if the window system says so.
  bool is_dragged_over() const { return dragged_over_; }
  /// Returns the seconds since somebody began to wait for it.
  double waited() const { return waited_; }

  StrokeMode& strokes() { return strokes_; }
  const StrokeMode& strokes() const { return strokes_; }
  ClipMode& clip() { return clip_; }
  const ClipMode& clip() const { return clip_; }
  Placement placement() const;
  Questions& questions() { return questions_; }
  const std::deque<Notice>& notices() const { return notices_; }
  glm::dvec2 pointer() const { return pointer_; }
  bool pointer_inside() const;
  PointerShape pointer_shape() const;

 private:
  /// Effect of a drag of the pointer.
  enum class Dragging { nothing, undecided, pan, orbit, wipe, draw };

  void try_to(const std::function<void()>& work);
  void act_on_inputs();
  void act(const Input& input);
  void press(const ButtonChanged& button);
  void move(glm::dvec2 to);
  void scroll(const Scrolled& scrolled);
  void press_key(const KeyChanged& key);
  void type(const Typed& typed);
  void begin_drag();
  void release(const ButtonChanged& button);
  bool can_act();
  void arrive(bool wait);
  void arrive_clip(bool wait);
  void focus_as_clicked();
  void take_dropped(const std::vector<std::filesystem::path>& files);
  void show_named(ViewedPhoto photo);
  void look_for_changes(double seconds);
  void start_saving(const ShownCommand& command, const std::filesystem::path& output);
  bool is_busy_with_clip();
  void tell_of(const BackgroundCommand::Ended& end);
  void tell_of_named(const std::filesystem::path& file, const Error& error);
  void tell_of_unreadable(const std::vector<std::string>& causes);
  void show_step(const Treatment* step);
  void recall_treatment();
  void note_treatment();
  bool is_on_wipe() const;  ///< true if the pointer is

  const GlContext& gl_;
  Context& compute_;
  Talk& talk_;
  ViewerModel model_;
  StrokeMode strokes_;
  ClipMode clip_;
  Thumbnails thumbnails_;
  std::unique_ptr<PictureView> picture_view_;
  PanelContext panels_;
  std::unique_ptr<Painter> painter_;

  std::map<std::filesystem::path, History>
      histories_;                ///< of each photo that was shown; a scene's by its name
  std::filesystem::path noted_;  ///< whose treatment is shown
  bool opens_named_ = false;     ///< what the program was started for; its faults end the program
  std::function<void(const ViewedPhoto&)> judge_named_;  ///< see open_named; none once that is done
  std::function<void()> opened_named_;
  std::optional<glm::dvec2> focus_later_;  ///< a pixel that was clicked before its depth was there
  double waited_ = 0, rested_ = 0, hint_ = 1;
  bool has_clicked_ = false, dragged_over_ = false;
  int held_ = 0;              ///< keys and buttons
  bool begins_step_ = false;  ///< what the frame's inputs do is a step of its own for undo
  Questions questions_;

  std::deque<Input> inputs_;
  std::deque<Notice> notices_;
  glm::ivec2 size_{1, 1};
  double scale_ = 1;  ///< pixels per point
  glm::dvec2 pointer_{-1, -1}, pressed_at_{0, 0};
  bool panels_keep_drag_ = false;
  MouseButton button_ = MouseButton::left;
  int modifiers_ = 0;
  Dragging dragging_ = Dragging::nothing;
  double since_look_ = 0, seconds_ = 0;
  int looks_in_vain_ = 0;  ///< for the photo's file
  std::chrono::steady_clock::time_point last_click_time_ = {};
  glm::dvec2 last_click_{-100, -100};
  const std::filesystem::path network_ = found_network();
  BackgroundCommand saving_;
  std::filesystem::path saved_, saves_;  ///< the file that is being written, and its photo
  std::filesystem::path between_;        ///< a file on the way there; empty for none
  bool saves_clip_ = false;
  bool close_is_asked_ = false;  ///< while a clip is being saved
  std::optional<Treatment> saving_treatment_;
  std::string copied_;
  bool wants_close_ = false;
  std::exception_ptr failure_;
};

/// The notice on a clip without depth.
inline constexpr const char* kClipWithoutDepth =
    "this clip has no depth, and nothing is blurred: drop a clip of its depth onto the panels, or name one "
    "with "
    "--depth";

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
