// Decides what a signal may interrupt and what it may not.
#pragma once

namespace scanlens {

/// SIGINT, SIGTERM and SIGHUP end the program with their default action (so that the parent sees the signal),
/// but not in the middle of a commit. SIGPIPE and SIGXFSZ are ignored, so that the write that caused them
/// returns an error. A signal that was ignored when the program started (nohup) stays ignored. Call once,
/// from main.
void install_signal_handlers();

/// Ends the program as SIGPIPE does, quietly, when nobody reads the pipe or socket that this descriptor writes
/// to any more; returns when somebody does, or when SIGPIPE was ignored already when the program started.
void end_if_nobody_reads(int descriptor);

/// Returns whether a signal waits for guards to go.
bool signal_noted();

/// While a guard exists anywhere in the process, a signal is only noted; it takes effect when the last guard
/// goes. Hold one for short, bounded work alone (from creating a temporary file to renaming it), or ask
/// signal_noted on the way. Once a signal has been noted, a thread that holds no guard waits in the
/// constructor for the end, so that many threads with many short commits cannot put it off for ever. Guards
/// of one thread may nest.
class CommitGuard {
 public:
  CommitGuard();
  ~CommitGuard();
  CommitGuard(const CommitGuard&) = delete;
  CommitGuard& operator=(const CommitGuard&) = delete;
};

}  // namespace scanlens
