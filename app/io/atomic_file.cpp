// The side of app/io/file.h that writes.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "app/io/file.h"
#include "app/io/file_mark.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

std::string link_path(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

// Returns where the bytes have to go: behind a symbolic link lies the file that is meant.
fs::path resolved(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_symlink(fs::symlink_status(path, ignored))) return path;
  std::error_code error;
  fs::path target = fs::canonical(path, error);
  if (error) throw Error(fmt::format("{}: is a symbolic link that leads nowhere", path.string()));
  return target;
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

bool is_pipe(const fs::path& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

/// Says whether the input, standard input among them, is the file of this status.
bool is_input(const fs::path& input, const struct stat& file) {
  if (input.empty()) return false;
  struct stat status = {};
  const bool known =
      (is_standard_stream(input) ? ::fstat(STDIN_FILENO, &status) : ::stat(input.c_str(), &status)) == 0;
  return known && status.st_dev == file.st_dev && status.st_ino == file.st_ino;
}

}  // namespace

void check_target(const fs::path& path, const fs::path& input, Overwrite overwrite) {
  if (is_standard_stream(path)) {
    if (::isatty(STDOUT_FILENO))
      throw Error(ErrorKind::usage, "standard output: is a terminal; redirect it to a file or a program");
    return;
  }
  if (is_pipe(path)) return;
  refuse_folder(path);
  const std::string name = path.string();
  if (!path.has_filename()) throw Error(fmt::format("{}: is not the name of a file", name));
  const fs::path target = resolved(path);
  struct stat status = {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists) {
    if (!S_ISREG(status.st_mode)) throw Error(fmt::format("{}: exists and is not a regular file", name));
    if (is_input(input, status))
      throw Error(fmt::format("{}: is the input itself, which is never overwritten", name));
    if (overwrite.never) throw Error(fmt::format("{}: exists, and is kept because of --no-clobber", name));
    const bool locked = (status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0 ||
                        ::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0;
    if (locked && !overwrite.read_only)
      throw Error(fmt::format("{}: exists and is read-only; --force replaces it all the same", name));
  }

  const fs::path folder = folder_of(target);
  struct stat place = {};
  if (::stat(folder.c_str(), &place) != 0)
    throw Error(fmt::format("{}: the folder {}: {}", name, folder.string(), system_cause(errno)));
  if (!S_ISDIR(place.st_mode)) throw Error(fmt::format("{}: {} is not a folder", name, folder.string()));
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    throw Error(
        fmt::format("{}: the folder {} is not writable: {}", name, folder.string(), system_cause(errno)));
}

AtomicFile::AtomicFile(const fs::path& path, Temporary temporary, Overwrite overwrite)
    : name_(output_name(path)),
      replaces_(!overwrite.never),
      mark_(overwrite.mark),
      times_of_(overwrite.times_of),
      streams_(is_standard_stream(path) || is_pipe(path)) {
  if (streams_) {
    // A pipe without a reader is an error, not a reason to wait; one that is read may be waited for.
    descriptor_ = is_standard_stream(path) ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                                           : ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor_ < 0 && errno == ENXIO) throw Error(name_ + ": nobody reads from this pipe");
    if (descriptor_ < 0) fail("cannot be written");
    if (!is_standard_stream(path)) ::fcntl(descriptor_, F_SETFL, ::fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
    return;
  }
  target_ = resolved(path);
  folder_ = folder_of(target_);
  struct stat status = {};
  if (::stat(target_.c_str(), &status) == 0) mode_ = status.st_mode & 0777;
  if (temporary == Temporary::named || !open_nameless()) open_named();
}

AtomicFile::~AtomicFile() {
  discard();
}

bool AtomicFile::open_nameless() {
  descriptor_ = ::open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return false;
  ::flock(descriptor_, LOCK_EX | LOCK_NB);  // before it can get a name
  if (::access(link_path(descriptor_).c_str(), F_OK) == 0) return true;
  discard();  // without /proc the file could never be given its name
  return false;
}

void AtomicFile::open_named() {
  guard_.emplace();
  for (int attempt = 0; attempt < 100; ++attempt) {
    const fs::path name = unique_name();
    passing_ = PassingName(name);
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0 && locked()) {
      temporary_ = name;
      return;
    }
    if (descriptor_ >= 0)
      ::close(std::exchange(descriptor_, -1));
    else if (errno != EEXIST)
      break;
  }
  fail("cannot be created");
}

// A program that removes abandoned files may have found the new file before it was locked.
bool AtomicFile::locked() const {
  ::flock(descriptor_, LOCK_EX);
  struct stat status = {};
  return ::fstat(descriptor_, &status) == 0 && status.st_nlink > 0;
}

fs::path AtomicFile::unique_name() const {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    number = static_cast<std::uint64_t>(::getpid());
  return folder_ / fmt::format(".scanlens-{:016x}.tmp", number);
}

void AtomicFile::write(Bytes bytes) {
  if (guard_ && signal_noted()) {  // long files are no reason for a signal to wait
    discard();
    const CommitGuard until_others_are_done;
    throw Error(fmt::format("{}: interrupted", name_));
  }
  while (!bytes.empty()) {
    note_progress();
    const ssize_t done = ::write(descriptor_, bytes.data(), std::min(bytes.size(), std::size_t{1} << 30));
    if (done < 0 && errno == EINTR) continue;
    if (done == 0) errno = ENOSPC;
    if (done < 0 && errno == EPIPE && streams_) end_if_nobody_reads(descriptor_);
    if (done <= 0) fail("cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void AtomicFile::rewrite(std::size_t at, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done == 0) errno = ENOSPC;
    if (done <= 0) fail("cannot be written");
    at += static_cast<std::size_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void AtomicFile::commit() {
  if (streams_) return;
  // FAT and exFAT keep no permissions, and refuse to be given any.
  if (mode_ && ::fchmod(descriptor_, *mode_) != 0 && errno != EPERM && errno != EOPNOTSUPP)
    fail("cannot be given the permissions of the file it replaces");
  if (!mark_.empty()) set_mark(descriptor_, mark_);
  struct stat input = {};
  if (!times_of_.empty() && ::stat(times_of_.c_str(), &input) == 0) {
    const timespec times[] = {input.st_atim, input.st_mtim};
    if (::futimens(descriptor_, times) != 0) fail("cannot be given the times of its input");
  }
  if (::fsync(descriptor_) != 0) fail("cannot be written to the disk");
  if (temporary_.empty()) link_into_place();
  if (!temporary_.empty()) rename_into_place();
  guard_.reset();
  const int descriptor = std::exchange(descriptor_, -1);
  ::close(descriptor);  // after a successful fsync it has nothing left to report

  // The name itself reaches the disk with its folder; the file is complete even where that is not supported.
  const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

// linkat cannot replace a file. Where one is in the way, the new one gets a temporary name for the moment
// until rename.
void AtomicFile::link_into_place() {
  const std::string source = link_path(descriptor_);
  const auto link = [&](const fs::path& name) {
    return ::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (link(target_)) return;
  if (errno == EEXIST && replaces_) {
    guard_.emplace();
    for (int attempt = 0; attempt < 100; ++attempt) {
      const fs::path name = unique_name();
      passing_ = PassingName(name);
      if (link(name)) {
        temporary_ = name;
        return;
      }
      if (errno != EEXIST) break;
    }
  }
  fail("cannot be given its name");
}

namespace {

/// Renames a file where nothing may be replaced. Returns false, with errno set, when something is in the way
/// or the filesystem fails. Such filesystems may refuse hard links; FAT and exFAT do not have them. Some
/// filesystems in user space have neither: there another program may take the name between look and rename.
bool rename_to_new(const fs::path& from, const fs::path& to) {
  if (::link(from.c_str(), to.c_str()) == 0) {
    ::unlink(from.c_str());
    return true;
  }
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK) return false;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSYS) return false;
  struct stat status = {};
  if (::lstat(to.c_str(), &status) == 0) errno = EEXIST;
  return errno == ENOENT && ::rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace

void AtomicFile::rename_into_place() {
  if (replaces_) {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be put in its place");
  } else if (!rename_to_new(temporary_, target_)) {
    fail("cannot be given its name");
  }
  temporary_.clear();
  passing_ = PassingName();
}

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  passing_ = PassingName();
  guard_.reset();
}

void AtomicFile::fail(const char* what) {
  const int error = errno;
  discard();
  throw Error(fmt::format("{}: {}: {}", name_, what, system_cause(error)));
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    throw Error(fmt::format("{}: the folder cannot be made: {}", path.string(), system_cause(error.value())));
}

void write_file(const fs::path& path, Bytes bytes, Overwrite overwrite) {
  AtomicFile file(path, AtomicFile::Temporary::nameless, overwrite);
  file.write(bytes);
  file.commit();
}

}  // namespace scanlens
