// Plays a script, frame by frame.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/frames/frame_writer.h"
#include "app/io/picture.h"
#include "app/viewer/script/script.h"
#include "app/viewer/script/target.h"
#include "app/viewer/script/timing.h"

namespace scanlens {

/// Plays steps to a viewer as a person would act: what comes before a frame is drawn is sent, the frame is
/// drawn, and so on. In a window the event loop owns the time, so that the caller decides when the next frame
/// is due.
class ScriptRun {
 public:
  /// Takes what the script reports: files that were written, tables of times.
  using Say = std::function<void(const std::string&)>;

  /// `name` is the script's, for messages. `target` has to stay. `write` holds for all files; they may
  /// not be `inputs`. Throws Error before anything is played if a file cannot be written or the target does
  /// not have a value.
  ScriptRun(std::vector<Step> steps, std::string name, ScriptTarget& target, WriteOptions write = {},
            Say say = {}, std::vector<std::filesystem::path> inputs = {});
  ScriptRun(const ScriptRun&) = delete;
  ScriptRun& operator=(const ScriptRun&) = delete;

  /// Plays on until the next frame is drawn. Returns false, and draws none, where the script has come to its
  /// end. Throws Error "NAME:LINE: cause" where a step fails, after which the script has come to its end;
  /// `failed` for an expectation that is not met.
  bool next_frame();

  /// Ends the script before its end, for a viewer that is closed; what is recorded ends here.
  void stop();

 private:
  /// Steps that are played, once or again and again.
  struct Pass {
    const std::vector<Step>* steps;
    std::size_t at = 0;
    std::int64_t left = 1;  ///< times, this one included
  };

  /// The step whose turn it is, which repeats no others; null at the end.
  const Step* current();
  void check(const std::vector<Step>& steps) const;
  void check_values(const Step& step) const;
  WriteOptions writing(const steps::RecordBegin& record) const;
  static void require_other(const Step& step, const std::filesystem::path& input);
  bool play(const Step& step);
  void draw();

  // These do what belongs to the step's frame number `frame_` and say whether that frame is to be drawn.
  bool play(const steps::Send& send);
  bool play(const steps::Drag& drag);
  bool play(const steps::Keys& keys);
  bool play(const steps::Set& set);
  bool play(const steps::Pull& pull);
  bool play(const steps::Wait& wait);
  bool play(const steps::WaitForRest& wait);
  bool play(const steps::WaitForFrame& wait);
  bool play(const steps::Shot& shot);
  bool play(const steps::RecordBegin& record);
  bool play(const steps::RecordEnd& record);
  bool play(const steps::TimeBegin& time);
  bool play(const steps::TimeEnd& time);
  bool play(const steps::Expect& expect);
  bool play(const steps::Quit& quit);

  void send(const Input& input) { target_.input(input); }
  void say(const std::string& line) const;

  std::vector<Step> steps_;
  std::string name_;
  ScriptTarget& target_;
  WriteOptions write_;
  std::vector<std::filesystem::path> inputs_;
  Say say_;

  std::vector<Pass> passes_;  ///< the innermost repetition last
  std::int64_t frame_ = 0;    ///< of the current step
  double pulled_from_ = 0;
  std::optional<FrameWriter> recording_;
  std::filesystem::path recorded_;  ///< its file
  double seconds_ = 0;              ///< that pass in a frame
  std::optional<Timing> timing_;
};

}  // namespace scanlens
