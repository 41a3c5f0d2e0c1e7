#include "app/io/file_mark.h"

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>

namespace scanlens {
namespace {

constexpr const char* kName = "user.scanlens.made";
constexpr const char* kSavedName = "user.scanlens.saved";

}  // namespace

bool set_mark(int descriptor, const std::string& mark) noexcept {
  return ::fsetxattr(descriptor, kName, mark.data(), mark.size(), 0) == 0;
}

std::string mark_of(const std::filesystem::path& path) {
  char mark[256];
  const ssize_t length = ::getxattr(path.c_str(), kName, mark, sizeof mark);
  return length > 0 ? std::string(mark, static_cast<std::size_t>(length)) : std::string();
}

void mark_saved(const std::filesystem::path& path) noexcept {
  ::setxattr(path.c_str(), kSavedName, "viewer", 6, 0);
}

bool is_marked_saved(const std::filesystem::path& path) noexcept {
  return ::getxattr(path.c_str(), kSavedName, nullptr, 0) >= 0;
}

bool keeps_marks(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor < 0) return ::getxattr(folder.c_str(), kName, nullptr, 0) >= 0 || errno != ENOTSUP;
  const bool kept = set_mark(descriptor, "1");
  ::close(descriptor);
  return kept;
}

}  // namespace scanlens
