// Saves what is seen, by the command line that makes it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/viewer/clip/clip_mode.h"
#include "app/viewer/model/opened.h"
#include "app/viewer/notices.h"
#include "app/viewer/parts/background_command.h"
#include "app/viewer/shown_command.h"
#include "app/viewer/strokes/stroke_mode.h"

namespace scanlens {

/// One file at a time.
class Saving {
 public:
  Saving(Opened& open, ClipMode& clip, StrokeMode& strokes, Notices& notices, Talk& talk)
      : open_(open), clip_(clip), strokes_(strokes), notices_(notices), talk_(talk) {}

  ~Saving() {
    if (saves_clip()) cancel();
    finish();
  }

  std::filesystem::path program;  ///< scanlens, whose command lines save; empty: nothing is saved

  // Nothing may be open that is not complete, and nothing else being saved.
  /// Saves under a name that is free.
  void save();
  void save_to(const std::filesystem::path& output);
  /// Saves the whole clip under a name that is free.
  void save_clip();
  /// Returns the command line that makes what is seen; nothing, and a notice, where no command does.
  std::optional<std::string> command();

  bool runs() const { return command_.running(); }
  /// Returns true while a clip is being saved.
  bool saves_clip() const { return runs() && saves_clip_; }
  /// Returns the file that is being saved, or was saved last.
  const std::filesystem::path& file() const { return file_; }
  /// Returns how far it is: ": 42 %, 8 s left".
  std::string progress() const;
  /// Ends the saving, which leaves no file.
  void cancel() { command_.cancel(); }
  /// Says so where the file is complete.
  void look();
  /// Waits for that.
  void finish();

 private:
  void start(const ShownCommand& command, const std::filesystem::path& output);
  void tell_of(const BackgroundCommand::Ended& end);

  Opened& open_;
  ClipMode& clip_;
  StrokeMode& strokes_;
  Notices& notices_;
  Talk& talk_;
  BackgroundCommand command_;
  std::filesystem::path file_, noted_;  ///< the file that is being written, and its photo
  std::filesystem::path between_;       ///< a file on the way there; empty for none
  bool saves_clip_ = false;
  Treatment treatment_;
};

}  // namespace scanlens
