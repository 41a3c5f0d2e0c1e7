#include "app/io/signals.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <utility>

namespace scanlens {
namespace {

// The handler notes the signal before it looks for guards, and the last guard goes before it looks for a
// note: whichever comes second sees the other, so no signal is lost. Both acting on it is harmless. The note
// stays, so that no guard is granted any more while the process is on its way out.
std::atomic<int> guards{0};
std::atomic<int> noted{0};
std::atomic<int> stop_by_self{0};  ///< StopsBySelf that exist
std::atomic<std::uint64_t> steps{0};
std::atomic<std::int64_t> noted_at{0};  ///< milliseconds of the first one; 0: there was none
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "handlers may only use lock-free atomics");

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

/// A place for the name of a file that goes when the program is ended. A handler reads it.
struct Place {
  enum State { free, changing, named };
  std::atomic<int> state{free};
  char path[PATH_MAX];
};
std::array<Place, 256> places;
std::atomic<bool> ending{false};

/// Keeps a thread from names that a handler is reading.
void stop_where_all_ends() {
  while (ending.load()) pause();
}

/// Removes what has a name for the time being. Is async-signal-safe.
void remove_passing_names() {
  ending.store(true);
  for (const Place& place : places)
    if (place.state.load() == Place::named) unlink(place.path);
}

/// Ends the program as the signal does. Is async-signal-safe.
void end_at_once(int signal) {
  remove_passing_names();
  take_default_action(signal);
}

std::int64_t milliseconds(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

// The alarm's handler keeps here the steps and times of its last call, and the time without progress.
std::atomic<std::uint64_t> steps_seen{0};
std::atomic<std::int64_t> cpu_seen{0}, without_progress{0};

/// Comes every second from the first signal on, on any thread, whatever the threads wait for. Work that
/// computes may take longer to its next step than work that waits.
extern "C" void look_for_progress(int) {
  constexpr std::int64_t kPatience = 10'000, kBusy = 100, kTimesLonger = 6;
  constexpr std::int64_t kSecond = 1000;
  const std::uint64_t done = steps.load();
  const std::int64_t cpu = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
  const bool is_busy = cpu - cpu_seen.exchange(cpu) >= kBusy;
  if (steps_seen.exchange(done) != done)
    without_progress.store(0);
  else if ((without_progress += is_busy ? kSecond / kTimesLonger : kSecond) >= kPatience)
    end_at_once(noted.load());
  alarm(1);
}

extern "C" void note_signal(int signal) {
  // `timeout` sends its signal twice, to the program and to its group.
  constexpr std::int64_t kSameSignal = 100;
  const std::int64_t now = milliseconds(CLOCK_MONOTONIC);
  std::int64_t first = 0;
  if (noted_at.compare_exchange_strong(first, now)) first = now;
  if (noted.exchange(signal) != 0) {
    if (now - first > kSameSignal) end_at_once(signal);
    return;
  }
  if (stop_by_self.load() == 0 && guards.load() == 0) take_default_action(signal);
  steps_seen.store(steps.load());
  cpu_seen.store(milliseconds(CLOCK_PROCESS_CPUTIME_ID));
  alarm(1);
}

void release() {
  if (guards.fetch_sub(1) != 1 || stop_by_self.load() > 0) return;
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

  action.sa_flags = SA_RESTART;
  action.sa_handler = look_for_progress;
  sigaction(SIGALRM, &action, nullptr);
  action.sa_handler = note_signal;
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

void end_program(int exit_code) noexcept {
  remove_passing_names();
  _exit(exit_code);
}

void note_progress() noexcept {
  steps.fetch_add(1, std::memory_order_relaxed);
}

PassingName::PassingName(const std::string& path) {
  if (path.size() >= sizeof Place::path) return;
  for (std::size_t i = 0; i < places.size() && place_ < 0; ++i) {
    int expected = Place::free;
    if (places[i].state.compare_exchange_strong(expected, Place::changing)) place_ = static_cast<int>(i);
  }
  if (place_ < 0) return;
  Place& place = places[static_cast<std::size_t>(place_)];
  stop_where_all_ends();
  std::memcpy(place.path, path.c_str(), path.size() + 1);
  place.state.store(Place::named);
  stop_where_all_ends();
}

PassingName::PassingName(PassingName&& other) noexcept : place_(std::exchange(other.place_, -1)) {}

PassingName& PassingName::operator=(PassingName&& other) noexcept {
  std::swap(place_, other.place_);
  return *this;
}

PassingName::~PassingName() {
  if (place_ >= 0) places[static_cast<std::size_t>(place_)].state.store(Place::free);
}

StopsBySelf::StopsBySelf() {
  stop_by_self.fetch_add(1);
}

StopsBySelf::~StopsBySelf() {
  if (stop_by_self.fetch_sub(1) == 1) end_by_noted_signal();
}

void StopsBySelf::end_by_noted_signal() {
  if (const int signal = noted.load()) take_default_action(signal);
}

CommitGuard::CommitGuard() {
  guards.fetch_add(1);
  while (guards_of_thread == 0 && noted.load() != 0 && stop_by_self.load() == 0) {
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
