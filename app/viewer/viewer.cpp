#include "app/viewer/viewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/io/text.h"
#include "app/viewer/panel_parts.h"

namespace scanlens {

Viewer::Viewer(const GlContext& gl, Context& compute, Talk& talk)
    : gl_(gl),
      compute_(compute),
      stage_(gl, compute, talk.settings, open_),
      open_(stage_, compute, talk.settings),
      strokes_(open_, talk),
      clip_(open_, talk.settings),
      plane_(open_, stage_, notices_),
      opening_(open_, clip_, notices_, talk),
      saving_(open_, clip_, strokes_, notices_, talk),
      thumbnails_(talk.settings),
      picture_view_(std::make_unique<PictureView>(gl, ShaderSources())),
      painter_(std::make_unique<Painter>(gl, ShaderSources())) {}

/// Does this once nothing is being saved. Scripts wait for it.
void Viewer::once_saved(std::function<void()> work) {
  if (!open_.shows_at_once) saving_.finish();
  saving_.runs() ? void(once_saved_ = std::move(work)) : work();
}

/// Returns true if what is seen can be saved; if not, a notice says why. A clip may take long.
bool Viewer::may_save() {
  if (!opening_.is_done()) return false;
  if (!saving_.saves_clip()) return true;
  notices_.say(saving_.file().string() + " is still being saved; Esc gives it up");
  return false;
}

void Viewer::save() {
  if (may_save()) once_saved([this] { saving_.save(); });
}

void Viewer::save_to(const std::filesystem::path& output) {
  if (may_save()) once_saved([this, output] { saving_.save_to(output); });
}

void Viewer::save_clip() {
  if (!clip_.on()) return notices_.say("this is no clip; S saves the picture");
  if (!may_save()) return;
  close_is_asked_ = false;
  once_saved([this] { saving_.save_clip(); });
}

void Viewer::copy_command() {
  if (!opening_.is_done()) return;
  const std::optional<std::string> command = saving_.command();
  if (!command) return;
  copied_ = *command;
  notices_.say("copied: " + copied_);
}

std::optional<std::string> Viewer::take_copied() {
  if (copied_.empty()) return std::nullopt;
  return std::exchange(copied_, {});
}

void Viewer::reload_shaders() {
  notices_.try_to([&] {
    const ShaderSources sources;
    auto view = std::make_unique<PictureView>(gl_, sources);
    auto painter = std::make_unique<Painter>(gl_, sources);
    stage_.reload_shaders();
    picture_view_ = std::move(view);
    painter_ = std::move(painter);
    notices_.say("shaders reloaded");
  });
}

void Viewer::autofocus() {
  if (!opening_.is_done()) return;
  notices_.try_to([&] {
    if (const std::optional<float> sharpest = stage_.sharpest()) open_.focus_on(*sharpest);
  });
}

void Viewer::toggle_strokes() {
  if (clip_.on())
    return notices_.say(
        "strokes are for photos; a clip takes depth of each frame, a clip dropped onto the panels");
  strokes_.toggle();
}

std::string Viewer::title() const {
  if (opening_.opens() && open_.is_empty())
    return printable(opening_.file().filename().string()) + " - scanlens";
  if (open_.is_scene()) return fmt::format("{} - scanlens", open_.scene()->name);
  if (!open_.photo()) return "scanlens";
  const std::string name = printable(open_.photo()->file.filename().string());
  // A step to a photo that could not be shown leaves the one before.
  const bool has_place = open_.album().size() > 1 && open_.album().shown() == open_.photo()->file;
  if (!has_place) return name + " - scanlens";
  return fmt::format("{} ({} of {}) - scanlens", name, open_.album().place() + 1, open_.album().size());
}

void Viewer::leave() {
  ViewState& state = open_.state;
  if (questions_.any())
    questions_.end();
  else if (panels_.list_is_open())
    panels_.close_list();
  else if (plane_.on())
    plane_.end();
  else if (state.help > 0)
    state.help = 0;
  else if (state.full_screen > 0)
    state.full_screen = 0;
  else if (saving_.saves_clip())
    saving_.cancel();
}

void Viewer::close() {
  if (once_saved_) {
    if (std::exchange(closes_, true)) return close_at_once();  // asked for again
    once_saved_ = [this, first = std::move(once_saved_)] {
      closes_ = false;
      first();
      close();
    };
    return;
  }
  if (saving_.saves_clip() && !std::exchange(close_is_asked_, true))
    return notices_.say(saving_.file().string() + " is still being saved; close again to give it up");
  if (saving_.saves_clip()) saving_.cancel();
  closes_ = true;
  once_saved([this] {  // what is being saved need not be asked for
    closes_ = false;
    const bool answered = questions_.kind() == Questions::Kind::close;
    answered || open_.unsaved().empty() ? close_at_once() : questions_.ask_close();
  });
}

void Viewer::save_and_close() {
  questions_.end();
  if (!may_save()) return;
  closes_ = true;
  once_saved([this] {
    closes_ = false;
    saving_.save();
    close();
  });
}

void Viewer::ask_open() {
  questions_.ask_open(open_.photo() ? open_.photo()->file.parent_path() : std::filesystem::path());
}

void Viewer::ask_save() {
  if (may_save()) once_saved([this] { questions_.ask_save(free_output(open_)); });
}

/// Looks now and then whether the photo's files have changed.
void Viewer::look_for_changes(double seconds) {
  constexpr double kEvery = 0.5;
  since_look_ += seconds;
  if (since_look_ < kEvery) return;
  since_look_ = 0;
  notices_.try_to([&] { opening_.look_for_changes(); });
}

void Viewer::advance(double seconds) {
  seconds_ = seconds;
  notices_.pass(seconds);
  rested_ = at_rest() && notices_.shown().empty() ? rested_ + seconds : 0;
  saving_.look();
  if (once_saved_ && !saving_.runs()) std::exchange(once_saved_, {})();
  act_on_inputs();
  if (!once_saved_) opening_.arrive(!open_.shows_at_once);
  constexpr double kFading = 0.5;
  if (has_clicked_) hint_ = std::max(hint_ - seconds / kFading, 0.0);
  const bool waits = opening_.opens() || saving_.runs() || strokes_.makes_depth() || clip_.seeks();
  waited_ = waits ? waited_ + seconds : 0;
  if (!once_saved_) look_for_changes(seconds);
  open_.recall_treatment();
  notices_.try_to([&] { strokes_.advance(seconds); });
  clip_.advance(seconds);
  plane_.look();
  opening_.tell_of(clip_.take_said());
  panels_.set_dark(open_.state.dark > 0);
  panels_.set_text_size(open_.state.text_size / 100);
  if (shows_strip()) {
    thumbnails_.want(files_in_strip(*this));
    thumbnails_.take();
  }
  stage_.times().begin_frame();
  open_.advance(seconds, layout().picture);
  notices_.try_to([&] {
    stage_.update(seconds);
    if (open_.state.histogram > 0) stage_.make_histogram();
  });
  if (stage_.shown().image) focus_at(opening_.take_focus());
  open_.note_treatment(std::exchange(begins_step_, false), held_ > 0);
}

void Viewer::draw() {
  StageTimes& times = stage_.times();
  times.begin(FrameStage::show);
  const Shown& shown = stage_.shown();
  if (shown.image)
    picture_view_->draw(shown, open_.state, size_, layout().picture);
  else
    picture_view_->clear(open_.state);
  times.end(FrameStage::show);
  times.begin(FrameStage::panels);
  if (panels_.fonts_changed()) painter_->make_fonts();
  panels_.begin_frame(seconds_);
  build_panels(*this);
  painter_->draw(panels_.end_frame());
  times.end(FrameStage::panels);
  times.end_frame();
}

std::string Viewer::waits_for() const {
  constexpr double kSoon = 0.5;
  if (stage_.is_about_to_take_long()) return "Making the full picture";
  if (waited_ < kSoon) return "";
  if (opening_.opens())
    return fmt::format("Reading {}{}", open_.is_early() ? "the depth of " : "", short_name(opening_.file()));
  if (clip_.seeks()) return fmt::format("Going to frame {}", clip_.target());
  if (saving_.runs()) return "Saving " + short_name(saving_.file()) + saving_.progress();
  if (strokes_.guesses()) return "Guessing how far things are";
  if (strokes_.makes_depth()) return "Making depth of the strokes";
  return "";
}

double Viewer::patience() const {
  constexpr double kAtRest = 0.1, kWhileWaiting = 0.05;
  // Tooltips come while the pointer rests. Later a frame only looks for files that have changed.
  constexpr double kLong = 2, kAtLongRest = 0.5;
  if (at_rest() && notices_.shown().empty()) return rested_ < kLong ? kAtRest : kAtLongRest;
  if (clip_.playing() && inputs_.empty()) return clip_.patience();
  const bool only_waits = inputs_.empty() && (opening_.opens() || saving_.runs() || clip_.seeks()) &&
                          (stage_.at_rest() || open_.is_early() || open_.is_empty());
  return only_waits ? kWhileWaiting : 0;
}

}  // namespace scanlens
