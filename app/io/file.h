// Files are read whole or part by part, and written all or nothing.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/io/signals.h"
#include "core/context.h"

namespace scanlens {

using Bytes = std::span<const std::byte>;

/// Returns true if the path is "-": standard input, or standard output.
bool is_standard_stream(const std::filesystem::path& path);

/// Returns what messages call an input: its path, or "standard input".
std::string input_name(const std::filesystem::path& path);
std::string output_name(const std::filesystem::path& path);

/// Opens a file to be read; "-" is standard input, which can be opened once. Inputs that cannot be read at
/// any place (a pipe, a socket) are read to memory at once, until their writer ends. Throws Error "PATH:
/// cause" when it is missing, unreadable, a directory, a device, empty, or such a pipe gives more than
/// `most_bytes`.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path, std::size_t most_bytes = SIZE_MAX);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& name() const { return name_; }
  std::size_t size() const { return size_; }

  /// Fills `bytes` from offset `at` on; all of them must lie within the size. Throws Error when the file has
  /// become shorter or cannot be read.
  void read(std::size_t at, std::span<std::byte> bytes) const;

 private:
  void read_pipe(std::size_t most_bytes);

  std::string name_;
  std::size_t size_ = 0;
  int descriptor_;
  std::vector<std::byte> piped_;  ///< what a pipe gave
};

/// Reads the whole of such a file. Throws Error as well when it is larger than `most_bytes`.
Memory read_file(const std::filesystem::path& path, std::size_t most_bytes);
Memory read_file(const InputFile& file, std::size_t most_bytes);

/// Permissions to replace a file at the path of an output, and the mark of the new file.
struct Overwrite {
  bool never = false;      ///< an existing file is refused
  bool read_only = false;  ///< a file that may not be written to is replaced, too
  std::string mark = {};   ///< what mark_of the new file will say, where its filesystem can keep it
  std::filesystem::path times_of = {};  ///< the file whose times the new file gets; empty: those of writing
};

/// Throws Error when the path of an output is empty or a folder's, and has no extension to be judged by.
void refuse_folder(const std::filesystem::path& path);

/// Says whether both name one file, whether or not it exists yet. Empty names match nothing.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Throws Error when a file could not be written to `path` by AtomicFile: a missing or unwritable folder, an
/// existing path that is not a regular file, or the same file (by device and inode) as `input`, unless that
/// is empty; when it must not be: see Overwrite; or when it is "-" and standard output is a terminal.
void check_target(const std::filesystem::path& path, const std::filesystem::path& input = {},
                  Overwrite overwrite = {});

/// Writes a file that appears under its name complete or not at all. A file that was there before stays until
/// `commit` replaces it; its permissions are kept; a new file gets those that the umask allows. A symbolic
/// link is followed: the file that it names is replaced, the link stays. Where it must never overwrite, a
/// file that has come in the meantime makes `commit` fail. Every failure throws Error "PATH: cause" and
/// leaves the folder as it was. The path "-" is standard output; it and a pipe get the bytes as they come.
class AtomicFile {
 public:
  enum class Temporary {
    nameless,  ///< O_TMPFILE where the filesystem has it: even a killed process leaves nothing behind; else
               ///< named
    named,     ///< a unique name in the target's folder, locked while its writer lives: see abandoned.h
  };

  explicit AtomicFile(const std::filesystem::path& path, Temporary temporary = Temporary::nameless,
                      Overwrite overwrite = {});
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(Bytes bytes);

  /// Says whether the bytes go to standard output or a pipe as they come.
  bool streams() const { return streams_; }

  /// Writes over bytes that were written, from offset `at` on; not where they were streamed.
  void rewrite(std::size_t at, Bytes bytes);

  /// Returns the descriptor of the file, for a program that writes it in our place.
  int descriptor() const { return descriptor_; }

  /// Syncs the file to the disk and puts it in its place.
  void commit();

 private:
  bool open_nameless();
  void open_named();
  bool locked() const;
  std::filesystem::path unique_name() const;
  void link_into_place();
  void rename_into_place();
  void discard() noexcept;
  [[noreturn]] void fail(const char* what);

  std::string name_;  ///< as the caller wrote it, for messages
  std::filesystem::path target_;
  std::filesystem::path folder_;
  std::filesystem::path temporary_;  ///< empty while the file has no name
  PassingName passing_;              ///< it, too
  std::optional<mode_t> mode_;       ///< the replaced file's
  bool replaces_;                    ///< what stands there at the end
  std::string mark_;
  std::filesystem::path times_of_;
  std::optional<CommitGuard> guard_;
  int descriptor_ = -1;
  bool streams_ = false;  ///< to standard output
};

/// Makes a folder and those above it, where they are missing. Throws Error "PATH: cause".
void make_folder(const std::filesystem::path& path);

/// Writes a file whole, through an AtomicFile.
void write_file(const std::filesystem::path& path, Bytes bytes, Overwrite overwrite = {});

/// Says what an errno means, to stand after a colon: "no such file or directory".
std::string system_cause(int error);

}  // namespace scanlens
