#include "tests/bench/ranks/processes.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "core/error.h"

extern char** environ;

namespace scanlens::bench {
namespace {

std::optional<int> number_of(const char* variable) {
  const char* text = std::getenv(variable);
  if (!text || !*text) return std::nullopt;
  return std::atoi(text);
}

}  // namespace

Place place_of_process() {
  for (const auto& [rank, count, local] : {std::array{"RANK", "WORLD_SIZE", "LOCAL_RANK"},
                                           std::array{"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"}}) {
    const auto mine = number_of(rank), all = number_of(count), here = number_of(local);
    if (mine && all && here) return {*mine, *all, *here};
  }
  throw Error(ErrorKind::usage,
              "--meet: neither RANK, WORLD_SIZE and LOCAL_RANK nor SLURM_PROCID, SLURM_NTASKS and "
              "SLURM_LOCALID are set; start the ranks by torchrun or srun, or take --processes");
}

Ranks::Id meet_at(const std::string& file, const Place& place) {
  Ranks::Id id{};
  if (place.rank == 0) {
    id = Ranks::make_id();
    const std::string unfinished = file + ".new";
    std::ofstream(unfinished, std::ios::binary).write(id.data(), id.size());
    std::filesystem::rename(unfinished, file);
    return id;
  }
  constexpr int kSeconds = 60, kEach = 20;
  for (int i = 0; i < kSeconds * 1000 / kEach; ++i) {
    std::ifstream in(file, std::ios::binary);
    if (in.read(id.data(), id.size())) return id;
    std::this_thread::sleep_for(std::chrono::milliseconds(kEach));
  }
  throw Error(ErrorKind::retry, fmt::format("{}: rank 0 did not write it within {} s; start all ranks, with "
                                            "a file in a folder that all of them see",
                                            file, kSeconds));
}

int start_processes(int count, std::vector<std::string> words) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("scanlens-ranks-{}", getpid());
  std::filesystem::create_directory(folder);
  words.insert(words.begin(), {"/proc/self/exe", "ranks"});
  words.insert(words.end(), {"--meet", (folder / "id").string()});
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  setenv("WORLD_SIZE", std::to_string(count).c_str(), 1);
  std::vector<pid_t> children;
  for (int rank = 0; rank < count; ++rank) {
    setenv("RANK", std::to_string(rank).c_str(), 1);
    setenv("LOCAL_RANK", std::to_string(rank).c_str(), 1);
    pid_t child = 0;
    if (const int error = posix_spawn(&child, words[0].c_str(), nullptr, nullptr, pointers.data(), environ)) {
      for (const pid_t other : children) kill(other, SIGTERM);
      throw Error(ErrorKind::retry, fmt::format("a rank's process cannot be started: error {}", error));
    }
    children.push_back(child);
  }
  int worst = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    worst = std::max(worst, WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  std::filesystem::remove_all(folder);
  return worst;
}

}  // namespace scanlens::bench
