// Decides what a signal may interrupt and what it may not.
#pragma once

#include <string>

namespace scanlens {

/// SIGINT, SIGTERM and SIGHUP end the program with their default action (so that the parent sees the signal),
/// but not in the middle of a commit. A second one does not wait for commits. Nor does the program wait once
/// ten seconds have passed without progress (see note_progress), or a minute in which it computed. Both
/// remove PassingNames. SIGPIPE and SIGXFSZ are ignored, so that the write that caused them returns an error.
/// A signal that was ignored when the program started (nohup) stays ignored. Call once, from main.
void install_signal_handlers();

/// Ends the program as SIGPIPE does, quietly, when the pipe or socket that this descriptor writes to has no
/// reader any more; returns when it has one, or when SIGPIPE was already ignored when the program started.
void end_if_nobody_reads(int descriptor);

/// Returns true if a signal waits for guards to go, or for work that stops by itself.
bool signal_noted();

/// Removes PassingNames and ends the program with this exit code, whatever its threads do.
[[noreturn]] void end_program(int exit_code) noexcept;

/// Tells that work has come a step further.
void note_progress() noexcept;

/// The name of a file that is to be there for a short time. It is removed where the program has to end at
/// once. Make it before the file; it may go when the file has gone, or has another name. A few hundred can be
/// there at a time; those beyond them stay behind, as they do when a program is killed: see abandoned.h.
class PassingName {
 public:
  PassingName() = default;
  explicit PassingName(const std::string& path);
  PassingName(PassingName&& other) noexcept;
  PassingName& operator=(PassingName&& other) noexcept;
  ~PassingName();

 private:
  int place_ = -1;
};

/// While one exists, a signal is only noted. Its owner asks signal_noted, brings its work to an end, on all
/// threads. The end of the last one ends the program, where a signal was noted.
class StopsBySelf {
 public:
  StopsBySelf();
  ~StopsBySelf();
  StopsBySelf(const StopsBySelf&) = delete;
  StopsBySelf& operator=(const StopsBySelf&) = delete;

  /// Ends the program by the default action of the signal that was noted; returns where there was none.
  static void end_by_noted_signal();
};

/// While a guard exists anywhere in the process, a signal is only noted; it takes effect when the last guard
/// goes. Hold one for short, bounded work alone (from creating a temporary file to renaming it), or ask
/// signal_noted on the way. Once a signal has been noted, a thread without a guard waits in the constructor
/// for the end. Threads with many short commits then cannot delay it for ever; where work stops by itself it
/// does not wait. Guards of one thread may nest.
class CommitGuard {
 public:
  CommitGuard();
  ~CommitGuard();
  CommitGuard(const CommitGuard&) = delete;
  CommitGuard& operator=(const CommitGuard&) = delete;
};

}  // namespace scanlens
