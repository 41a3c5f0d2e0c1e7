#include "app/viewer/viewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/io/file_mark.h"
#include "app/io/text.h"
#include "app/viewer/panel_parts.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr const char* kNothingOpen = "there is no picture yet: drop a photo here";

}  // namespace

Viewer::Viewer(const GlContext& gl, Context& compute, Talk& talk)
    : gl_(gl),
      compute_(compute),
      talk_(talk),
      model_(gl, compute, talk.settings),
      strokes_(model_, talk),
      clip_(model_, talk.settings),
      thumbnails_(talk.settings),
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

void Viewer::complain(std::string text) {
  // A failure that repeats in every frame is shown once.
  if (!notices_.empty() && notices_.back().text == text) notices_.pop_back();
  notices_.push_back({std::move(text), true, 12});
}

/// Names the photos that were passed over, on the terminal too: scripts show no notices.
void Viewer::tell_of_unreadable(const std::vector<std::string>& causes) {
  for (const std::string& cause : causes) {
    talk_.warn(cause);
    complain(cause);
  }
}

/// Returns true if there is a picture to work on; if not, a notice says why.
bool Viewer::can_act() {
  if (!model_.is_empty() && !model_.is_early()) return true;
  say(opens() ? printable(opens_file().filename().string()) + " is still being read" : kNothingOpen);
  return false;
}

/// Says so where a clip is being saved, which may take long: nothing else is saved meanwhile.
bool Viewer::is_busy_with_clip() {
  if (saves_clip()) say(fmt::format("{} is still being saved; Esc gives it up", saved_.string()));
  return saves_clip();
}

void Viewer::save() {
  if (!can_act() || is_busy_with_clip()) return;
  finish_saving();  // its name is free until its file is there
  try_to([&] { save_to(free_output(model_)); });
}

void Viewer::save_to(const std::filesystem::path& output) {
  if (is_busy_with_clip()) return;
  finish_saving();
  try_to([&] {
    strokes_.write_file();
    const ShownCommand command = shown_command(model_, output);
    if (command.empty()) return say("this is the photo as it is; there is nothing to save");
    start_saving(command, output);
  });
}

void Viewer::save_clip() {
  if (!clip_.on()) return say("this is no clip; S saves the picture");
  if (!can_act() || is_busy_with_clip()) return;
  finish_saving();
  try_to([&] {
    const std::filesystem::path output = free_clip_output(model_, clip_.has_written_container());
    const ShownCommand command = clip_command(model_, output);
    if (command.empty()) return say("this is the clip as it is; there is nothing to save");
    start_saving(command, output);
    saves_clip_ = true;
  });
}

void Viewer::start_saving(const ShownCommand& command, const std::filesystem::path& output) {
  if (model_.photo() && is_standard_stream(model_.photo()->file))
    throw Error("standard input cannot be read again: save the photo to a file and view that");
  if (program.empty()) throw Error("this program saves nothing: it is not scanlens itself");
  saving_.start(command.shell_text(program.string()));
  saved_ = output;
  saves_ = noted_;
  between_ = command.between;
  saves_clip_ = close_is_asked_ = false;
  saving_treatment_ = model_.treatment();
  say(fmt::format("saving {}: {}", output.string(), command.text()));
  talk_.say("command: " + command.text());
}

void Viewer::tell_of(const BackgroundCommand::Ended& end) {
  try_to([&] {
    std::error_code error;
    if (!between_.empty()) std::filesystem::remove(between_, error);
    if (!end.well && saving_.is_cancelled()) return say(saved_.string() + ": given up, and not written");
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
  else if (saves_clip())
    cancel_saving();
}

void Viewer::close() {
  if (saves_clip() && !std::exchange(close_is_asked_, true))
    return say(saved_.string() + " is still being saved; close again to give it up");
  if (saves_clip()) cancel_saving();
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
  if (!can_act() || is_busy_with_clip()) return;
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
  if (shows_strip()) {
    thumbnails_.want(files_in_strip(*this));
    thumbnails_.take();
  }
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
