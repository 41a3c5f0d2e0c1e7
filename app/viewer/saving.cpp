#include "app/viewer/saving.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "app/io/file_mark.h"
#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {

void Saving::save() {
  notices_.try_to([&] { save_to(free_output(open_)); });
}

void Saving::save_to(const std::filesystem::path& output) {
  notices_.try_to([&] {
    strokes_.write_file();
    const ShownCommand command = shown_command(open_, output);
    if (command.empty()) return notices_.say("this is the photo as it is; there is nothing to save");
    start(command, output);
  });
}

void Saving::save_clip() {
  notices_.try_to([&] {
    const std::filesystem::path output = free_clip_output(open_, clip_.has_written_container());
    const ShownCommand command = clip_command(open_, output);
    if (command.empty()) return notices_.say("this is the clip as it is; there is nothing to save");
    start(command, output);
    saves_clip_ = true;
  });
}

std::optional<std::string> Saving::command() {
  if (!notices_.try_to([&] { strokes_.write_file(); })) return std::nullopt;
  const bool is_clip = clip_.on() && open_.state.seen_view(open_.has_depth()) == ShownView::result;
  const ShownCommand command =
      is_clip ? clip_command(open_, free_clip_output(open_, clip_.has_written_container()))
              : shown_command(open_, free_output(open_));
  if (!command.empty()) return command.text();
  notices_.say(is_clip ? "this is the clip as it is; no command makes it"
                       : "this is the photo as it is; no command makes it");
  return std::nullopt;
}

void Saving::start(const ShownCommand& command, const std::filesystem::path& output) {
  if (open_.photo() && is_standard_stream(open_.photo()->file))
    throw Error("standard input cannot be read again: save the photo to a file and view that");
  if (program.empty()) throw Error("this program saves nothing: it is not scanlens itself");
  command_.start(command.shell_text(program.string()));
  file_ = output;
  noted_ = open_.noted();
  between_ = command.between;
  saves_clip_ = false;
  treatment_ = open_.treatment();
  notices_.say(fmt::format("saving {}: {}", output.string(), command.text()));
  talk_.say("command: " + command.text());
}

std::string Saving::progress() const {
  const std::string progress = command_.progress();  // "clip: 42 %, 8 s left"
  return progress.substr(std::min(progress.find(':'), progress.size()));
}

void Saving::tell_of(const BackgroundCommand::Ended& end) {
  notices_.try_to([&] {
    std::error_code error;
    if (!between_.empty()) std::filesystem::remove(between_, error);
    if (!end.well && command_.is_cancelled())
      return notices_.say(file_.string() + ": given up, and not written");
    if (!end.well) throw Error(fmt::format("{} is not written: {}", file_.string(), end.said));
    mark_saved(file_);
    open_.mark_saved(noted_, treatment_);
    notices_.say(file_.string() + ": written");
  });
}

void Saving::look() {
  if (const std::optional<BackgroundCommand::Ended> end = command_.poll()) tell_of(*end);
}

void Saving::finish() {
  if (runs()) tell_of(command_.wait());
}

}  // namespace scanlens
