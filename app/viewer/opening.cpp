// Opens photos and maps while the window goes on.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/io/text.h"
#include "app/viewer/parts/drop_targets.h"
#include "app/viewer/viewer.h"
#include "core/error.h"

namespace scanlens {
namespace {

std::string name_of(const std::filesystem::path& file) {
  return is_standard_stream(file) ? input_name(file) : printable(file.filename().string());
}

}  // namespace

void Viewer::step(std::ptrdiff_t by) {
  if (clip_.on()) return clip_.step(by);
  focus_later_.reset();
  try_to([&] { model_.begin_step(by); });
  arrive(!model_.shows_at_once);
}

void Viewer::open(const std::vector<std::filesystem::path>& files) {
  focus_later_.reset();
  opens_named_ = false;
  if (files.size() == 1 && ClipMode::takes(files[0])) {
    try_to([&] { clip_.begin_open(files[0]); });
    return arrive(!model_.shows_at_once);
  }
  clip_.give_up();
  try_to([&] {
    PhotoOptions options = model_.photo_options();
    options.input.clear();
    options.depth.clear();
    options.lens = {};
    model_.begin_open(Album(files, options, talk_.settings));
  });
  arrive(!model_.shows_at_once);
}

void Viewer::open_named(Album album, std::function<void(const ViewedPhoto&)> judge,
                        std::function<void()> opened) {
  opens_named_ = true;
  judge_named_ = std::move(judge);
  opened_named_ = std::move(opened);
  model_.begin_open(std::move(album));
}

void Viewer::open_clip(ClipToView clip, std::function<void(const ViewedPhoto&)> judge,
                       std::function<void()> opened) {
  opens_named_ = true;
  judge_named_ = std::move(judge);
  opened_named_ = std::move(opened);
  clip_.begin_open(std::move(clip));
}

void Viewer::toggle_strokes() {
  if (clip_.on())
    return say("strokes are for photos; a clip takes depth of each frame, a clip dropped onto the panels");
  strokes_.toggle();
}

/// Opens dropped files, or takes one as the photo's depth map if it was dropped on that card or on the
/// panels. Dropped elsewhere, a file that looks like a map is one if the photo has no depth.
void Viewer::take_dropped(const std::vector<std::filesystem::path>& files) {
  const bool had_cards = std::exchange(dragged_over_, false);
  const ViewedPhoto* const photo = model_.is_early() ? nullptr : model_.photo();
  if (!photo || files.size() != 1) return open(files);
  const DropTargets targets = drop_targets(layout().picture, true);
  if (had_cards && holds(targets.open, pointer_)) return open(files);
  if ((had_cards && holds(*targets.map, pointer_)) || panels_.keeps_pointer()) return take_depth(files[0]);
  if (clip_.on() || photo->depth ||
      !looks_like_map(files[0], glm::dvec2(model_.size()), talk_.settings.limits()))
    return open(files);
  say(fmt::format("{} is grey and has the photo's proportions: taken for the depth map of {} (Ctrl+Z undoes)",
                  name_of(files[0]), name_of(photo->file)));
  take_depth(files[0]);
}

void Viewer::take_depth(const std::filesystem::path& file) {
  try_to([&] { clip_.on() ? clip_.begin_take_depth(file) : model_.begin_take_depth(file); });
  arrive(!model_.shows_at_once);
}

void Viewer::take_network() {
  if (network_.empty())
    return say(
        "no network was found: put its .onnx into ~/.local/share/scanlens, or name it in "
        "SCANLENS_DEPTH_NETWORK");
  if (clip_.on()) return say("a clip takes a network by --depth-network");
  if (!can_act() || !model_.photo()) return;
  try_to([&] { model_.begin_take_network(network_); });
  arrive(!model_.shows_at_once);
}

/// Shows the first photo of the album that the program was started for.
void Viewer::show_named(ViewedPhoto photo) {
  opens_named_ = false;
  std::exchange(judge_named_, {})(photo);
  model_.show_arrived(std::move(photo));
  opened_named_();
}

/// Says in the window why the file that the program was started for cannot be read. Without a person at the
/// window, and for a file that is not there, the failure ends the program.
void Viewer::tell_of_named(const std::filesystem::path& file, const Error& error) {
  std::error_code unknown;
  const bool is_there = std::filesystem::exists(file, unknown);
  if (!opens_named_ || !model_.shows_at_once || !is_there || error.kind() == ErrorKind::retry) throw;
  opens_named_ = false;
  judge_named_ = {};
  opened_named_ = {};
  tell_of_unreadable({error.what()});
}

/// Shows what has been read, or waits for it.
void Viewer::arrive(bool wait) {
  if (clip_.opens()) return arrive_clip(wait);
  if (!model_.opens()) return;
  std::vector<std::string> unreadable;
  const std::filesystem::path file = opens_file();
  const auto show_it = [&] {
    std::optional<ViewedPhoto> photo;
    try {
      photo = model_.arrived(wait, unreadable);
    } catch (const Error& error) {
      tell_of_named(file, error);
    }
    if (!photo) return;
    if (judge_named_) return show_named(std::move(*photo));
    const bool of_step = model_.steps();
    model_.show_arrived(std::move(*photo));
    if (!of_step)
      for (const std::string& warning : model_.photo()->warnings) complain(warning);
  };
  opens_named_ ? show_it() : try_to(show_it);
  tell_of_unreadable(unreadable);
}

/// Shows the first frame of the clip that is being read, or waits for it.
void Viewer::arrive_clip(bool wait) {
  const std::filesystem::path file = opens_file();
  const auto show_it = [&] {
    try {
      if (!clip_.arrived(wait)) return;
    } catch (const Error& error) {
      return tell_of_named(file, error);
    }
    if (!judge_named_) {
      clip_.show_arrived();
      for (const std::string& warning : model_.photo()->warnings) complain(warning);
      if (!model_.has_depth()) say(kClipWithoutDepth);
      return;
    }
    std::exchange(judge_named_, {})(clip_.first_frame());
    opens_named_ = false;
    clip_.show_arrived();
    opened_named_();
  };
  opens_named_ ? show_it() : try_to(show_it);
}

/// Focuses where somebody clicked before the photo was there.
void Viewer::focus_as_clicked() {
  if (!focus_later_ || opens() || !model_.shown().image) return;
  const glm::dvec2 pixel = *std::exchange(focus_later_, std::nullopt);
  if (model_.has_depth()) try_to([&] { model_.focus_at(pixel); });
}

std::string Viewer::waits_for() const {
  constexpr double kSoon = 0.5;
  if (model_.is_about_to_take_long()) return "Making the full picture";
  if (waited_ < kSoon) return "";
  if (opens())
    return fmt::format("Reading {}{}", model_.is_early() ? "the depth of " : "", name_of(opens_file()));
  if (clip_.seeks()) return fmt::format("Going to frame {}", clip_.target());
  if (saving_.running()) {
    const std::string progress = saving_.progress();  // "clip: 42 %, 8 s left"
    return "Saving " + name_of(saved_) + progress.substr(std::min(progress.find(':'), progress.size()));
  }
  if (strokes_.guesses()) return "Guessing how far things are";
  if (strokes_.makes_depth()) return "Making depth of the strokes";
  return "";
}

double Viewer::patience() const {
  constexpr double kAtRest = 0.1, kWhileWaiting = 0.05;
  // Tooltips come while the pointer rests. Later a frame only looks for files that have changed.
  constexpr double kLong = 2, kAtLongRest = 0.5;
  if (at_rest() && notices_.empty()) return rested_ < kLong ? kAtRest : kAtLongRest;
  if (clip_.playing() && inputs_.empty()) return clip_.patience();
  const bool only_waits = inputs_.empty() && (opens() || saving_.running() || clip_.seeks()) &&
                          (model_.at_rest() || model_.is_early() || model_.is_empty());
  return only_waits ? kWhileWaiting : 0;
}

}  // namespace scanlens
