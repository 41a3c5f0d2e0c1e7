#include "app/viewer/parts/background_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>

extern char** environ;

namespace scanlens {
namespace {

/// The end of the words that erase a line of a terminal.
constexpr std::string_view kEraseLine = "\033[K";

/// Returns what is left of a line behind the last place where it was erased.
std::string behind_erased(const std::string& line) {
  const std::size_t erased = line.rfind(kEraseLine);
  return erased == std::string::npos ? line : line.substr(erased + kEraseLine.size());
}

}  // namespace

BackgroundCommand::~BackgroundCommand() {
  if (running()) wait();
}

void BackgroundCommand::start(const std::string& line) {
  if (running()) wait();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  // A pipe's status is that of its last part; with the first one failed that has nothing to read, and fails.
  std::string shell = "/bin/sh", flag = "-c", text = "export SCANLENS_PROGRESS=1\n" + line;
  char* words[] = {shell.data(), flag.data(), text.data(), nullptr};
  const int failed = ::posix_spawn(&process_, shell.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failed) {
    ::close(ends[0]);
    process_ = 0;
    throw std::system_error(failed, std::generic_category(), "/bin/sh");
  }
  output_ = ends[0];
  said_.clear();
  cancelled_ = false;
  patience_ = Patience(process_);
  second_ = std::chrono::steady_clock::now();
}

void BackgroundCommand::read_some() {
  char part[4096];
  for (;;) {
    const ssize_t count = ::read(output_, part, sizeof part);
    if (count <= 0) return;
    said_.append(part, static_cast<std::size_t>(count));
    heard_ += static_cast<std::uint64_t>(count);
    constexpr std::size_t kMostKept = 65536;
    if (said_.size() > kMostKept) said_.erase(0, said_.size() - kMostKept);
  }
}

BackgroundCommand::Ended BackgroundCommand::ended(int status) {
  read_some();
  ::close(output_);
  output_ = -1;
  process_ = 0;
  while (!said_.empty() && said_.back() == '\n') said_.pop_back();
  const std::string line = said_.substr(said_.rfind('\n') + 1);
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0, behind_erased(line)};
}

std::string BackgroundCommand::progress() const {
  return running() && said_.find(kEraseLine) != std::string::npos && said_.back() != '\n'
             ? behind_erased(said_)
             : "";
}

void BackgroundCommand::cancel() {
  if (!running()) return;
  cancelled_ = true;
  for (const pid_t process : family_of(process_)) ::kill(process, SIGTERM);
}

std::optional<BackgroundCommand::Ended> BackgroundCommand::poll() {
  if (!running()) return std::nullopt;
  read_some();
  int status = 0;
  const pid_t got = ::waitpid(process_, &status, WNOHANG);
  if (got != 0 && !(got < 0 && errno == EINTR)) return ended(got < 0 ? -1 : status);
  const auto now = std::chrono::steady_clock::now();
  if (now - second_ < std::chrono::seconds(1)) return std::nullopt;
  second_ = now;
  return patience_.is_over(heard_) ? std::optional(give_up()) : std::nullopt;
}

BackgroundCommand::Ended BackgroundCommand::wait() {
  constexpr useconds_t kPause = 2000;
  for (;; ::usleep(kPause))
    if (std::optional<Ended> end = poll()) return *end;
}

/// Ends a command that is silent, with all that it has started.
BackgroundCommand::Ended BackgroundCommand::give_up() {
  for (const pid_t process : family_of(process_)) ::kill(process, SIGKILL);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  ended(status);
  return {false, fmt::format("the command gave no sign of life for {} s, and was ended; "
                             "SCANLENS_PATIENCE=N waits for N seconds",
                             most_silence())};
}

}  // namespace scanlens
