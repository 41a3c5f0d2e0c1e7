// The most memory that a piece of work takes from the system, which accounts are held against.
#pragma once

#include <malloc.h>
#include <sched.h>
#include <tbb/global_control.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tests/unit/support/support.h"

namespace scanlens::test {

/// The reason to skip a test where nothing counts.
inline constexpr const char* kUncounted = "nothing counts here what the process takes";

/// Bytes that threads and libraries keep, and that malloc cannot give back, of a process that has done much.
inline constexpr std::int64_t kUncertain = 32 << 20;

/// Returns a value of /proc/self/status, in bytes.
inline std::int64_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1)) << 10;
  return 0;
}

/// Keeps all threads of the process on two of its processors. The system counts pages on each processor by
/// itself, up to half a megabyte before it adds them up: on 64 processors that is more than kUncertain.
class OnTwoProcessors {
 public:
  OnTwoProcessors() {
    CPU_ZERO(&before_);
    ::sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t two;
    CPU_ZERO(&two);
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++cpu)
      if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &two);
    set(two);
  }
  ~OnTwoProcessors() { set(before_); }
  OnTwoProcessors(const OnTwoProcessors&) = delete;
  OnTwoProcessors& operator=(const OnTwoProcessors&) = delete;

 private:
  static void set(const cpu_set_t& processors) {
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
      ::sched_setaffinity(std::stoi(thread.path().filename()), sizeof(processors), &processors);
  }
  cpu_set_t before_;
};

/// Returns the bytes that the process has in memory at most while it does the work, beside those that it had.
/// Nothing where the system does not count them anew, and under sanitizers, which take memory of their own.
template <class Work>
std::optional<std::int64_t> peak_bytes(const Work& work) {
  if (is_set("SCANLENS_SANITIZED")) return std::nullopt;
  // Threads have memory of their own.
  const tbb::global_control few(tbb::global_control::max_allowed_parallelism, 2);
  const OnTwoProcessors near;
  // Large blocks go back to the system at once, and memory that lies ready would not count.
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  malloc_trim(0);
  const std::int64_t before = status_bytes("VmRSS");
  if (!(std::ofstream("/proc/self/clear_refs") << "5" << std::flush)) return std::nullopt;
  work();
  return status_bytes("VmHWM") - before;
}

}  // namespace scanlens::test
