// TIFF 6.0 through libtiff, into memory. Beyond 4 GB of samples it becomes BigTIFF.
#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "app/io/codecs/codecs.h"
#include "app/io/metadata/photoshop.h"
#include "core/error.h"

namespace scanlens {
namespace {

struct MemoryFile {
  std::vector<std::byte> bytes;
  std::size_t at = 0;
};

tsize_t write_bytes(thandle_t handle, void* from, tsize_t count) {
  auto& file = *static_cast<MemoryFile*>(handle);
  const std::size_t end = file.at + static_cast<std::size_t>(count);
  try {
    if (end > file.bytes.capacity()) file.bytes.reserve(std::max(end, file.bytes.capacity() * 2));
    if (end > file.bytes.size()) file.bytes.resize(end);
  } catch (...) {
    return 0;  // no exception may pass through libtiff
  }
  std::memcpy(file.bytes.data() + file.at, from, static_cast<std::size_t>(count));
  file.at = end;
  return count;
}

tsize_t read_bytes(thandle_t handle, void* to, tsize_t count) {
  auto& file = *static_cast<MemoryFile*>(handle);
  const std::size_t left = file.bytes.size() - std::min(file.at, file.bytes.size());
  const std::size_t done = std::min(left, static_cast<std::size_t>(count));
  std::memcpy(to, file.bytes.data() + file.at, done);
  file.at += done;
  return static_cast<tsize_t>(done);
}

toff_t seek_to(thandle_t handle, toff_t offset, int from) {
  auto& file = *static_cast<MemoryFile*>(handle);
  file.at = static_cast<std::size_t>(offset) + (from == SEEK_CUR   ? file.at
                                                : from == SEEK_END ? file.bytes.size()
                                                                   : 0);
  return file.at;
}

toff_t size_of(thandle_t handle) {
  return static_cast<MemoryFile*>(handle)->bytes.size();
}

int close_nothing(thandle_t) {
  return 0;
}

using TiffPtr = std::unique_ptr<TIFF, void (*)(TIFF*)>;

template <class T>
void write_strips(TIFF* tiff, View<const T> image, const std::string& name) {
  constexpr std::int64_t kStripBytes = 256 << 10;
  const auto row_bytes = image.row_samples() * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t rows = std::clamp<std::int64_t>(kStripBytes / row_bytes, 1, image.height);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rows));
  std::vector<T> strip(static_cast<std::size_t>(rows * image.row_samples()));  // the predictor works in place
  std::uint32_t index = 0;
  for (std::int64_t y = 0; y < image.height; y += rows, ++index) {
    const std::int64_t now = std::min(rows, image.height - y);
    std::copy_n(image.row(y), now * image.row_samples(), strip.data());
    if (TIFFWriteEncodedStrip(tiff, index, strip.data(), now * row_bytes) < 0)
      throw Error(fmt::format("{}: cannot be encoded as TIFF", name));
  }
}

/// Writes resolution, and IPTC twice: among Photoshop's resources, and alone, in words of 32 bits.
void write_words(TIFF* tiff, const Metadata& metadata) {
  if (metadata.resolution) {
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, metadata.resolution->x);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, metadata.resolution->y);
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, metadata.resolution->has_unit ? RESUNIT_INCH : RESUNIT_NONE);
  }
  if (metadata.photoshop.empty()) return;
  TIFFSetField(tiff, TIFFTAG_PHOTOSHOP, static_cast<std::uint32_t>(metadata.photoshop.size()),
               metadata.photoshop.data());
  const Bytes iptc = iptc_in(metadata.photoshop);
  std::vector<std::uint32_t> words((iptc.size() + 3) / 4);
  if (words.empty()) return;
  std::memcpy(words.data(), iptc.data(), iptc.size());
  TIFFSetField(tiff, TIFFTAG_RICHTIFFIPTC, static_cast<std::uint32_t>(words.size()), words.data());
}

}  // namespace

Encoded encode_tiff(const decltype(Picture::samples)& samples, const Metadata& metadata, int compression,
                    const std::string& name) {
  return std::visit(
      [&]<class T>(const Image<T>& image) {
        constexpr bool kFloating = std::is_floating_point_v<T>;
        constexpr std::size_t kMostClassic = std::size_t{4000} << 20;
        if (std::max(image.width(), image.height()) > INT32_MAX)
          throw Error(fmt::format("{}: the picture is too wide or too high for TIFF", name));
        TIFFSetErrorHandler(nullptr);
        TIFFSetWarningHandler(nullptr);
        MemoryFile file;
        // A file that grows is there twice for a moment. Samples may grow a little, and have words beside
        // them.
        constexpr std::size_t kBeside = 1 << 20;
        file.bytes.reserve(image.bytes() + image.bytes() / 64 + metadata.icc.size() + kBeside);
        const TiffPtr tiff(
            TIFFClientOpen(name.c_str(), image.bytes() > kMostClassic ? "w8" : "w", &file, read_bytes,
                           write_bytes, seek_to, close_nothing, size_of, nullptr, nullptr),
            TIFFClose);
        if (!tiff) throw Error(ErrorKind::retry, fmt::format("{}: out of memory", name));
        const auto set = [&](std::uint32_t tag, auto... values) { TIFFSetField(tiff.get(), tag, values...); };
        set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(image.width()));
        set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(image.height()));
        set(TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * sizeof(T)));
        set(TIFFTAG_SAMPLESPERPIXEL, image.channels());
        set(TIFFTAG_SAMPLEFORMAT, kFloating ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
        set(TIFFTAG_PHOTOMETRIC, image.channels() == 1 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
        set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        set(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
        if (image.channels() == 4) {
          const std::uint16_t alpha[] = {EXTRASAMPLE_UNASSALPHA};
          set(TIFFTAG_EXTRASAMPLES, 1, alpha);
        }
        if (compression > 0) {
          set(TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
          set(TIFFTAG_PREDICTOR, kFloating ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL);
          set(TIFFTAG_ZIPQUALITY, compression);
        } else {
          set(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
        }
        if (!metadata.icc.empty())
          set(TIFFTAG_ICCPROFILE, static_cast<std::uint32_t>(metadata.icc.size()), metadata.icc.data());
        if (!metadata.xmp.empty())
          set(TIFFTAG_XMLPACKET, static_cast<std::uint32_t>(metadata.xmp.size()), metadata.xmp.data());
        write_words(tiff.get(), metadata);
        write_strips(tiff.get(), image.view(), name);
        if (!TIFFFlush(tiff.get())) throw Error(fmt::format("{}: cannot be encoded as TIFF", name));
        return owned(std::move(file.bytes));
      },
      samples);
}

}  // namespace scanlens
