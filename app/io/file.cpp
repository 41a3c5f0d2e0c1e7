#include "app/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

/// Closes a file unless it is released.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void release() { value_ = -1; }

 private:
  int value_;
};

}  // namespace

std::string system_cause(int error) {
  std::string text = std::generic_category().message(error);
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

bool is_standard_stream(const fs::path& path) {
  return path == "-";
}

std::string input_name(const fs::path& path) {
  return is_standard_stream(path) ? "standard input" : path.string();
}

std::string output_name(const fs::path& path) {
  return is_standard_stream(path) ? "standard output" : path.string();
}

namespace {

int open_input(const fs::path& path, const std::string& name) {
  if (!is_standard_stream(path)) return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  static std::atomic<bool> opened = false;
  if (opened.exchange(true)) throw Error(ErrorKind::usage, fmt::format("{}: can only be read once", name));
  if (::isatty(STDIN_FILENO)) throw Error(ErrorKind::usage, fmt::format("{}: is a terminal", name));
  return ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
}

}  // namespace

InputFile::InputFile(const fs::path& path, std::size_t most_bytes)
    : name_(input_name(path)), descriptor_(open_input(path, name_)) {
  Descriptor file(descriptor_);  // closes it when this constructor throws
  if (descriptor_ < 0) {
    if (path.empty())
      throw Error(ErrorKind::usage, "the name of the input is empty; name a file, or - for standard input");
    if (errno == ENOENT) throw Error(fmt::format("{}: no such file", name_));
    if (errno == ENXIO) throw Error(fmt::format("{}: not a file that can be read", name_));
    throw Error(fmt::format("{}: cannot be opened: {}", name_, system_cause(errno)));
  }
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0) throw Error(fmt::format("{}: {}", name_, system_cause(errno)));
  if (S_ISDIR(status.st_mode)) throw Error(fmt::format("{}: is a directory", name_));
  if (S_ISREG(status.st_mode)) {
    size_ = static_cast<std::size_t>(status.st_size);
  } else if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) {
    read_pipe(most_bytes);
  } else {
    throw Error(fmt::format("{}: is a device, not a file or a pipe", name_));
  }
  if (size_ == 0) throw Error(fmt::format("{}: the file is empty", name_));
  file.release();
}

void InputFile::read_pipe(std::size_t most_bytes) {
  constexpr std::size_t kLeast = std::size_t{1} << 20;
  while (true) {
    if (size_ > most_bytes)
      throw Error(fmt::format("{}: gives more than any picture within the limits needs ({})", name_,
                              bytes_text(most_bytes)));
    if (size_ == piped_.size()) piped_.resize(std::max(kLeast, size_ + size_ / 2));
    const ssize_t got = ::read(descriptor_, piped_.data() + size_, piped_.size() - size_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(fmt::format("{}: cannot be read: {}", name_, system_cause(errno)));
    if (got == 0) return;
    note_progress();
    size_ += static_cast<std::size_t>(got);
  }
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

void InputFile::read(std::size_t at, std::span<std::byte> bytes) const {
  if (!piped_.empty()) {
    std::memcpy(bytes.data(), piped_.data() + at, bytes.size());
    return;
  }
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor_, bytes.data(), std::min(bytes.size(), std::size_t{1} << 30),
                                static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(fmt::format("{}: cannot be read: {}", name_, system_cause(errno)));
    if (got == 0) throw Error(fmt::format("{}: became shorter while it was read", name_));
    note_progress();
    at += static_cast<std::size_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

Memory read_file(const fs::path& path, std::size_t most_bytes) {
  return read_file(InputFile(path, most_bytes), most_bytes);
}

Memory read_file(const InputFile& file, std::size_t most_bytes) {
  if (file.size() > most_bytes)
    throw Error(fmt::format("{}: the file has {}, more than any picture within the limits needs ({})",
                            file.name(), bytes_text(file.size()), bytes_text(most_bytes)));
  Memory memory(Backend::cpu, file.size());
  file.read(0, {memory.data(), memory.bytes()});
  return memory;
}

void refuse_folder(const fs::path& path) {
  if (path.empty())
    throw Error(ErrorKind::usage, "the name of the output is empty; name a file, or - for standard output");
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw Error(fmt::format("{}: is a directory", path.string()));
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  if (a.empty() || b.empty()) return false;
  const auto place = [](const fs::path& path) {
    std::error_code error;
    const fs::path found = fs::weakly_canonical(fs::absolute(path), error);
    return error ? fs::absolute(path) : found;
  };
  return place(a) == place(b);
}

}  // namespace scanlens
