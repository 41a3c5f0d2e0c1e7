// Pictures from and to files row by row, in memory that does not grow with their height. Other formats go the
// same way, through a picture in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/io/file.h"
#include "app/io/picture.h"
#include "filters/filter.h"

namespace scanlens {

/// Samples are as Picture has them, in the machine's byte order.
class RowReader {
 public:
  virtual ~RowReader() = default;
  const RowFormat& format() const { return format_; }
  const Metadata& metadata() const { return metadata_; }
  const std::vector<Remark>& remarks() const { return remarks_; }
  int orientation() const { return orientation_; }  ///< as Picture's

  /// Fills `rows`, whole rows and no more than are left. Throws Error "PATH: cause".
  virtual void read(std::span<std::byte> rows) = 0;

  /// Goes back to the first row.
  virtual void rewind() = 0;

  /// Returns the file, where it is a JPEG that is decoded with the first row; nothing otherwise.
  virtual Bytes encoded() const { return {}; }

  /// Returns what reads the light of a picture with a gain map, in floats.
  virtual std::unique_ptr<RowReader> light() const { return nullptr; }

  /// After the last row: throws Error when the rest of the file is not as it should be.
  virtual void finish() {}

 protected:
  RowFormat format_;
  Metadata metadata_;
  std::vector<Remark> remarks_;
  int orientation_ = 1;
};

/// Binary PNM and PAM (P5, P6, P7) and PNG that is neither interlaced nor turned by its EXIF orientation are
/// read row by row, within `streamed` limits; all other formats of read_picture are read whole, within
/// `whole`. Throws what that throws, and at once when the file is shorter than its header says. Input through
/// a pipe is kept in memory, and has to be within `whole`. `late`: a JPEG without a gain map is decoded with
/// its first row, since its blocks may be all that is asked for.
std::unique_ptr<RowReader> open_rows(const std::filesystem::path& path, const Limits& streamed,
                                     const Limits& whole, bool late = false);

/// A file that appears complete or not at all.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual void write(std::span<const std::byte> rows) = 0;
  /// After the last row.
  virtual void commit() = 0;
};

/// The formats are those of write_picture, and `say` gets what that says. PNG and portable maps are written
/// row by row, other formats at the end, through write_picture. Throws Error when the format cannot hold the
/// channels.
std::unique_ptr<RowWriter> create_rows(const std::filesystem::path& path, const RowFormat& format,
                                       const WriteOptions& options, const Metadata& metadata = {},
                                       const Remarks& say = {});

/// Returns true if such a writer needs no whole picture.
bool is_written_by_rows(const std::filesystem::path& path, const RowFormat& format,
                        const WriteOptions& options = {});

/// Returns the host's bytes that such a writer takes at most.
std::int64_t row_writer_bytes(const std::filesystem::path& path, const RowFormat& format,
                              const WriteOptions& options = {});

using InputPtr = std::unique_ptr<InputFile>;

}  // namespace scanlens
