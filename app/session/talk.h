// A command's words to the person at the terminal, and the account of them that --json prints.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/io/picture.h"
#include "app/session/account.h"
#include "app/session/device_watch.h"
#include "app/session/settings.h"
#include "app/session/terminal.h"
#include "core/context.h"
#include "core/devices.h"

namespace scanlens {

/// Does the work of a stage: notes its time, and names it on the terminal if it takes long.
using RunStage = std::function<void(const std::string& stage, const std::function<void()>& work)>;

/// One thread's. Work beside other work has a talk of its own, whose account it hands back.
class Talk {
 public:
  enum class Kind {
    says,     ///< to the person at the terminal
    collects  ///< prints and shows nothing: the account holds what was said
  };

  /// The settings must outlive this.
  explicit Talk(const Settings& settings, Kind kind = Kind::says)
      : settings(settings), collects_(kind == Kind::collects) {}
  explicit Talk(Settings&&, Kind = Kind::says) = delete;
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;

  const Settings& settings;
  Account account;  ///< assumptions, warnings, the device, times; the command adds its files

  /// Says which device a context is on, and notes it in the account. From then on a wait for a GPU that lasts
  /// most_silence() ends the program.
  void introduce(const Context& context);

  /// Says a line to the person at the terminal: to stderr, unless --quiet.
  void say(const std::string& line) const;

  /// Notes what is true of most files, for --json; says it under --verbose.
  void note(const std::string& line);

  /// States an assumption of the program, for which no option was given.
  void assume(const std::string& line);

  /// Warns of what may spoil the result: to stderr, under --quiet too. Throws Error under --strict.
  void warn(const std::string& line);

  // Say or warn what a reader remarked: about the file of this name, or in whole lines.
  void report(const std::string& name, const std::vector<Remark>& remarks);
  void report(const std::vector<Remark>& lines);

  /// Returns what says or warns of what a writer remarks about a file.
  Remarks remarks_on(const std::filesystem::path& path);

  /// Does work, and notes in the account what time the stage took.
  template <class Work>
  auto timed(const std::string& stage, const Work& work) {
    const StageTimer timer(account, stage);
    return work();
  }

  /// Does the same, and names the stage on the terminal once the stages so far have taken a second.
  template <class Work>
  auto staged(const std::string& stage, const Work& work) {
    const LongWork shown(stage, shows_progress());
    return timed(stage, work);
  }

  /// Returns what does the same for loaders, which do not talk themselves.
  RunStage run_stage();

  /// Throws Error (usage) when --json is to be printed where this output goes, too.
  void keep_stdout_for(const std::filesystem::path& output) const;

  /// Prints the account as JSON where --json asks for it.
  void print_account() const;

  /// Returns true if progress is shown: to a person at a terminal who has not asked for quiet, or to a
  /// program that has set SCANLENS_PROGRESS.
  bool shows_progress() const;

 private:
  const bool collects_;
  std::optional<DeviceWatch> watch_;  ///< of GPUs, once one is open
};

/// Returns "cpu (AMD EPYC, 2 threads)".
std::string describe(const DeviceInfo& device);

}  // namespace scanlens
