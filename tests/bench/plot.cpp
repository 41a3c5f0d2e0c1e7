#include "tests/bench/plot.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "app/io/file.h"
#include "core/error.h"

extern char** environ;

namespace scanlens::bench {
namespace {

/// Owns a file without a name, in memory.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("scanlens", MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail();
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t done = ::write(descriptor_, text.data(), text.size());
      if (done < 0) fail();
      text.remove_prefix(static_cast<std::size_t>(done));
    }
    ::lseek(descriptor_, 0, SEEK_SET);
  }

  std::string read() const {
    std::string text;
    std::array<char, 4096> part;
    for (off_t at = 0;;) {
      const ssize_t done = ::pread(descriptor_, part.data(), part.size(), at);
      if (done < 0) fail();
      if (done == 0) return text;
      text.append(part.data(), static_cast<std::size_t>(done));
      at += done;
    }
  }

 private:
  [[noreturn]] static void fail() { throw Error("gnuplot: " + system_cause(errno)); }

  int descriptor_;
};

/// Returns what gnuplot prints for `script`.
std::string gnuplot(std::string_view script) {
  MemoryFile in, out, errors;
  in.write(script);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.descriptor(), STDERR_FILENO);
  char name[] = "gnuplot", from_input[] = "-";
  char* const arguments[] = {name, from_input, nullptr};
  pid_t child = 0;
  const int refused = ::posix_spawnp(&child, name, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (refused == ENOENT)
    throw Error("--plot needs gnuplot, which is not installed: on Debian, apt-get install gnuplot-nox");
  if (refused != 0) throw Error("gnuplot cannot be started: " + system_cause(refused));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const std::string said = errors.read();
    throw Error("gnuplot failed: " + said.substr(0, said.find_last_not_of('\n') + 1));
  }
  return out.read();
}

/// Holds points in the order of their length, by the name of the curve.
using Curves = std::map<std::string, std::map<std::int64_t, double>>;

Curves curves_of(const std::vector<Result>& results) {
  Curves curves;
  for (const Result& result : results) {
    const bool sweeps = result.primitive == "scan" || result.primitive == "algorithms";
    if (!sweeps || !result.verified()) continue;
    const auto add = [&](const std::string& name, double ms) {
      const std::string curve = fmt::format("{} {}, {}", name, result.type, result.device);
      curves[curve][result.elements] = static_cast<double>(result.bytes) / ms * 1e-6;
    };
    add("scanlens " + result.variant, result.ours.ms);
    add("copy", result.bound_ms);
    for (const PeerResult& peer : result.peers)
      if (peer.failed.empty()) add(peer.name, peer.time.ms);
  }
  std::erase_if(curves, [](const auto& curve) { return curve.second.size() < 2; });
  return curves;
}

/// Puts text into double quotes, where gnuplot would expand some characters.
std::string quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  return '"' + safe + '"';
}

}  // namespace

void check_plot(const std::filesystem::path& file, Overwrite overwrite) {
  if (file.extension() != ".svg")
    throw Error(ErrorKind::usage, "--plot " + file.string() + ": the name must end in .svg");
  check_target(file, {}, overwrite);
  gnuplot("exit\n");
}

void plot(const std::filesystem::path& file, const std::vector<Result>& results, Overwrite overwrite) {
  const Curves curves = curves_of(results);
  if (curves.empty())
    throw Error(file.string() + ": nothing to draw: no scan was measured over two lengths or more");
  std::string script =
      "set terminal svg size 1200,800 noenhanced background '#ffffff'\n"
      "set logscale x 2\nset logscale y 10\nset format x '2^%L'\nset grid\n"
      "set xlabel 'elements'\nset ylabel 'GB/s of the bytes that must move'\n"
      "set key outside right top\n";
  std::string list, blocks;
  int number = 0;
  for (const auto& [name, points] : curves) {
    blocks += fmt::format("$curve{} << EOD\n", number);
    for (const auto& [elements, gb_per_s] : points) blocks += fmt::format("{} {:.6g}\n", elements, gb_per_s);
    blocks += "EOD\n";
    const bool copy = name.starts_with("copy ");
    list += fmt::format("{}$curve{} with linespoints {} title {}", list.empty() ? "plot " : ", ", number,
                        copy ? "dashtype 2" : "linewidth 2", quoted(name));
    ++number;
  }
  const std::string picture = gnuplot(script + blocks + list + "\n");
  write_file(file, std::as_bytes(std::span(picture)), overwrite);
}

}  // namespace scanlens::bench
