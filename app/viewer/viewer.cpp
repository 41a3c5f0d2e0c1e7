#include "app/viewer/viewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <type_traits>
#include <utility>

#include "app/io/file_mark.h"
#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Points of text that the pointer may move in a click.
constexpr double kClickReach = 4;
/// Between the clicks of a double click; a slow frame may lie there, too.
constexpr std::chrono::milliseconds kDoubleClick(600);
/// Points from the wipe's line at which it is taken hold of.
constexpr double kWipeReach = 7;

constexpr const char* kNothingOpen = "there is no picture yet: drop a photo here";

}  // namespace

Viewer::Viewer(const GlContext& gl, Context& compute, const Session& session)
    : gl_(gl),
      compute_(compute),
      session_(session),
      model_(gl, compute, session),
      strokes_(model_, session),
      clip_(model_, session),
      picture_view_(std::make_unique<PictureView>(gl, ShaderSources())),
      painter_(std::make_unique<Painter>(gl, ShaderSources())) {}

/// Does work that a person asks for. A failure is shown in the window.
void Viewer::try_to(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    failure_ = std::current_exception();
    complain(error.what());
  }
}

void Viewer::rethrow_failure() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

Placement Viewer::placement() const {
  return {model_.state, layout().picture, glm::dvec2(model_.size())};
}

bool Viewer::is_on_wipe() const {
  const double line = layout().picture.column(model_.state.wipe);
  return model_.state.wipe > 0 && std::abs(pointer_.x - line) <= kWipeReach * scale_;
}

PointerShape Viewer::pointer_shape() const {
  if (panels_.keeps_pointer()) return panels_.pointer_shape();
  return dragging_ == Dragging::wipe || is_on_wipe() ? PointerShape::sideways : PointerShape::arrow;
}

bool Viewer::pointer_inside() const {
  return pointer_.x >= 0 && pointer_.y >= 0 && pointer_.x < size_.x && pointer_.y < size_.y;
}

void Viewer::complain(std::string text) {
  // A failure that repeats in every frame is shown once.
  if (!notices_.empty() && notices_.back().text == text) notices_.pop_back();
  notices_.push_back({std::move(text), true, 12});
}

/// Names the photos that were passed over, on the terminal too: scripts show no notices.
void Viewer::tell_of_unreadable(const std::vector<std::string>& causes) {
  for (const std::string& cause : causes) {
    session_.warn(cause);
    complain(cause);
  }
}

/// Returns true if there is a picture to work on; if not, a notice says why.
bool Viewer::can_act() {
  if (!model_.is_empty() && !model_.is_early()) return true;
  say(opens() ? printable(opens_file().filename().string()) + " is still being read" : kNothingOpen);
  return false;
}

void Viewer::save() {
  if (!can_act()) return;
  finish_saving();  // its name is free until its file is there
  try_to([&] { save_to(free_output(model_)); });
}

void Viewer::save_to(const std::filesystem::path& output) {
  finish_saving();
  try_to([&] {
    strokes_.write_file();
    const ShownCommand command = shown_command(model_, output);
    if (command.empty()) return say("this is the photo as it is; there is nothing to save");
    if (model_.photo() && is_standard_stream(model_.photo()->file))
      throw Error("standard input cannot be read again: save the photo to a file and view that");
    if (program.empty()) throw Error("this program saves nothing: it is not scanlens itself");
    saving_.start(command.shell_text(program.string()));
    saved_ = output;
    saves_ = noted_;
    saving_treatment_ = model_.treatment();
    say(fmt::format("saving {}: {}", output.string(), command.text()));
    session_.say("command: " + command.text());
  });
}

void Viewer::tell_of(const BackgroundCommand::Ended& end) {
  try_to([&] {
    if (!end.well) throw Error(fmt::format("{} is not written: {}", saved_.string(), end.said));
    mark_saved(saved_);
    if (const auto history = histories_.find(saves_); history != histories_.end() && saving_treatment_)
      history->second.mark_saved(*saving_treatment_);
    say(saved_.string() + ": written");
  });
}

void Viewer::finish_saving() {
  if (saving_.running()) tell_of(saving_.wait());
}

void Viewer::copy_command() {
  if (!can_act()) return;
  try_to([&] { strokes_.write_file(); });
  const bool is_clip = clip_.on() && model_.state.seen_view(model_.has_depth()) == ShownView::result;
  const ShownCommand command =
      is_clip ? clip_command(model_, free_clip_output(model_, clip_.has_written_container()))
              : shown_command(model_, free_output(model_));
  if (command.empty())
    return say(is_clip ? "this is the clip as it is; no command makes it"
                       : "this is the photo as it is; no command makes it");
  copied_ = command.text();
  say("copied: " + copied_);
}

std::optional<std::string> Viewer::take_copied() {
  if (copied_.empty()) return std::nullopt;
  return std::exchange(copied_, {});
}

void Viewer::reload_shaders() {
  try_to([&] {
    const ShaderSources sources;
    auto view = std::make_unique<PictureView>(gl_, sources);
    auto painter = std::make_unique<Painter>(gl_, sources);
    model_.reload_shaders();
    picture_view_ = std::move(view);
    painter_ = std::move(painter);
    say("shaders reloaded");
  });
}

void Viewer::autofocus() {
  if (can_act()) try_to([&] { model_.autofocus(); });
}

std::string Viewer::title() const {
  if (opens() && model_.is_empty()) return printable(opens_file().filename().string()) + " - scanlens";
  if (model_.is_scene()) return fmt::format("{} - scanlens", model_.scene()->traits().name);
  if (!model_.photo()) return "scanlens";
  const std::string name = printable(model_.photo()->file.filename().string());
  // A step to a photo that could not be shown leaves the one before.
  const bool has_place = model_.album().size() > 1 && model_.album().shown() == model_.photo()->file;
  if (!has_place) return name + " - scanlens";
  return fmt::format("{} ({} of {}) - scanlens", name, model_.album().place() + 1, model_.album().size());
}

void Viewer::input(const Input& input) {
  // A key that is held down repeats itself faster than slow frames act on it, and must not go on afterwards.
  const auto waits = [&]<class What>(const What& what) {
    if constexpr (std::is_same_v<What, KeyChanged> || std::is_same_v<What, Typed>)
      return what.repeated && std::any_of(inputs_.begin(), inputs_.end(), [](const Input& waiting) {
               const auto* const same = std::get_if<What>(&waiting);
               return same && same->repeated;
             });
    else
      return false;
  };
  if (!std::visit(waits, input)) inputs_.push_back(input);
}

void Viewer::leave() {
  ViewState& state = model_.state;
  if (questions_.any())
    questions_.end();
  else if (panels_.list_is_open())
    panels_.close_list();
  else if (state.help > 0)
    state.help = 0;
  else if (state.full_screen > 0)
    state.full_screen = 0;
}

void Viewer::close() {
  finish_saving();  // what is being saved need not be asked for
  if (questions_.kind() == Questions::Kind::close || unsaved().empty()) return close_at_once();
  questions_.ask_close();
}

void Viewer::save_and_close() {
  questions_.end();
  save();
  finish_saving();
  close();
}

std::string Viewer::unsaved() const {
  std::string names;
  for (const auto& [file, history] : histories_)
    if (!history.is_saved()) names += (names.empty() ? "" : ", ") + printable(file.filename().string());
  return names;
}

void Viewer::ask_open() {
  questions_.ask_open(model_.photo() ? model_.photo()->file.parent_path() : std::filesystem::path());
}

void Viewer::ask_save() {
  if (!can_act()) return;
  finish_saving();
  questions_.ask_save(free_output(model_));
}

void Viewer::show_step(const Treatment* step) {
  if (step && !model_.is_early()) try_to([&] { model_.restore(*step); });
}

void Viewer::undo() {
  if (const auto known = histories_.find(noted_); known != histories_.end()) show_step(known->second.undo());
}

void Viewer::redo() {
  if (const auto known = histories_.find(noted_); known != histories_.end()) show_step(known->second.redo());
}

/// Treats a photo that was shown before as it was left.
void Viewer::recall_treatment() {
  if (model_.is_empty() || model_.is_early()) return;
  const std::filesystem::path shown =
      model_.photo() ? model_.photo()->file : std::filesystem::path(model_.scene()->traits().name);
  if (shown == noted_) return;
  noted_ = shown;
  if (const auto known = histories_.find(noted_); known != histories_.end())
    show_step(&known->second.shown());
}

void Viewer::note_treatment() {
  if (model_.is_empty() || model_.is_early()) return;
  const Treatment now = model_.treatment();
  const auto [history, is_new] = histories_.try_emplace(noted_, now);
  if (std::exchange(begins_step_, false)) history->second.end_step();
  if (!is_new) history->second.note(now, held_ > 0);
  // A scene is a toy: nothing in it is anybody's work.
  if (model_.is_scene()) history->second.mark_saved(now);
}

/// Takes as many inputs as panels can tell apart in a frame: one change of a button or a key. A button or a
/// drop behind a move waits, because the thing under the pointer is known from the next frame on.
void Viewer::act_on_inputs() {
  bool moved = false, changed = false;
  while (!inputs_.empty()) {
    const bool of_button = std::holds_alternative<ButtonChanged>(inputs_.front());
    const bool of_key = std::holds_alternative<KeyChanged>(inputs_.front());
    const bool of_place = of_button || std::holds_alternative<Dropped>(inputs_.front());
    if (((of_button || of_key) && changed) || (of_place && moved)) return;
    changed = changed || of_button || of_key;
    moved = moved || std::holds_alternative<PointerMoved>(inputs_.front());
    const Input input = std::move(inputs_.front());
    inputs_.pop_front();
    panels_.input(input);
    if (const auto* const button = std::get_if<ButtonChanged>(&input)) held_ += button->down ? 1 : -1;
    if (const auto* const key = std::get_if<KeyChanged>(&input); key && !key->repeated)
      held_ += key->down ? 1 : -1;
    held_ = std::max(held_, 0);
    const bool pressed =
        (of_button && std::get<ButtonChanged>(input).down) ||
        (of_key && std::get<KeyChanged>(input).down && !std::get<KeyChanged>(input).repeated);
    begins_step_ = begins_step_ || pressed || std::holds_alternative<StrokeDrawn>(input);
    act(input);
  }
}

void Viewer::act(const Input& input) {
  std::visit(
      [&]<class What>(const What& what) {
        if constexpr (std::is_same_v<What, PointerMoved>)
          move({what.x, what.y});
        else if constexpr (std::is_same_v<What, ButtonChanged>)
          what.down ? press(what) : release(what);
        else if constexpr (std::is_same_v<What, Scrolled>)
          scroll(what);
        else if constexpr (std::is_same_v<What, KeyChanged>)
          press_key(what);
        else if constexpr (std::is_same_v<What, Typed>)
          type(what);
        else if constexpr (std::is_same_v<What, Dropped>)
          take_dropped(what.files);
        else if constexpr (std::is_same_v<What, DraggedOver>)
          dragged_over_ = what.inside;
        else if constexpr (std::is_same_v<What, Resized>) {
          size_ = {std::max(what.width, 1), std::max(what.height, 1)};
          scale_ = what.scale;
        } else if constexpr (std::is_same_v<What, StrokeDrawn>)
          try_to([&] { strokes_.draw(what.words); });
        else if constexpr (std::is_same_v<What, SeekAsked>)
          try_to([&] { clip_.seek(what.moment); });
        else if constexpr (std::is_same_v<What, CloseAsked>)
          close_at_once();  // a script knows what it does
      },
      input);
}

void Viewer::press(const ButtonChanged& button) {
  panels_keep_drag_ = panels_.keeps_pointer();
  if (panels_keep_drag_) return;
  button_ = button.button;
  modifiers_ = button.modifiers;
  pressed_at_ = pointer_;
  dragging_ = is_on_wipe() && button_ == MouseButton::left    ? Dragging::wipe
              : strokes_.press(button, placement(), pointer_) ? Dragging::draw
                                                              : Dragging::undecided;
  if (dragging_ == Dragging::draw) has_clicked_ = true;
}

/// Decides what a drag does, once it is one: scenes turn by the left button, all else moves the picture.
void Viewer::begin_drag() {
  const bool turns = model_.is_scene() && button_ == MouseButton::left && !(modifiers_ & kShift);
  dragging_ = turns ? Dragging::orbit : Dragging::pan;
}

void Viewer::move(glm::dvec2 to) {
  const glm::dvec2 from = dragging_ == Dragging::undecided ? pressed_at_ : pointer_;
  const glm::dvec2 by = to - from;
  if (dragging_ == Dragging::undecided) {
    if (glm::length(by) <= kClickReach * scale_) {
      pointer_ = to;
      return;
    }
    begin_drag();
  }
  pointer_ = to;
  ViewState& state = model_.state;
  switch (dragging_) {
    case Dragging::wipe:
      state.wipe = std::clamp(layout().picture.share_at(to.x), 0.001, 1.0);
      return;
    case Dragging::orbit:
      set_camera(state, orbited(camera_of(state), glm::vec2(by)));
      return;
    case Dragging::pan:
      if (model_.is_scene() && state.zoom <= 0)
        set_camera(state,
                   panned(camera_of(state), glm::vec2(by), model_.scene()->lens(state), model_.size().x));
      else
        placement().pan(state, by);
      return;
    case Dragging::draw:
      strokes_.move(placement(), to);
      return;
    case Dragging::nothing:
    case Dragging::undecided:
      return;
  }
}

void Viewer::release(const ButtonChanged& button) {
  const bool clicked = dragging_ == Dragging::undecided && button.button == button_;
  if (dragging_ == Dragging::draw) strokes_.release(placement());
  dragging_ = Dragging::nothing;
  if (panels_keep_drag_ || !clicked || button_ != MouseButton::left) return;
  const auto now = std::chrono::steady_clock::now();
  const bool twice =
      now - last_click_time_ < kDoubleClick && glm::length(pointer_ - last_click_) <= kClickReach * scale_;
  last_click_time_ = twice ? std::chrono::steady_clock::time_point() : now;
  last_click_ = pointer_;
  if (twice && !model_.is_scene()) {
    model_.state.zoom == 0 ? placement().zoom_at(model_.state, pointer_, 1 / placement().zoom())
                           : void(model_.state.zoom = 0);
    return;
  }
  const glm::dvec2 pixel = placement().to_picture(pointer_);
  if (!placement().holds(pointer_)) return;
  has_clicked_ = true;
  if (strokes_.on()) return;
  if (opens()) return void(focus_later_ = pixel);
  if (!model_.has_depth())
    return say(clip_.on()
                   ? kClipWithoutDepth
                   : "this photo has no depth: press D and draw it, or drop its depth map onto the panels");
  try_to([&] { model_.focus_at(pixel); });
}

void Viewer::scroll(const Scrolled& scrolled) {
  if (panels_.keeps_pointer() || strokes_.scroll(scrolled, placement(), pointer_)) return;
  constexpr double kPerNotch = 1.15;
  const double factor = std::pow(kPerNotch, scrolled.notches);
  if (model_.is_scene() && !(scrolled.modifiers & kControl))
    set_camera(model_.state, dollied(camera_of(model_.state), 1 / factor));
  else
    placement().zoom_at(model_.state, pointer_, factor);
}

void Viewer::press_key(const KeyChanged& key) {
  if (!key.down) return;
  if (questions_.any()) {
    // Closing twice closes without an answer.
    const bool closes = key.key == 'Q' && (questions_.kind() == Questions::Kind::close);
    return closes ? close() : questions_.press(*this, key.key);
  }
  if (panels_.keeps_keys() || strokes_.press_key(key)) return;
  for (const ViewerKey& known : viewer_keys())
    if (known.act && known.signs.empty() && known.key == key.key && known.modifiers == key.modifiers &&
        (known.repeats || !key.repeated))
      return known.act(*this);
}

void Viewer::type(const Typed& typed) {
  // Layouts without ASCII letters have letters of their own in the places of signs.
  const char character = typed.character > '~' ? typed.us_sign : static_cast<char>(typed.character);
  if (panels_.keeps_keys() || questions_.any() || character == 0 || strokes_.type(character)) return;
  for (const ViewerKey& known : viewer_keys())
    if (known.signs.find(character) != std::string_view::npos && (known.repeats || !typed.repeated))
      return known.act(*this);
}

/// Looks now and then whether the photo's files have changed, and whether what is being saved is there.
void Viewer::look_for_changes(double seconds) {
  constexpr double kEvery = 0.5;
  since_look_ += seconds;
  if (const std::optional<BackgroundCommand::Ended> end = saving_.poll()) tell_of(*end);
  if (since_look_ < kEvery) return;
  since_look_ = 0;
  try_to([&] {
    if (!opens() && model_.reload_if_changed()) say("read again: the file has changed");
  });
  // A program that replaces a file may take it away for a moment.
  constexpr int kLooks = 3;
  looks_in_vain_ = model_.photo() && model_.photo()->is_gone() ? looks_in_vain_ + 1 : 0;
  if (looks_in_vain_ == kLooks)
    complain(input_name(model_.photo()->file) + " is there no more; what is shown was read before");
}

void Viewer::advance(double seconds) {
  seconds_ = seconds;
  for (Notice& notice : notices_) notice.seconds_left -= seconds;
  std::erase_if(notices_, [](const Notice& notice) { return notice.seconds_left <= 0; });
  rested_ = at_rest() && notices_.empty() ? rested_ + seconds : 0;
  act_on_inputs();
  arrive(!model_.shows_at_once);
  constexpr double kFading = 0.5;
  if (has_clicked_) hint_ = std::max(hint_ - seconds / kFading, 0.0);
  const bool waits = opens() || saving_.running() || strokes_.makes_depth() || clip_.seeks();
  waited_ = waits ? waited_ + seconds : 0;
  look_for_changes(seconds);
  recall_treatment();
  try_to([&] { strokes_.advance(seconds); });
  clip_.advance(seconds);
  tell_of_unreadable(clip_.take_said());
  panels_.set_dark(model_.state.dark > 0);
  panels_.set_text_size(model_.state.text_size / 100);
  model_.times().begin_frame();
  try_to([&] {
    model_.update(seconds, layout().picture);
    if (model_.state.histogram > 0) model_.make_histogram();
  });
  focus_as_clicked();
  note_treatment();
}

void Viewer::draw() {
  StageTimes& times = model_.times();
  times.begin(Stage::show);
  const Shown& shown = model_.shown();
  if (shown.image)
    picture_view_->draw(shown, model_.state, size_, layout().picture);
  else
    picture_view_->clear(model_.state);
  times.end(Stage::show);
  times.begin(Stage::panels);
  if (panels_.fonts_changed()) painter_->make_fonts();
  panels_.begin_frame(seconds_);
  build_panels(*this);
  painter_->draw(panels_.end_frame());
  times.end(Stage::panels);
  times.end_frame();
}

}  // namespace scanlens
