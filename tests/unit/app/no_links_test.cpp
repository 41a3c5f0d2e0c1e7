// Outputs on filesystems without hard links, such as FAT and exFAT: calls of the C library that the writer
// makes are refused here as these refuse them.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/io/file.h"
#include "tests/unit/support/pictures.h"

namespace {
bool has_links = true, has_no_replace = true;
}

extern "C" int link(const char* from, const char* to) noexcept {
  if (has_links) return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
  errno = EPERM;
  return -1;
}
extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                         unsigned flags) noexcept {
  if (has_no_replace)
    return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
  errno = EINVAL;
  return -1;
}

namespace scanlens::test {
namespace {

class NoLinks : public testing::TestWithParam<bool> {
 protected:
  NoLinks() {
    has_links = false;
    has_no_replace = GetParam();
  }
  ~NoLinks() override { has_links = has_no_replace = true; }

  static void write(const fs::path& path, const char* text) {
    AtomicFile file(path, AtomicFile::Temporary::named, {.never = true});
    file.write(std::as_bytes(std::span(text, std::strlen(text))));
    file.commit();
  }
  const TemporaryFolder folder;
};
INSTANTIATE_TEST_SUITE_P(, NoLinks, testing::Bool(),
                         [](const auto& info) { return info.param ? "RenameNoReplace" : "RenameAlone"; });

TEST_P(NoLinks, ANewFileGetsItsName) {
  write(folder / "new", "text");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"new"});
}

TEST_P(NoLinks, AFileThatCameMeanwhileIsKept) {
  write(folder / "old", "first");
  expect_failure(failure_of([&] { write(folder / "old", "second"); }), "exists");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"old"}) << "no temporary file is left";
  EXPECT_EQ(fs::file_size(folder / "old"), std::strlen("first"));
}

}  // namespace
}  // namespace scanlens::test
