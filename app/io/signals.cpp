#include "app/io/signals.h"

#include <poll.h>
#include <pthread.h>
#include <time.h>

#include <atomic>
#include <csignal>
#include <initializer_list>

namespace scanlens {
namespace {

// The handler notes the signal before it looks for guards, and the last guard goes before it looks for a
// note: whichever comes second sees the other, so no signal is lost. Both acting on it is harmless. The note
// stays, so that no guard is granted any more while the process is on its way out.
std::atomic<int> guards{0};
std::atomic<int> noted{0};
std::atomic<bool> stops_by_self{false};
static_assert(std::atomic<int>::is_always_lock_free, "the handler may only use lock-free atomics");

thread_local int guards_of_thread = 0;

bool ends_by_pipe = true;

// Is async-signal-safe, as the handler needs it.
void take_default_action(int signal) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);  // blocked while its own handler runs
  raise(signal);
}

extern "C" void note_signal(int signal) {
  const int before = noted.exchange(signal);
  if (stops_by_self.load() ? before != 0 : guards.load() == 0) take_default_action(signal);
}

void release() {
  if (guards.fetch_sub(1) != 1 || stops_by_self.load()) return;
  if (const int signal = noted.load()) take_default_action(signal);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  sigemptyset(&action.sa_mask);
  action.sa_handler = SIG_IGN;
  struct sigaction pipe = {};
  sigaction(SIGPIPE, &action, &pipe);
  ends_by_pipe = pipe.sa_handler != SIG_IGN;
  sigaction(SIGXFSZ, &action, nullptr);

  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

void end_if_nobody_reads(int descriptor) {
  pollfd state = {descriptor, POLLOUT, 0};
  if (ends_by_pipe && ::poll(&state, 1, 0) == 1 && (state.revents & (POLLERR | POLLHUP)))
    take_default_action(SIGPIPE);
}

bool signal_noted() {
  return noted.load() != 0;
}

StopsBySelf::StopsBySelf() {
  stops_by_self.store(true);
}

StopsBySelf::~StopsBySelf() {
  stops_by_self.store(false);
  end_by_noted_signal();
}

void StopsBySelf::end_by_noted_signal() {
  if (const int signal = noted.load()) take_default_action(signal);
}

CommitGuard::CommitGuard() {
  guards.fetch_add(1);
  while (guards_of_thread == 0 && noted.load() != 0 && !stops_by_self.load()) {
    release();
    const timespec pause = {0, 10'000'000};
    nanosleep(&pause, nullptr);
    guards.fetch_add(1);
  }
  ++guards_of_thread;
}

CommitGuard::~CommitGuard() {
  --guards_of_thread;
  release();
}

}  // namespace scanlens
