#include "app/batch/plan/fingerprint.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "app/batch/plan/hash.h"
#include "core/version.h"

namespace scanlens {

std::string fingerprint(std::string_view parameters, const std::vector<std::filesystem::path>& read) {
  std::string text = fmt::format("{}\n{}\n", kVersion, parameters);
  for (const std::filesystem::path& path : read) {
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0) status = {};
    text += fmt::format("{} {}.{:09}\n", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  }
  return fmt::format("{:016x}", hash_of(text));
}

}  // namespace scanlens
