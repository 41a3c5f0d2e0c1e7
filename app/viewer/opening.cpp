#include "app/viewer/opening.h"

#include <fmt/format.h>

#include <exception>
#include <system_error>
#include <utility>

#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {

std::string short_name(const std::filesystem::path& file) {
  return is_standard_stream(file) ? input_name(file) : printable(file.filename().string());
}

/// Begins to read, and waits for it where nobody is at the window.
void Opening::begin(const std::function<void()>& work) {
  notices_.try_to(work);
  arrive(!open_.shows_at_once);
}

void Opening::step(std::ptrdiff_t by) {
  if (clip_.on()) return clip_.step(by);
  if (clip_.opens()) clip_.give_up();
  focus_later_.reset();
  begin([&] { open_.begin_step(by); });
}

void Opening::open(const std::vector<std::filesystem::path>& files) {
  focus_later_.reset();
  opens_named_ = false;
  judge_named_ = {};
  opened_named_ = {};
  if (files.size() == 1 && ClipMode::takes(files[0])) {
    open_.give_up();
    return begin([&] { clip_.begin_open(files[0]); });
  }
  clip_.give_up();
  begin([&] {
    PhotoOptions options = open_.photo_options();
    options.input.clear();
    options.depth.clear();
    options.lens = {};
    open_.begin_open(Album(files, options, talk_.settings));
  });
}

void Opening::open_named(Album album, std::function<void(const ViewedPhoto&)> judge,
                         std::function<void()> opened) {
  opens_named_ = true;
  judge_named_ = std::move(judge);
  opened_named_ = std::move(opened);
  open_.begin_open(std::move(album));
}

void Opening::open_clip(ClipToView clip, std::function<void(const ViewedPhoto&)> judge,
                        std::function<void()> opened) {
  opens_named_ = true;
  judge_named_ = std::move(judge);
  opened_named_ = std::move(opened);
  clip_.begin_open(std::move(clip));
}

void Opening::take_depth(const std::filesystem::path& file) {
  begin([&] { clip_.on() ? clip_.begin_take_depth(file) : open_.begin_take_depth(file); });
}

void Opening::take_network() {
  if (network_.empty())
    return notices_.say(
        "no network was found: put its .onnx into ~/.local/share/scanlens, or name it in "
        "SCANLENS_DEPTH_NETWORK");
  if (clip_.on()) return notices_.say("a clip takes a network by --depth-network");
  if (is_done() && open_.photo()) begin([&] { open_.begin_take_network(network_); });
}

bool Opening::is_done() const {
  if (!open_.is_empty() && !open_.is_early()) return true;
  notices_.say(opens() ? short_name(file()) + " is still being read"
                       : "there is no picture yet: drop a photo here");
  return false;
}

/// Shows the first photo of the album that the program was started for.
void Opening::show_named(ViewedPhoto photo) {
  opens_named_ = false;
  std::exchange(judge_named_, {})(photo);
  open_.show_arrived(std::move(photo));
  opened_named_();
}

/// Says in the window why the file that the program was started for cannot be read. Without a person at the
/// window, and for a file that is not there, the failure ends the program.
void Opening::tell_of_named(const std::filesystem::path& file, const Error& error) {
  std::error_code unknown;
  const bool is_there = std::filesystem::exists(file, unknown);
  if (!opens_named_ || !open_.shows_at_once || !is_there || error.kind() == ErrorKind::retry) throw;
  opens_named_ = false;
  judge_named_ = {};
  opened_named_ = {};
  tell_of({error.what()});
}

void Opening::tell_of(const std::vector<std::string>& causes) {
  for (const std::string& cause : causes) {
    talk_.warn(cause);
    notices_.complain(cause);
  }
}

void Opening::arrive(bool wait) {
  if (clip_.opens()) return arrive_clip(wait);
  if (!open_.opens()) return;
  std::vector<std::string> unreadable;
  const std::filesystem::path read = file();
  const auto show_it = [&] {
    std::optional<ViewedPhoto> photo;
    try {
      photo = open_.arrived(wait, unreadable);
    } catch (const Error& error) {
      tell_of_named(read, error);
    }
    if (!photo) return;
    if (judge_named_) return show_named(std::move(*photo));
    const bool of_step = open_.steps();
    open_.show_arrived(std::move(*photo));
    if (!of_step)
      for (const std::string& warning : open_.photo()->warnings) notices_.complain(warning);
  };
  if (opens_named_)
    show_it();
  else
    notices_.try_to(show_it);
  tell_of(unreadable);
}

/// Shows the first frame of the clip that is being read, or waits for it.
void Opening::arrive_clip(bool wait) {
  const std::filesystem::path read = file();
  const auto show_it = [&] {
    try {
      if (!clip_.arrived(wait)) return;
    } catch (const Error& error) {
      return tell_of_named(read, error);
    }
    if (!judge_named_) {
      clip_.show_arrived();
      for (const std::string& warning : open_.photo()->warnings) notices_.complain(warning);
      if (!open_.has_depth()) notices_.say(kClipWithoutDepth);
      return;
    }
    std::exchange(judge_named_, {})(clip_.first_frame());
    opens_named_ = false;
    clip_.show_arrived();
    opened_named_();
  };
  if (opens_named_)
    show_it();
  else
    notices_.try_to(show_it);
}

std::optional<glm::dvec2> Opening::take_focus() {
  if (opens()) return std::nullopt;
  return std::exchange(focus_later_, std::nullopt);
}

void Opening::look_for_changes() {
  if (!opens() && open_.begin_reload_if_changed()) {
    notices_.say(short_name(open_.photo()->file) + " has changed: it is read again");
    arrive(!open_.shows_at_once);
  }
  // A program that replaces a file may take it away for a moment.
  constexpr int kLooks = 3;
  looks_in_vain_ = open_.photo() && open_.photo()->is_gone() ? looks_in_vain_ + 1 : 0;
  if (looks_in_vain_ == kLooks)
    notices_.complain(input_name(open_.photo()->file) + " is there no more; what is shown was read before");
}

}  // namespace scanlens
