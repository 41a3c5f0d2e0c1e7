// Portable Network Graphics, W3C Recommendation of 2003; filters by its section 12.8: for every row that one
// of the five whose bytes, taken for signed, have the least sum of magnitudes.
//
// A photo after the filter is mostly noise. Deflate's search for repetitions finds little in it, at great
// cost: run lengths and Huffman codes alone are smaller and faster (on a photo of 24 megapixels 29.7 MB
// against 35.2 of zlib's level 2, in 0.70 of its time). On drawings and screenshots it is the other way
// round, so that every band tries both ways on its beginning.
#include <fmt/format.h>
#include <libdeflate.h>
#include <tbb/parallel_for.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "app/color/profile.h"
#include "app/io/codecs/codecs.h"
#include "app/io/codecs/png.h"
#include "core/error.h"

namespace scanlens {
namespace {

static_assert(std::endian::native == std::endian::little);

using Byte = unsigned char;

constexpr std::size_t kBandBytes = std::size_t{256} << 10;  // a flush after as many costs nothing to speak of
constexpr std::size_t kProbeBytes = std::size_t{16} << 10;
constexpr std::int64_t kMostSide = 0x7fffffff;
constexpr int kFilters = 5;

int paeth(int left, int above, int corner) {
  const int to_left = std::abs(above - corner), to_above = std::abs(left - corner);
  const int to_corner = std::abs(left + above - 2 * corner);
  return to_left <= to_above && to_left <= to_corner ? left : to_above <= to_corner ? above : corner;
}

template <int kFilter>
Byte filtered(int value, int left, int above, int corner) {
  const int predicted = kFilter == 0   ? 0
                        : kFilter == 1 ? left
                        : kFilter == 2 ? above
                        : kFilter == 3 ? (left + above) / 2
                                       : paeth(left, above, corner);
  return static_cast<Byte>(value - predicted);
}

/// Filters a row of `count` bytes, `step` bytes a pixel, and returns the sum of the results' magnitudes.
template <int kFilter>
std::uint64_t filter_row(const Byte* row, const Byte* above, std::size_t count, std::size_t step, Byte* out) {
  const std::size_t first = std::min(step, count);
  for (std::size_t i = 0; i < first; ++i) out[i] = filtered<kFilter>(row[i], 0, above[i], 0);
  for (std::size_t i = first; i < count; ++i)
    out[i] = filtered<kFilter>(row[i], row[i - step], above[i], above[i - step]);
  std::uint64_t sum = 0;
  constexpr std::size_t kPart = std::size_t{1} << 20;  // its sum fits 32 bits, which vectors add faster
  for (std::size_t begin = 0; begin < count; begin += kPart) {
    std::uint32_t part = 0;
    for (std::size_t i = begin; i < std::min(begin + kPart, count); ++i)
      part += static_cast<std::uint32_t>(std::abs(static_cast<signed char>(out[i])));
    sum += part;
  }
  return sum;
}

using FilterRow = std::uint64_t (*)(const Byte*, const Byte*, std::size_t, std::size_t, Byte*);
constexpr FilterRow kFilterRows[kFilters] = {filter_row<0>, filter_row<1>, filter_row<2>, filter_row<3>,
                                             filter_row<4>};

/// Copies a row into PNG's byte order.
void to_file_order(const std::byte* row, int sample_bytes, std::vector<Byte>& out) {
  std::memcpy(out.data(), row, out.size());
  if (sample_bytes == 2)
    for (std::size_t i = 0; i + 1 < out.size(); i += 2) std::swap(out[i], out[i + 1]);
}

/// Holds rows on their way into the file.
struct Band {
  std::span<const std::byte> rows;
  const std::byte* above;  ///< null above the first row of the picture
  bool last;               ///< of the picture
  std::vector<Byte> filtered = {};
  std::vector<Byte> compressed = {};
  std::uint32_t checksum = 1;
};

void filter(Band& band, const RowFormat& format, int level) {
  const std::size_t row_bytes = format.row_bytes(), rows = band.rows.size() / row_bytes;
  const auto step = static_cast<std::size_t>(format.channels * format.sample_bytes);
  std::vector<Byte> row(row_bytes), above(row_bytes), trial(row_bytes), best(row_bytes);
  if (band.above) to_file_order(band.above, format.sample_bytes, above);
  band.filtered.resize(rows * (row_bytes + 1));
  Byte* out = band.filtered.data();
  for (std::size_t y = 0; y < rows; ++y, out += row_bytes + 1) {
    to_file_order(band.rows.data() + y * row_bytes, format.sample_bytes, row);
    int chosen = 0;
    std::uint64_t least = kFilterRows[0](row.data(), above.data(), row_bytes, step, best.data());
    for (int kind = 1; kind < kFilters && level > 0; ++kind) {
      const std::uint64_t sum = kFilterRows[kind](row.data(), above.data(), row_bytes, step, trial.data());
      if (sum >= least) continue;
      least = sum;
      chosen = kind;
      std::swap(trial, best);
    }
    out[0] = static_cast<Byte>(chosen);
    std::memcpy(out + 1, best.data(), row_bytes);
    std::swap(row, above);
  }
  band.checksum = libdeflate_adler32(1, band.filtered.data(), band.filtered.size());
}

/// Compresses `bytes` to a piece of a deflate stream.
std::vector<Byte> deflated(std::span<const Byte> bytes, int level, int strategy, bool last) {
  z_stream stream = {};
  if (deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, strategy) != Z_OK)
    throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, deflateEnd);
  std::vector<Byte> out(deflateBound(&stream, bytes.size()) + 16);  // a sync flush takes up to 9 more
  std::size_t at = 0, done = 0;
  constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
  for (int status = Z_OK; status == Z_OK;) {
    const std::size_t in = std::min(bytes.size() - at, kMost), room = std::min(out.size() - done, kMost);
    if (room == 0) {
      out.resize(out.size() * 2);
      continue;
    }
    const bool all = at + in == bytes.size();
    stream.next_in = const_cast<Byte*>(bytes.data() + at);
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = out.data() + done;
    stream.avail_out = static_cast<uInt>(room);
    status = deflate(&stream, !all ? Z_NO_FLUSH : last ? Z_FINISH : Z_SYNC_FLUSH);
    at += in - stream.avail_in;
    done += room - stream.avail_out;
    if (all && !last && stream.avail_out > 0) break;
  }
  out.resize(done);
  return out;
}

void compress(Band& band, int level) {
  const std::span<const Byte> bytes = band.filtered;
  int strategy = Z_DEFAULT_STRATEGY;
  if (level > 0) {
    const std::span<const Byte> probe = bytes.first(std::min(bytes.size(), kProbeBytes));
    if (deflated(probe, level, Z_RLE, true).size() < deflated(probe, level, Z_DEFAULT_STRATEGY, true).size())
      strategy = Z_RLE;
  }
  band.compressed = deflated(bytes, level, strategy, band.last);
}

Bytes bytes_of(const auto& values) {
  return std::as_bytes(std::span(values));
}

/// Returns a name as PNG has it: Latin-1, up to 79 letters. Others become question marks.
std::string chunk_name(std::string_view utf8) {
  constexpr std::size_t kMost = 79;
  std::string name;
  for (std::size_t i = 0; i < utf8.size() && name.size() < kMost; ++i) {
    const auto first = static_cast<unsigned char>(utf8[i]);
    const bool is_latin = (first == 0xc2 || first == 0xc3) && i + 1 < utf8.size();
    if (is_latin) ++i;
    if (first >> 6 != 0b10)
      name += first < 0x80 ? utf8[i] : is_latin ? static_cast<char>((first & 3) << 6 | (utf8[i] & 63)) : '?';
  }
  return name.empty() ? std::string(kComment) : name;
}

std::vector<Byte> zlib_stream(Bytes bytes) {
  uLongf size = compressBound(bytes.size());
  std::vector<Byte> out(size);
  if (compress2(out.data(), &size, reinterpret_cast<const Byte*>(bytes.data()), bytes.size(), 6) != Z_OK)
    throw std::bad_alloc();
  out.resize(size);
  return out;
}

}  // namespace

void write_png_chunk(const PngSink& sink, const std::string& name, const char* kind,
                     std::span<const Bytes> parts) {
  std::size_t size = 0;
  for (const Bytes& part : parts) size += part.size();
  if (size > static_cast<std::size_t>(kMostSide))
    throw Error(fmt::format("{}: a part of the picture is beyond PNG's 2 GiB per chunk", name));
  sink(big_endian(static_cast<std::uint32_t>(size)));
  std::uint32_t crc = libdeflate_crc32(0, kind, 4);
  sink(std::as_bytes(std::span(kind, 4)));
  for (const Bytes& part : parts) {
    crc = libdeflate_crc32(crc, part.data(), part.size());
    sink(part);
  }
  sink(big_endian(crc));
}

PngEncoder::PngEncoder(const std::string& name, const RowFormat& format, const Metadata& metadata, int level,
                       PngSink sink)
    : name_(name), format_(format), level_(level), sink_(std::move(sink)), left_(format.height) {
  if (format.width < 1 || format.height < 1 || format.width > kMostSide || format.height > kMostSide)
    throw Error(fmt::format("{}: {} x {} is not within PNG's 1 to {} pixels per side", name, format.width,
                            format.height, kMostSide));
  const auto rows = static_cast<std::int64_t>(kBandBytes / format.row_bytes());
  band_rows_ = std::max<std::int64_t>(rows, 1);

  constexpr Byte kSignature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  sink_(bytes_of(kSignature));
  const auto width = big_endian(static_cast<std::uint32_t>(format.width));
  const auto height = big_endian(static_cast<std::uint32_t>(format.height));
  const std::byte kinds[] = {std::byte(8 * format.sample_bytes),
                             std::byte(format.channels == 1   ? 0
                                       : format.channels == 3 ? 2
                                                              : 6),
                             std::byte{0}, std::byte{0}, std::byte{0}};
  write_chunk("IHDR", std::array{Bytes(width), Bytes(height), Bytes(kinds)});
  if (const auto cicp = cicp_tag(metadata.icc)) write_chunk("cICP", std::array{Bytes(*cicp)});
  if (!metadata.icc.empty()) {
    constexpr char kBefore[] = {'I', 'C', 'C', 0, 0};  // a name, its end, deflate
    const std::vector<Byte> profile = zlib_stream(metadata.icc);
    write_chunk("iCCP", std::array{bytes_of(kBefore), bytes_of(profile)});
  }
  if (!metadata.exif.empty()) write_chunk("eXIf", std::array{Bytes(metadata.exif)});
  if (!metadata.xmp.empty()) {
    constexpr char kBefore[] = "XML:com.adobe.xmp\0\0\0\0";  // not compressed, no language; ends in one more
    write_chunk("iTXt", std::array{bytes_of(kBefore), Bytes(metadata.xmp)});
  }
  write_words(metadata);
}

void PngEncoder::write_words(const Metadata& metadata) {
  if (metadata.resolution) {
    constexpr double kInchesPerMetre = 1 / 0.0254, kMost = 2147483647;
    const Resolution& resolution = *metadata.resolution;
    const double units = resolution.has_unit ? kInchesPerMetre : 1;
    const auto number = [&](double value) {
      return big_endian(static_cast<std::uint32_t>(std::lround(std::clamp(value * units, 1.0, kMost))));
    };
    const auto x = number(resolution.x), y = number(resolution.y);
    const std::byte unit[] = {std::byte(resolution.has_unit)};
    write_chunk("pHYs", std::array{Bytes(x), Bytes(y), Bytes(unit)});
  }
  if (!metadata.photoshop.empty()) {  // as ImageMagick has it, which other programs read
    std::string text = fmt::format("\n8bim\n{:8}\n", metadata.photoshop.size());
    for (std::size_t i = 0; i < metadata.photoshop.size(); ++i)
      text += fmt::format("{}{:02x}", i > 0 && i % 36 == 0 ? "\n" : "", metadata.photoshop[i]);
    const std::vector<Byte> words = zlib_stream(std::as_bytes(std::span(text)));
    constexpr char kBefore[] = "Raw profile type 8bim\0";  // deflate
    write_chunk("zTXt", std::array{bytes_of(kBefore), bytes_of(words)});
  }
  for (const NamedText& text : metadata.texts) {
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    const bool plain = std::all_of(text.text.begin(), text.text.end(), is_ascii);
    // Behind a name of international text: not compressed, no language, no other name.
    const std::string name = chunk_name(text.name) + std::string(plain ? 1 : 5, '\0');
    write_chunk(plain ? "tEXt" : "iTXt",
                std::array{std::as_bytes(std::span(name)), std::as_bytes(std::span(text.text))});
  }
}

void PngEncoder::write(std::span<const std::byte> rows) {
  const std::size_t band_bytes = static_cast<std::size_t>(band_rows_) * format_.row_bytes();
  const std::size_t batch_bytes = std::max(kPngBatchBytes / band_bytes, std::size_t{1}) * band_bytes;
  while (!rows.empty()) {
    const std::size_t wanted =
        std::min(batch_bytes, static_cast<std::size_t>(left_) * format_.row_bytes()) - waiting_.size();
    const std::span<const std::byte> next = rows.first(std::min(wanted, rows.size()));
    rows = rows.subspan(next.size());
    if (waiting_.empty() && next.size() == wanted) {
      encode(next);
      continue;
    }
    waiting_.reserve(waiting_.size() + wanted);
    waiting_.insert(waiting_.end(), next.begin(), next.end());
    if (next.size() < wanted) return;
    encode(waiting_);
    waiting_.clear();
  }
}

void PngEncoder::encode(std::span<const std::byte> rows) {
  const std::size_t row_bytes = format_.row_bytes();
  const std::size_t band_bytes = static_cast<std::size_t>(band_rows_) * row_bytes;
  const bool first = left_ == format_.height;
  left_ -= static_cast<std::int64_t>(rows.size() / row_bytes);
  std::vector<Band> bands;
  for (std::size_t at = 0; at < rows.size(); at += band_bytes) {
    const std::size_t bytes = std::min(band_bytes, rows.size() - at);
    const std::byte* above = at > 0 ? rows.data() + at - row_bytes : first ? nullptr : above_.data();
    bands.push_back({rows.subspan(at, bytes), above, left_ == 0 && at + bytes == rows.size()});
  }
  tbb::parallel_for(std::size_t{0}, bands.size(), [&](std::size_t i) {
    filter(bands[i], format_, level_);
    compress(bands[i], level_);
  });
  const std::span<const std::byte> lowest = rows.last(row_bytes);
  above_.assign(lowest.begin(), lowest.end());

  std::vector<Bytes> parts;
  constexpr Byte kZlibHeader[] = {0x78, 0x01};
  if (first) parts.push_back(bytes_of(kZlibHeader));
  for (const Band& band : bands) {
    checksum_ = static_cast<std::uint32_t>(
        adler32_combine(checksum_, band.checksum, static_cast<z_off_t>(band.filtered.size())));
    parts.push_back(bytes_of(band.compressed));
  }
  const auto checksum = big_endian(checksum_);
  if (left_ == 0) parts.push_back(bytes_of(checksum));
  write_chunk("IDAT", parts);
  if (left_ == 0) write_chunk("IEND", {});
}

}  // namespace scanlens
