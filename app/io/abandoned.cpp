#include "app/io/abandoned.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <exception>
#include <string>
#include <system_error>

namespace scanlens {
namespace {

namespace fs = std::filesystem;

/// Recognises what AtomicFile calls its temporary files: ".scanlens-", sixteen digits, ".tmp".
bool is_temporary(const std::string& name) {
  constexpr std::size_t kPrefix = 10, kDigits = 16;
  return name.size() == kPrefix + kDigits + 4 && name.starts_with(".scanlens-") && name.ends_with(".tmp") &&
         name.find_first_not_of("0123456789abcdef", kPrefix) == kPrefix + kDigits;
}

/// Removes the file while it is locked here. A writer that has only just made it then sees it gone once it
/// has the lock. Returns whether it was one that somebody wrote to.
bool remove_unless_locked(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return false;
  struct stat status = {};
  const bool removed = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor, &status) == 0 &&
                       ::unlink(path.c_str()) == 0;
  ::close(descriptor);
  return removed && status.st_size > 0;
}

}  // namespace

std::size_t remove_abandoned(const fs::path& folder) noexcept {
  std::size_t removed = 0;
  try {
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      if (is_temporary(at->path().filename().string())) removed += remove_unless_locked(at->path());
  } catch (const std::exception&) {
    // Out of memory: whatever is left stays.
  }
  return removed;
}

}  // namespace scanlens
