// OpenEXR, scan lines in ZIP blocks of 16. Colours are multiplied by alpha there, as its readers expect.
#include <ImfChannelList.h>
#include <ImfChromaticitiesAttribute.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfOutputFile.h>
#include <ImfStandardAttributes.h>
#include <ImfStringAttribute.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "app/io/codecs/codecs.h"
#include "core/error.h"

namespace scanlens {
namespace {

class MemoryStream : public Imf::OStream {
 public:
  explicit MemoryStream(const std::string& name) : Imf::OStream(name.c_str()) {}

  void write(const char* from, int count) override {
    const std::size_t end = at_ + static_cast<std::size_t>(count);
    if (end > bytes_.capacity()) bytes_.reserve(std::max(end, bytes_.capacity() * 2));
    if (end > bytes_.size()) bytes_.resize(end);
    std::memcpy(bytes_.data() + at_, from, static_cast<std::size_t>(count));
    at_ = end;
  }
  std::uint64_t tellp() override { return at_; }
  void seekp(std::uint64_t at) override { at_ = at; }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

Imf::Header header_for(View<const float> image, const std::optional<Chromaticities>& points,
                       int compression) {
  Imf::Header header(static_cast<int>(image.width), static_cast<int>(image.height));
  header.compression() = compression > 0 ? Imf::ZIP_COMPRESSION : Imf::NO_COMPRESSION;
  if (compression > 0) header.zipCompressionLevel() = compression;
  if (points && image.channels > 1) {
    const Chromaticities& p = *points;
    Imf::addChromaticities(header, {{p[0], p[1]}, {p[2], p[3]}, {p[4], p[5]}, {p[6], p[7]}});
  }
  return header;
}

/// Adds texts and resolution; what has the name of an attribute of pixels stays that.
void add_words(Imf::Header& header, const Metadata& words) {
  constexpr std::size_t kMostName = 255;
  if (words.resolution && words.resolution->has_unit)
    Imf::addXDensity(header, static_cast<float>(words.resolution->x));
  for (const NamedText& text : words.texts) {
    const std::string name = text.name.substr(0, kMostName);
    const bool taken = name.empty() || name == "type" || name == "name" || name == "view" ||
                       header.find(name) != header.end();
    if (!taken) header.insert(name, Imf::StringAttribute(text.text));
  }
}

/// Writes `rows` lines at a time, so that the second copy of the picture stays small.
template <class T>
void write_lines(Imf::OutputFile& file, View<const float> image, const char* const* names) {
  constexpr std::int64_t kRows = 64;
  const auto samples = static_cast<std::size_t>(image.row_samples());
  std::vector<T> lines(samples * static_cast<std::size_t>(std::min(kRows, image.height)));
  const int channels = image.channels;
  for (std::int64_t first = 0; first < image.height; first += kRows) {
    const std::int64_t rows = std::min(kRows, image.height - first);
    for (std::int64_t y = 0; y < rows; ++y) {
      const float* in = image.row(first + y);
      T* out = lines.data() + static_cast<std::size_t>(y) * samples;
      for (std::size_t i = 0; i < samples; ++i) {
        const auto c = static_cast<int>(i % static_cast<std::size_t>(channels));
        const float alpha = channels == 4 && c < 3 ? in[i - static_cast<std::size_t>(c) + 3] : 1.0f;
        out[i] = static_cast<T>(in[i] * alpha);
      }
    }
    Imf::FrameBuffer frame;
    const std::size_t step = sizeof(T) * static_cast<std::size_t>(channels);
    char* const origin =
        reinterpret_cast<char*>(lines.data()) -
        static_cast<std::ptrdiff_t>(sizeof(T) * samples) * static_cast<std::ptrdiff_t>(first);
    for (int c = 0; c < channels; ++c)
      frame.insert(names[c],
                   Imf::Slice(std::is_same_v<T, float> ? Imf::FLOAT : Imf::HALF,
                              origin + sizeof(T) * static_cast<std::size_t>(c), step, sizeof(T) * samples));
    file.setFrameBuffer(frame);
    file.writePixels(static_cast<int>(rows));
  }
}

}  // namespace

Encoded encode_exr(View<const float> image, const std::optional<Chromaticities>& chromaticities, bool half,
                   int compression, const std::string& name, const Metadata& words, const char* single) {
  if (std::max(image.width, image.height) > INT32_MAX / 64)
    throw Error(fmt::format("{}: the picture is too wide or too high for OpenEXR", name));
  constexpr const char* kColourNames[] = {"R", "G", "B", "A"};
  const char* const* names = image.channels == 1 ? &single : kColourNames;
  try {
    Imf::Header header = header_for(image, chromaticities, compression);
    for (int c = 0; c < image.channels; ++c)
      header.channels().insert(names[c], Imf::Channel(half ? Imf::HALF : Imf::FLOAT));
    add_words(header, words);
    MemoryStream stream(name);
    {
      Imf::OutputFile file(stream, header);
      half ? write_lines<::half>(file, image, names) : write_lines<float>(file, image, names);
    }
    return owned(stream.take());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(fmt::format("{}: cannot be encoded as OpenEXR: {}", name, error.what()));
  }
}

}  // namespace scanlens
