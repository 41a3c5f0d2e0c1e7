// Reads BMP, TGA and HDR through stb_image, compiled here with those three formats alone. Its authors say
// that it is not for untrusted input, and it takes missing bytes for zeros or leaves them indeterminate; so
// the gate stands before it and a source that notices every read past the end beneath it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC  // ImGui and others may carry their own
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_ONLY_HDR
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS 65535
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "app/io/codecs/codecs.h"
#include "core/error.h"

namespace scanlens {
namespace {

// stb reads ahead in blocks of this size, so that less than a block is normal at the end. Any other request
// is for bytes that the picture needs.
constexpr int kReadAhead = 128;
static_assert(sizeof(stbi__context::buffer_start) == kReadAhead);

struct Reader {
  Bytes bytes;
  std::size_t position = 0;
  bool overrun = false;

  static int read(void* user, char* to, int size) {
    auto& self = *static_cast<Reader*>(user);
    const std::size_t count = std::min(self.bytes.size() - self.position, static_cast<std::size_t>(size));
    std::memcpy(to, self.bytes.data() + self.position, count);
    std::memset(to + count, 0, static_cast<std::size_t>(size) - count);
    self.position += count;
    if (size > 0 && (count == 0 || (size != kReadAhead && count < static_cast<std::size_t>(size))))
      self.overrun = true;
    return static_cast<int>(count);
  }
  static void skip(void* user, int size) {
    auto& self = *static_cast<Reader*>(user);
    const auto wanted = static_cast<std::size_t>(std::max(size, 0));
    self.position += std::min(self.bytes.size() - self.position, wanted);
  }
  static int eof(void* user) {
    const auto& self = *static_cast<Reader*>(user);
    return self.position >= self.bytes.size();
  }
};
constexpr stbi_io_callbacks kCallbacks = {Reader::read, Reader::skip, Reader::eof};

const char* format_name(Format format) {
  return format == Format::bmp ? "BMP" : format == Format::tga ? "TGA" : "HDR";
}

// Sees the one thing that the reader cannot: a last row of exactly one read-ahead block, cut short.
bool raw_tga_is_short(Bytes bytes) {
  const auto at = [&](std::size_t i) { return std::to_integer<std::size_t>(bytes[i]); };
  const auto wide = [&](std::size_t i) { return at(i) | at(i + 1) << 8; };
  if (bytes.size() < 18) return true;
  if (at(2) > 3) return false;  // run lengths, whose reads are all of single bytes
  const std::size_t palette = wide(5) * ((at(7) + 7) / 8);
  return bytes.size() < 18 + at(0) + palette + wide(12) * wide(14) * ((at(16) + 7) / 8);
}

template <class T>
Picture copied(const T* samples, int width, int height, int channels) {
  Image<T> image(width, height, channels);
  std::memcpy(image.view().data, samples, image.bytes());
  return Picture{std::move(image)};
}

}  // namespace

Picture decode_stb(const Source& source, Format format) {
  const auto fail = [&](const char* cause) {
    throw Error(
        fmt::format("{}: the {} data is truncated or corrupt ({})", source.name, format_name(format), cause));
  };
  const auto reason = [] { return stbi_failure_reason() ? stbi_failure_reason() : "no reason given"; };
  int width = 0, height = 0, channels = 0;
  Reader header{source.bytes};
  if (!stbi_info_from_callbacks(&kCallbacks, &header, &width, &height, &channels)) fail(reason());
  if (channels == 2) channels = 4;  // grey and alpha
  const bool hdr = format == Format::hdr;
  check_gate(source, width, height, channels, hdr ? sizeof(float) : 1);
  if (format == Format::tga && raw_tga_is_short(source.bytes)) fail("fewer bytes than the header announces");

  Reader reader{source.bytes};
  int loaded_channels = 0;
  const auto load = [&](auto loader) {
    using Samples = decltype(loader(&kCallbacks, &reader, &width, &height, &loaded_channels, channels));
    const std::unique_ptr<std::remove_pointer_t<Samples>, void (*)(void*)> samples(
        loader(&kCallbacks, &reader, &width, &height, &loaded_channels, channels), stbi_image_free);
    if (!samples) fail(reason());
    if (reader.overrun) fail("it ends too early");
    return copied(samples.get(), width, height, channels);
  };
  if (!hdr) return load(stbi_load_from_callbacks);

  Picture picture = load(stbi_loadf_from_callbacks);
  const View<float> view = std::get<Image<float>>(picture.samples).view();
  for (std::int64_t i = 0; i < view.extent(); ++i)
    if (!(view.data[i] > 0)) view.data[i] = 0;  // negative and NaN alike
  return picture;
}

}  // namespace scanlens
