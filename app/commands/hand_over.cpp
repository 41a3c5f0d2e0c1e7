#include "app/commands/hand_over.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/error.h"

namespace scanlens {

void hand_over_to_bench(std::vector<std::string> words) {
  std::error_code unknown;
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe", unknown).replace_filename("scanlens-bench");
  words.erase(std::find(words.begin(), words.end(), "bench"));
  std::vector<char*> arguments = {const_cast<char*>("scanlens-bench")};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  execv(program.c_str(), arguments.data());
  throw Error(errno == ENOENT
                  ? fmt::format("bench: {} is missing, as it is no part of the package; build the target "
                                "scanlens-bench and copy the program there",
                                program.string())
                  : fmt::format("bench: cannot run {}: {}", program.string(), std::strerror(errno)));
}

}  // namespace scanlens
