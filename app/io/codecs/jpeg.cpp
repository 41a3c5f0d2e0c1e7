#include <fmt/format.h>
#include <turbojpeg.h>

#include "app/io/codecs/codecs.h"
#include "core/error.h"

namespace scanlens {
namespace {

struct DestroyHandle {
  void operator()(void* handle) const { tjDestroy(handle); }
};
using HandlePtr = std::unique_ptr<void, DestroyHandle>;

HandlePtr checked(tjhandle handle, const std::string& name) {
  if (!handle) throw Error(ErrorKind::retry, fmt::format("{}: out of memory", name));
  return HandlePtr(handle);
}

[[noreturn]] void fail_read(const Source& source, tjhandle handle) {
  throw Error(
      fmt::format("{}: the JPEG data is truncated or corrupt ({})", source.name, tjGetErrorStr2(handle)));
}

// From this quality up colour is kept at full resolution (4:4:4); below it, halved both ways (4:2:0), as is
// usual.
constexpr int kLeastFullChromaQuality = 90;

}  // namespace

Picture decode_jpeg(const Source& source) {
  const HandlePtr handle = checked(tjInitDecompress(), source.name);
  const auto* bytes = reinterpret_cast<const unsigned char*>(source.bytes.data());
  int width = 0, height = 0, subsampling = -1, colors = -1;
  const int status =
      tjDecompressHeader3(handle.get(), bytes, source.bytes.size(), &width, &height, &subsampling, &colors);
  // An unusual chroma subsampling has no name in this library and is called an error here, but decodes all
  // the same.
  const bool only_unnamed = width > 0 && height > 0 && colors >= 0 && subsampling < 0;
  if (status != 0 && !only_unnamed) fail_read(source, handle.get());
  // A file that ends before its frame header counts as a set of tables for this library, which is no error to
  // it.
  if (width == 0 && height == 0)
    throw Error(
        fmt::format("{}: the JPEG data is truncated: it ends before the picture begins", source.name));
  if (colors == TJCS_CMYK || colors == TJCS_YCCK)
    throw Error(fmt::format("{}: this is a CMYK JPEG, convert it to RGB first", source.name));

  const int channels = colors == TJCS_GRAY ? 1 : 3;
  check_gate(source, width, height, channels, 1);
  Image<std::uint8_t> image(width, height, channels);
  if (tjDecompress2(handle.get(), bytes, source.bytes.size(), image.view().data, width, width * channels,
                    height, channels == 1 ? TJPF_GRAY : TJPF_RGB,
                    TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS | TJFLAG_ACCURATEDCT) != 0)
    fail_read(source, handle.get());
  return Picture{std::move(image)};
}

Encoded encode_jpeg(View<const std::uint8_t> image, int quality, const std::string& name) {
  if (quality < 1 || quality > 100)
    throw Error(ErrorKind::usage,
                fmt::format("{}: the JPEG quality is {}, but has to be 1..100", name, quality));
  const HandlePtr handle = checked(tjInitCompress(), name);
  const bool grey = image.channels == 1;
  const int subsampling = grey ? TJSAMP_GRAY : quality >= kLeastFullChromaQuality ? TJSAMP_444 : TJSAMP_420;
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  const int status =
      tjCompress2(handle.get(), image.data, static_cast<int>(image.width), static_cast<int>(image.pitch),
                  static_cast<int>(image.height), grey ? TJPF_GRAY : TJPF_RGB, &memory, &size, subsampling,
                  quality, TJFLAG_ACCURATEDCT);
  Encoded encoded{{memory, [](void* p) { tjFree(static_cast<unsigned char*>(p)); }}, size};
  if (status != 0)
    throw Error(fmt::format("{}: cannot be encoded as JPEG: {}", name, tjGetErrorStr2(handle.get())));
  return encoded;
}

}  // namespace scanlens
