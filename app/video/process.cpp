#include "app/video/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <utility>

#include "app/io/file.h"
#include "core/error.h"

extern char** environ;

namespace scanlens {
namespace {

/// Characters that are kept of what a program says, the last ones.
constexpr std::size_t kMostWords = 2000;
constexpr int kPipeBytes = 1 << 20;
/// Above those that a program gets, so that giving it one does not close another.
constexpr int kFirstOwn = 16;

/// Moves a descriptor out of the way, closed in programs that are started.
int moved(int descriptor) {
  const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstOwn);
  ::close(descriptor);
  return own;
}

struct Pipe {
  int reads = -1, writes = -1;
};

Pipe make_pipe(const std::string& program) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorKind::retry, fmt::format("{}: no pipe: {}", program, system_cause(errno)));
  ::fcntl(ends[0], F_SETPIPE_SZ, kPipeBytes);
  return {moved(ends[0]), moved(ends[1])};
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
  std::vector<int> theirs;
  const auto give = [&](int descriptor, int number) {
    posix_spawn_file_actions_adddup2(&spawning.actions, descriptor, number);
  };
  for (const int number : {STDIN_FILENO, STDOUT_FILENO})
    posix_spawn_file_actions_addopen(&spawning.actions, number, "/dev/null", O_RDWR, 0);
  for (const ChildEnd& end : ends) {
    if (end.kind == ChildEnd::Kind::file) {
      theirs.push_back(::fcntl(end.file, F_DUPFD_CLOEXEC, kFirstOwn));
    } else {
      const Pipe pipe = make_pipe(program);
      const bool reads = end.kind == ChildEnd::Kind::reads;
      theirs.push_back(reads ? pipe.reads : pipe.writes);
      ends_.emplace_back(end.number, reads ? pipe.writes : pipe.reads);
    }
    give(theirs.back(), end.number);
  }
  const Pipe said = make_pipe(program);
  theirs.push_back(said.writes);
  give(said.writes, STDERR_FILENO);

  std::vector<char*> arguments = {const_cast<char*>(program.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::vector<char*> variables = plain_variables();
  const int error = ::posix_spawnp(&pid_, program.c_str(), &spawning.actions, &spawning.attributes,
                                   arguments.data(), variables.data());
  for (const int descriptor : theirs) ::close(descriptor);
  if (error == 0) {
    listener_ = std::thread([this, reads = said.reads] { listen(reads); });
    return;
  }
  pid_ = -1;
  ::close(said.reads);
  for (const auto& [number, descriptor] : ends_) ::close(descriptor);
  throw Error(error == ENOENT
                  ? fmt::format("{}: the program is missing, and clips need it; install Debian's package {}",
                                program, package)
                  : fmt::format("{}: cannot be started: {}", program, system_cause(error)));
}

Child::~Child() {
  kill();
  wait();
  for (const auto& [number, descriptor] : ends_)
    if (descriptor >= 0) ::close(descriptor);
}

int& Child::own(int number) {
  for (auto& [theirs, descriptor] : ends_)
    if (theirs == number) return descriptor;
  throw std::logic_error("the program has no such descriptor");
}

std::size_t Child::read(int number, std::span<std::byte> bytes) {
  const int descriptor = own(number);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(descriptor, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

bool Child::write(int number, std::span<const std::byte> bytes) {
  const int descriptor = own(number);
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return true;
}

void Child::close(int number) {
  if (int& descriptor = own(number); descriptor >= 0) ::close(std::exchange(descriptor, -1));
}

bool Child::wait() {
  const pid_t pid = pid_;
  siginfo_t info;
  while (pid > 0 && ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  const std::scoped_lock lock(guard_);
  if (pid_ > 0) {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    well_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  if (listener_.joinable()) listener_.join();
  return well_;
}

void Child::kill() {
  const std::scoped_lock lock(guard_);
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

void Child::listen(int descriptor) {
  char buffer[512];
  while (true) {
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    said_.append(buffer, static_cast<std::size_t>(got));
    if (hearer_) hand_on();
    if (said_.size() > 2 * kMostWords) said_.erase(0, said_.size() - kMostWords);
  }
  ::close(descriptor);
  if (hearer_) hearer_->end();
}

/// Gives whole lines to the hearer.
void Child::hand_on() {
  std::size_t begin = 0;
  for (std::size_t end; (end = said_.find('\n', begin)) != std::string::npos; begin = end + 1)
    hearer_->hear(std::string_view(said_).substr(begin, end - begin));
  said_.erase(0, begin);
}

std::string Child::words() const {
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
