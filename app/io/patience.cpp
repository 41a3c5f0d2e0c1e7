#include "app/io/patience.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <system_error>

namespace scanlens {
namespace {

constexpr int kUsualSilence = 30;
constexpr int kBusyTimes = 120;
/// Ticks of 10 ms that a program without work may take in a second.
constexpr std::uint64_t kIdleTicks = 1;

struct Process {
  pid_t parent = 0;
  std::uint64_t ticks = 0;
};

/// Returns what /proc/PID/stat says: "PID (NAME) STATE PARENT ...".
std::optional<Process> process_at(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  std::string text;
  std::getline(file, text, '\0');
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  Process process;
  char state = 0;
  unsigned long user = 0, system = 0;
  const int found =
      std::sscanf(text.c_str() + name_end + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state,
                  &process.parent, &user, &system);
  if (found != 4) return std::nullopt;
  process.ticks = user + system;
  return process;
}

/// Returns the bytes that a process has read and written, of pipes too.
std::uint64_t bytes_moved(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/io");
  std::uint64_t sum = 0, value = 0;
  std::string name;
  while (file >> name >> value)
    if (name == "rchar:" || name == "wchar:") sum += value;
  return sum;
}

std::map<pid_t, Process> processes() {
  std::map<pid_t, Process> all;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator("/proc", error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename();
    pid_t number = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (wrong != std::errc() || end != name.data() + name.size()) continue;
    if (const std::optional<Process> process = process_at(entry->path())) all[number] = *process;
  }
  return all;
}

std::vector<pid_t> family_in(const std::map<pid_t, Process>& all, pid_t program) {
  std::vector<pid_t> family;
  if (all.contains(program)) family.push_back(program);
  for (std::size_t i = 0; i < family.size(); ++i)
    for (const auto& [number, process] : all)
      if (process.parent == family[i]) family.push_back(number);
  return family;
}

}  // namespace

int most_silence() {
  const char* const text = std::getenv("SCANLENS_PATIENCE");
  int seconds = 0;
  if (text) std::from_chars(text, text + std::strlen(text), seconds);
  return seconds > 0 ? std::min(seconds, std::numeric_limits<int>::max() / kBusyTimes) : kUsualSilence;
}

std::vector<pid_t> family_of(pid_t program) {
  return family_in(processes(), program);
}

bool Patience::is_over(std::uint64_t passed) {
  const std::map<pid_t, Process> all = processes();
  std::uint64_t ticks = 0, bytes = 0;
  for (const pid_t process : family_in(all, program_)) {
    ticks += all.at(process).ticks;
    bytes += bytes_moved(process);
  }
  const bool passes = passed_ != passed;
  const bool is_busy = ticks > ticks_ + kIdleTicks || bytes != bytes_;
  silent_ = passes || is_busy ? 0 : silent_ + 1;
  seconds_ = passes ? 0 : seconds_ + 1;
  passed_ = passed;
  ticks_ = ticks;
  bytes_ = bytes;
  return silent_ >= most_silence() || seconds_ >= kBusyTimes * most_silence();
}

void Patience::reset() {
  passed_.reset();
  silent_ = seconds_ = 0;
}

}  // namespace scanlens
