#include "app/work/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "app/io/file.h"
#include "app/io/patience.h"
#include "core/error.h"

extern char** environ;

namespace scanlens {

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

namespace {

/// Characters that are kept of what a program says, the last ones.
constexpr std::size_t kMostWords = 2000;
constexpr int kPipeBytes = 1 << 20;
/// Above those that a program gets, so that giving it one does not close another.
constexpr int kFirstOwn = 16;

/// Returns a copy of a descriptor that is out of the way, closed in programs that are started.
Descriptor copy_of(int descriptor, const std::string& program) {
  const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstOwn);
  if (own < 0) throw Error(ErrorKind::retry, fmt::format("{}: no pipe: {}", program, system_cause(errno)));
  return Descriptor(own);
}

struct Pipe {
  Descriptor reads, writes;
};

Pipe make_pipe(const std::string& program) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorKind::retry, fmt::format("{}: no pipe: {}", program, system_cause(errno)));
  const Descriptor reads(ends[0]), writes(ends[1]);
  ::fcntl(ends[0], F_SETPIPE_SZ, kPipeBytes);
  return {copy_of(ends[0], program), copy_of(ends[1], program)};
}

/// Settings of posix_spawn, freed at the end.
struct Spawning {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  Spawning() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t usual;
    sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP}) sigaddset(&usual, signal);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~Spawning() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

/// Returns our own environment, in which ffmpeg uses no colours, which would stand between words.
std::vector<char*> plain_variables() {
  static char no_colour[] = "AV_LOG_FORCE_NOCOLOR=1";
  std::vector<char*> variables = {no_colour};
  for (char** variable = environ; *variable; ++variable) variables.push_back(*variable);
  variables.push_back(nullptr);
  return variables;
}

}  // namespace

Child::Child(const std::string& program, const std::string& package, const std::vector<std::string>& words,
             const std::vector<ChildEnd>& ends, Hearer* hearer)
    : hearer_(hearer) {
  Spawning spawning;
  std::vector<Descriptor> theirs;
  const auto give = [&](Descriptor descriptor, int number) {
    posix_spawn_file_actions_adddup2(&spawning.actions, descriptor.number(), number);
    theirs.push_back(std::move(descriptor));
  };
  for (const int number : {STDIN_FILENO, STDOUT_FILENO})
    posix_spawn_file_actions_addopen(&spawning.actions, number, "/dev/null", O_RDWR, 0);
  for (const ChildEnd& end : ends) {
    if (end.kind == ChildEnd::Kind::file) {
      give(copy_of(end.file, program), end.number);
      continue;
    }
    Pipe pipe = make_pipe(program);
    if (end.kind == ChildEnd::Kind::writes) std::swap(pipe.reads, pipe.writes);
    give(std::move(pipe.reads), end.number);
    ends_.emplace_back(end.number, std::move(pipe.writes));
  }
  Pipe said = make_pipe(program);
  give(std::move(said.writes), STDERR_FILENO);

  std::vector<char*> arguments = {const_cast<char*>(program.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::vector<char*> variables = plain_variables();
  const int error = ::posix_spawnp(&pid_, program.c_str(), &spawning.actions, &spawning.attributes,
                                   arguments.data(), variables.data());
  if (error == 0) {
    start_listening(std::move(said.reads));
    return;
  }
  pid_ = -1;
  throw Error(error == ENOENT
                  ? fmt::format("{}: the program is missing, and clips need it; install Debian's package {}",
                                program, package)
                  : fmt::format("{}: cannot be started: {}", program, system_cause(error)));
}

/// Starts the thread that listens, or ends the program that nobody would listen to.
void Child::start_listening(Descriptor words) {
  try {
    listener_ = std::thread([this, pid = pid_, heard = std::move(words)] { listen(pid, heard.number()); });
  } catch (const std::system_error& error) {
    kill();
    reap();
    throw Error(ErrorKind::retry,
                fmt::format("a thread cannot be started: {}; use fewer --jobs", error.what()));
  }
}

Child::~Child() {
  kill();
  wait();
}

Descriptor& Child::own(int number) {
  for (auto& [theirs, descriptor] : ends_)
    if (theirs == number) return descriptor;
  throw std::logic_error("the program has no such descriptor");
}

std::size_t Child::read(int number, std::span<std::byte> bytes) {
  const int descriptor = own(number).number();
  const Awaited awaited(*this);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(descriptor, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
    ++passed_;
  }
  return done;
}

bool Child::write(int number, std::span<const std::byte> bytes) {
  const int descriptor = own(number).number();
  const Awaited awaited(*this);
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    ++passed_;
  }
  return true;
}

void Child::close(int number) {
  own(number) = Descriptor();
}

bool Child::wait() {
  const Awaited awaited(*this);
  reap();
  if (listener_.joinable()) listener_.join();
  return well_;
}

/// Waits for its end, and lets the listener go.
void Child::reap() {
  const pid_t pid = pid_;
  siginfo_t info;
  while (pid > 0 && ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  const std::scoped_lock lock(guard_);
  if (pid_ < 0) return;
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  well_ = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !silent_;
  reaped_.notify_all();
}

bool Child::is_reaped() {
  const std::scoped_lock lock(guard_);
  return pid_ < 0;
}

void Child::kill() {
  const std::scoped_lock lock(guard_);
  if (pid_ > 0) ::kill(-pid_, SIGKILL);  // and what it has started
}

/// Hears words to their end, then waits for the program's, and ends what is silent for too long.
void Child::listen(pid_t pid, int words) {
  constexpr std::chrono::seconds kSecond(1);
  Patience patience(pid);
  const auto watch = [&] {
    if (awaited_ == 0) return patience.reset();
    if (!patience.is_over(passed_)) return;
    silent_ = true;
    kill();
  };
  pollfd state{words, POLLIN, 0};
  while (true) {
    const int ready = ::poll(&state, 1, std::chrono::milliseconds(kSecond).count());
    if (ready > 0 && !hear(words)) break;
    if (ready == 0 && is_reaped()) break;  // what it has started holds the pipe
    if (ready == 0) watch();
  }
  if (hearer_) hearer_->end();
  std::unique_lock lock(guard_);
  while (!reaped_.wait_for(lock, kSecond, [this] { return pid_ < 0; })) {
    lock.unlock();
    watch();
    lock.lock();
  }
}

/// Takes some words. Returns false at their end.
bool Child::hear(int words) {
  char buffer[512];
  const ssize_t got = ::read(words, buffer, sizeof buffer);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  ++passed_;
  said_.append(buffer, static_cast<std::size_t>(got));
  if (hearer_) hand_on();
  if (said_.size() > 2 * kMostWords) said_.erase(0, said_.size() - kMostWords);
  return true;
}

/// Gives whole lines to the hearer.
void Child::hand_on() {
  std::size_t begin = 0;
  for (std::size_t end; (end = said_.find('\n', begin)) != std::string::npos; begin = end + 1)
    hearer_->hear(std::string_view(said_).substr(begin, end - begin));
  said_.erase(0, begin);
}

std::string Child::words() const {
  if (silent_)
    return fmt::format("no sign of life for {} s, and was ended; SCANLENS_PATIENCE=N waits for N seconds",
                       most_silence());
  std::string line;
  for (const char c : said_) {
    const bool ends = c == '\n' || c == '\r';
    if (ends && (line.empty() || line.ends_with("; "))) continue;
    if (ends)
      line += "; ";
    else
      line += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  while (line.ends_with("; ") || line.ends_with(' ')) line.pop_back();
  if (line.ends_with(';')) line.pop_back();
  return line;
}

}  // namespace scanlens
