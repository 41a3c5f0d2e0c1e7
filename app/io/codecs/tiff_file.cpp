#include "app/io/codecs/tiff_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

namespace scanlens {

tmsize_t TiffFile::read(thandle_t handle, void* to, tmsize_t size) {
  auto& self = *static_cast<TiffFile*>(handle);
  const std::uint64_t left = self.bytes_.size() - std::min<std::uint64_t>(self.position_, self.bytes_.size());
  const auto count =
      static_cast<std::size_t>(std::min(left, static_cast<std::uint64_t>(std::max<tmsize_t>(size, 0))));
  if (count > 0) std::memcpy(to, self.bytes_.data() + self.position_, count);
  self.position_ += count;
  return static_cast<tmsize_t>(count);
}

toff_t TiffFile::seek(thandle_t handle, toff_t offset, int whence) {
  auto& self = *static_cast<TiffFile*>(handle);
  self.position_ = offset + (whence == SEEK_CUR   ? self.position_
                             : whence == SEEK_END ? self.bytes_.size()
                                                  : 0);
  return self.position_;
}

toff_t TiffFile::size(thandle_t handle) {
  return static_cast<TiffFile*>(handle)->bytes_.size();
}

int TiffFile::note_error(TIFF*, void* user, const char* module, const char* format, va_list arguments) {
  auto& self = *static_cast<TiffFile*>(user);
  if (!self.error_.empty()) return 1;
  char text[200];
  std::vsnprintf(text, sizeof text, format, arguments);
  self.error_ = module && *module ? fmt::format("{}: {}", module, text) : std::string(text);
  return 1;
}

// A library's warning counts as an error if its cause changes the picture: without its palette, for one, it
// calls a picture grey.
int TiffFile::note_warning(TIFF* tiff, void* user, const char* module, const char* format,
                           va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  char text[200];
  std::vsnprintf(text, sizeof text, format, again);
  va_end(again);
  for (const char* grave : {"IO error", "ColorMap", "SampleFormat", "ExtraSamples", "SamplesPerPixel",
                            "Photometric", "PlanarConfig", "Predictor"})
    if (std::strstr(text, grave)) return note_error(tiff, user, module, format, arguments);
  return 1;
}

TiffPtr open_tiff(TiffFile& file, const Source& source) {
  constexpr std::size_t kMostSingle = std::size_t{1} << 30;
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  if (!options) throw std::bad_alloc();
  const std::size_t most =
      std::min(std::max(most_file_bytes(source.limits), source.bytes.size()), kMostSingle);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), static_cast<tmsize_t>(most));
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), TiffFile::note_error, &file);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), TiffFile::note_warning, &file);
  const auto write_nothing = [](thandle_t, void*, tmsize_t) -> tmsize_t { return 0; };
  const auto close_nothing = [](thandle_t) { return 0; };
  // The mode's m leaves memory maps out: reads are checked against the size.
  return TiffPtr(TIFFClientOpenExt(source.name.c_str(), "rm", &file, TiffFile::read, write_nothing,
                                   TiffFile::seek, close_nothing, TiffFile::size, nullptr, nullptr,
                                   options.get()));
}

namespace {

constexpr int kMostPages = 1000, kMostSubPages = 100;  // looked at

/// Returns the old SubfileType of a directory, a short that libtiff passes over; 0 if it is missing.
unsigned old_kind(Bytes file, std::uint64_t at) {
  constexpr unsigned kBig = 43;  // the version of BigTIFF
  const bool swapped = file[0] == std::byte{'M'};
  const auto number = [&](std::uint64_t from, std::uint64_t bytes) {
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < bytes; ++i)
      value |= std::to_integer<std::uint64_t>(file[from + (swapped ? bytes - 1 - i : i)]) << 8 * i;
    return value;
  };
  const bool big = number(2, 2) == kBig;
  const std::uint64_t head = big ? 8 : 2, entry = big ? 20 : 12, value = big ? 12 : 8, size = file.size();
  if (at > size || size - at < head) return 0;
  const std::uint64_t entries = std::min(number(at, head), (size - at - head) / entry);
  for (std::uint64_t i = 0; i < entries; ++i)
    if (const std::uint64_t place = at + head + i * entry; number(place, 2) == TIFFTAG_OSUBFILETYPE)
      return static_cast<unsigned>(number(place + value, 2));
  return 0;
}

/// True if the directory says that it holds a thumbnail, or the mask of another page.
bool is_secondary(TIFF* tiff, Bytes file) {
  std::uint32_t kind = 0;
  if (TIFFGetField(tiff, TIFFTAG_SUBFILETYPE, &kind) != 0)
    return (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0;
  return old_kind(file, TIFFCurrentDirOffset(tiff)) == OFILETYPE_REDUCEDIMAGE;
}

std::string remark_on(int page, const std::string& first) {
  if (page == 2) return fmt::format("page 1 is a thumbnail or mask of {}; page 2 is read", first);
  return fmt::format("pages 1 to {} are thumbnails or masks, the first of {}; page {} is read", page - 1,
                     first, page);
}

std::string size_of(TIFF* tiff) {
  std::uint32_t width = 0, height = 0;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
  return fmt::format("{} x {}", width, height);
}

std::vector<toff_t> sub_directories(TIFF* tiff) {
  std::uint16_t count = 0;
  const toff_t* offsets = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_SUBIFD, &count, &offsets) == 0) return {};
  return {offsets, offsets + std::min<int>(count, kMostSubPages)};
}

/// Moves to the first of the page's SubIFDs that is no thumbnail. Otherwise moves back and returns false.
bool enter_full(TIFF* tiff, Bytes file) {
  const auto page = TIFFCurrentDirOffset(tiff);
  for (const toff_t offset : sub_directories(tiff))
    if (TIFFSetSubDirectory(tiff, offset) != 0 && !is_secondary(tiff, file)) return true;
  TIFFSetSubDirectory(tiff, page);
  return false;
}

}  // namespace

std::string choose_page(TIFF* tiff, Bytes file) {
  if (!is_secondary(tiff, file)) return "";
  const std::string first = size_of(tiff);
  const auto begin = TIFFCurrentDirOffset(tiff);
  for (int page = 1; page <= kMostPages; ++page) {
    if (!is_secondary(tiff, file)) return remark_on(page, first);
    const auto at = TIFFCurrentDirOffset(tiff);
    if (enter_full(tiff, file))
      return fmt::format("page {} is a thumbnail of {}; the full picture that belongs to it is read", page,
                         first);
    if (TIFFSetSubDirectory(tiff, at) == 0 || TIFFReadDirectory(tiff) == 0) break;
  }
  TIFFSetSubDirectory(tiff, begin);
  return "";
}

}  // namespace scanlens
