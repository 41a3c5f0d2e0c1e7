#include "app/io/codecs/tiff_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

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

// What the library only warns of, but what changes the picture, counts as an error: without its palette, for
// one, it calls a picture grey.
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

}  // namespace scanlens
