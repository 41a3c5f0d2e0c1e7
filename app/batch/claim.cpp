#include "app/batch/claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "app/batch/plan/hash.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

/// Returns true if the file still has its name, and was not removed by its last holder.
bool has_name(int descriptor, const fs::path& name) {
  struct stat held = {}, named = {};
  return ::fstat(descriptor, &held) == 0 && ::stat(name.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

}  // namespace

bool Claim::take(const fs::path& folder, const fs::path& output) {
  if (descriptor_ >= 0) return true;
  const fs::path file =
      folder / fmt::format(".scanlens-{:016x}.tmp", hash_of(output.lexically_proximate(folder).native()));
  for (int attempt = 0; attempt < 100; ++attempt) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return true;  // writing the output will tell the cause
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      if (error != EWOULDBLOCK) ::unlink(file.c_str());
      ::close(descriptor);
      return error != EWOULDBLOCK;
    }
    if (has_name(descriptor, file)) {
      descriptor_ = descriptor;
      passing_ = PassingName(file);
      file_ = file;
      return true;
    }
    ::close(descriptor);
  }
  return true;
}

void Claim::release() noexcept {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());
  passing_ = PassingName();
  ::close(std::exchange(descriptor_, -1));
}

}  // namespace scanlens
