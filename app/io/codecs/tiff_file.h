// Files in memory as libtiff reads them. Inside scanlens_files.
#pragma once

#include <tiffio.h>

#include <cstdarg>
#include <cstdint>
#include <memory>
#include <string>

#include "app/io/codecs/codecs.h"

namespace scanlens {

struct CloseTiff {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using TiffPtr = std::unique_ptr<TIFF, CloseTiff>;

/// Holds a file in memory, where libtiff stands in it, and the first error that libtiff had to say.
class TiffFile {
 public:
  explicit TiffFile(Bytes bytes) : bytes_(bytes) {}
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  const std::string& error() const { return error_; }

 private:
  friend TiffPtr open_tiff(TiffFile& file, const Source& source);

  static tmsize_t read(thandle_t handle, void* to, tmsize_t size);
  static toff_t seek(thandle_t handle, toff_t offset, int whence);
  static toff_t size(thandle_t handle);
  static int note_error(TIFF*, void* user, const char* module, const char* format, va_list arguments);
  static int note_warning(TIFF* tiff, void* user, const char* module, const char* format, va_list arguments);

  Bytes bytes_;
  std::uint64_t position_ = 0;
  std::string error_;
};

/// Opens the file, which has to stay, for reading. Single allocations of libtiff are kept within what a
/// picture within the limits can need. Returns null when it is no TIFF; the file's error tells why.
TiffPtr open_tiff(TiffFile& file, const Source& source);

/// Moves to the first page that is neither a reduced picture nor a mask, by its tag NewSubfileType or the old
/// SubfileType; of a reduced page to the full picture among its SubIFDs, as cameras have it. Stays at the
/// first page if no page fits. Returns a remark on what was passed over; empty where nothing was.
std::string choose_page(TIFF* tiff, Bytes file);

}  // namespace scanlens
