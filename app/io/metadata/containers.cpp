// Finds what picture files hold beside the pixels: colour profile, EXIF, XMP. Each container is walked by
// its lengths alone, every length checked against what is there.
#include "app/io/metadata/containers.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <string>

#include "app/io/metadata/gain_words.h"
#include "app/io/metadata/jpeg_parts.h"
#include "app/io/metadata/metadata.h"
#include "app/io/metadata/xmp_values.h"
#include "app/io/png_chunks.h"
#include "app/io/text.h"

namespace scanlens {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kXmp = "http://ns.adobe.com/xap/1.0/\0"sv;

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::byte> copied(Bytes bytes) {
  return {bytes.begin(), bytes.end()};
}

/// Returns what is left behind `start`, or nothing when the bytes do not start so.
Bytes after(Bytes bytes, std::string_view start) {
  return text_of(bytes).starts_with(start) ? bytes.subspan(start.size()) : Bytes{};
}

/// Returns what a zlib stream holds; nothing when it is broken, or holds more than metadata may.
std::vector<std::byte> inflated(Bytes stream) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> inflate(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!inflate) throw std::bad_alloc();
  std::vector<std::byte> out(std::min(stream.size() * 4 + 1024, kMostExtra));
  while (true) {
    std::size_t size = 0;
    const auto result = libdeflate_zlib_decompress(inflate.get(), stream.data(), stream.size(), out.data(),
                                                   out.size(), &size);
    if (result == LIBDEFLATE_SUCCESS) {
      out.resize(size);
      return out;
    }
    if (result != LIBDEFLATE_INSUFFICIENT_SPACE || out.size() >= kMostExtra) return {};
    out.resize(std::min(out.size() * 4, kMostExtra));
  }
}

/// Returns the bytes of a "Raw profile", as ImageMagick has it: a line feed, a name, a length, hexadecimal
/// digits.
std::vector<std::byte> raw_profile(Bytes text) {
  std::string_view rest = text_of(text);
  for (int line = 0; line < 3; ++line) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  std::vector<std::byte> bytes;
  int high = -1;
  for (const char c : rest) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) continue;
    if (high < 0) {
      high = digit;
    } else {
      bytes.push_back(static_cast<std::byte>(high << 4 | digit));
      high = -1;
    }
  }
  return bytes;
}

/// Cuts off what ends with a zero byte, and that byte. Takes everything if no byte is zero.
std::string_view word(Bytes& data) {
  const std::string_view text = text_of(data);
  const std::size_t end = std::min(text.find('\0'), text.size());
  data = data.subspan(std::min(end + 1, data.size()));
  return text.substr(0, end);
}

void read_png_colours(std::string_view kind, Bytes data, PngColours& colours) {
  const auto share = [&](std::size_t i) {
    return static_cast<double>(number_at(data, 4 * i, 4, true)) / 100000;
  };
  if (kind == "sRGB") colours.srgb = true;
  if (kind == "gAMA" && data.size() == 4) colours.gamma = share(0);
  if (kind == "cHRM" && data.size() == 32) {
    colours.chromaticities.emplace();
    for (std::size_t i = 0; i < 8; ++i)
      (*colours.chromaticities)[(i + 6) % 8] = static_cast<float>(share(i));  // white is first
  }
  if (kind == "cICP" && data.size() == 4) {
    colours.cicp.emplace();
    for (std::size_t i = 0; i < 4; ++i) (*colours.cicp)[i] = std::to_integer<std::uint8_t>(data[i]);
  }
}

/// Returns a text as UTF-8, where it is Latin-1.
std::string from_latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xc0 | code >> 6);
      utf8 += static_cast<char>(0x80 | (code & 63));
    }
  }
  return utf8;
}

/// Takes a text, unless other metadata stand in it as in ImageMagick's files.
void take_text(std::string_view name, std::string text, Metadata& carried) {
  constexpr std::string_view kRaw = "Raw profile type "sv;
  const std::string_view kind = name.starts_with(kRaw) ? name.substr(kRaw.size()) : ""sv;
  const bool exif = kind == "exif" || kind == "APP1", xmp = kind == "xmp";
  if (!exif && !xmp && kind != "iptc" && kind != "8bim") {
    carried.texts.push_back({from_latin1(name), std::move(text)});
    return;
  }
  std::vector<std::byte>& to = exif ? carried.exif : xmp ? carried.xmp : carried.photoshop;
  if (to.empty()) to = raw_profile(std::as_bytes(std::span(text)));
  if (exif && text_of(to).starts_with(kXmp)) {
    if (carried.xmp.empty()) carried.xmp = copied(after(to, kXmp));
    to.clear();
  }
}

/// Reads one of PNG's three kinds of text.
void read_png_text(std::string_view kind, Bytes data, Metadata& carried) {
  std::size_t held = 0;
  for (const NamedText& text : carried.texts) held += text.text.size();
  const std::string_view name = word(data);
  bool compressed = kind == "zTXt";
  if (kind == "iTXt") {
    if (data.size() < 2) return;
    compressed = data[0] != std::byte{0};
    data = data.subspan(2);
    word(data);  // a language, and the name in it
    word(data);
  } else if (compressed) {
    if (data.empty()) return;
    data = data.subspan(1);
  }
  const std::vector<std::byte> bytes = compressed ? inflated(data) : copied(data);
  if (bytes.size() > kMostExtra - std::min(held, kMostExtra) || (compressed && bytes.empty())) {
    carried.lost.push_back(fmt::format("the text {}", printable(name)));
  } else if (name == "XML:com.adobe.xmp") {
    carried.xmp = bytes;
  } else {
    take_text(name, kind == "iTXt" ? std::string(text_of(bytes)) : from_latin1(text_of(bytes)), carried);
  }
}

/// Says what of PNG's chunks needs no word: it is read elsewhere, or describes pixels as they were stored.
bool is_usual_chunk(std::string_view kind) {
  constexpr std::string_view kKinds[] = {"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "sRGB", "gAMA", "cHRM",
                                         "cICP", "sBIT", "bKGD", "hIST", "tIME", "acTL", "fcTL", "fdAT"};
  return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

void read_png_chunk(std::string_view kind, Bytes data, FileExtras& extras) {
  read_png_colours(kind, data, *extras.png);
  constexpr std::size_t kColorType = 9;  // of IHDR; bit 0 means a palette, bit 1 colours
  Metadata& carried = extras.carried;
  if (kind == "IHDR" && data.size() > kColorType)
    extras.is_grey = (std::to_integer<unsigned>(data[kColorType]) & 3) == 0;
  if (kind == "acTL" && data.size() == 8)
    extras.frames = static_cast<std::uint32_t>(number_at(data, 0, 4, true));
  if (kind == "fcTL") extras.shows_first_frame = true;
  if (kind == "iCCP") {
    word(data);
    extras.icc_incomplete = data.size() < 2;
    if (!extras.icc_incomplete) carried.icc = inflated(data.subspan(1));
    extras.icc_incomplete |= carried.icc.empty();
  } else if (kind == "eXIf") {
    carried.exif = copied(tiff_in(data));
  } else if (kind == "pHYs" && data.size() == 9) {
    const auto x = static_cast<double>(number_at(data, 0, 4, true));
    const auto y = static_cast<double>(number_at(data, 4, 4, true));
    const bool metres = data[8] == std::byte{1};
    carried.resolution = resolution(x, y, metres ? kMetresPerInch : 0);
  } else if (kind == "iTXt" || kind == "zTXt" || kind == "tEXt") {
    read_png_text(kind, data, carried);
  } else if (!is_usual_chunk(kind)) {
    carried.lost.push_back(fmt::format("the chunk {}", printable(kind)));
  }
}

/// Reads JFIF's header: version, unit, density.
void read_jfif(Bytes data, Metadata& carried) {
  constexpr unsigned kInch = 1, kCentimetre = 2;
  if (data.size() < 7) return;
  const auto unit = std::to_integer<unsigned>(data[2]);
  const double units = unit == kInch ? 1 : unit == kCentimetre ? kCmPerInch : 0;
  carried.resolution = resolution(static_cast<double>(number_at(data, 3, 2, true)),
                                  static_cast<double>(number_at(data, 5, 2, true)), units);
}

/// Collects what stands in a JPEG's segments.
class JpegSegments {
 public:
  void read(unsigned marker, Bytes data) {
    Metadata& carried = extras_.carried;
    if (marker == kApp0) {
      if (const Bytes jfif = after(data, "JFIF\0"sv); !jfif.empty()) read_jfif(jfif, carried);
    } else if (marker == kApp1) {
      read_app1(data);
    } else if (marker == kApp2) {
      read_app2(data);
    } else if (const Bytes part = marker == kApp13 ? after(data, "Photoshop 3.0\0"sv) : Bytes{};
               !part.empty()) {
      carried.photoshop.insert(carried.photoshop.end(), part.begin(), part.end());
    } else if (marker == kComments) {
      const std::string_view text = text_of(data).substr(0, text_of(data).find_last_not_of('\0') + 1);
      carried.texts.push_back({std::string(kComment), is_utf8(text) ? std::string(text) : from_latin1(text)});
    } else if (marker > kApp2 && marker <= kApp15 && marker != kAdobe) {
      lose(marker);
    }
  }

  FileExtras finished(Bytes file) {
    extras_.icc_incomplete = profile_.size() != parts_;
    for (const auto& [index, part] : profile_)
      if (!extras_.icc_incomplete)
        extras_.carried.icc.insert(extras_.carried.icc.end(), part.begin(), part.end());
    join_xmp(file);
    return std::move(extras_);
  }

 private:
  static constexpr unsigned kApp0 = 0xe0, kApp1 = 0xe1, kApp2 = 0xe2, kApp13 = 0xed, kAdobe = 0xee,
                            kApp15 = 0xef, kComments = 0xfe;

  void lose(unsigned marker) {
    std::string name = fmt::format("data in the JPEG's segments APP{}", marker - kApp0);
    std::vector<std::string>& lost = extras_.carried.lost;
    if (std::find(lost.begin(), lost.end(), name) == lost.end()) lost.push_back(std::move(name));
  }

  void read_app1(Bytes data) {
    Metadata& carried = extras_.carried;
    const Bytes exif = after(data, "Exif\0"sv), xmp = after(data, kXmp);
    if (exif.size() > 1 && carried.exif.empty()) carried.exif = copied(exif.subspan(1));
    if (!xmp.empty() && carried.xmp.empty()) carried.xmp = copied(xmp);
    const bool goes_on = !after(data, "http://ns.adobe.com/xmp/extension/\0"sv).empty();
    goes_on_ |= goes_on;
    if (exif.empty() && xmp.empty() && !goes_on) lose(kApp1);
  }

  void read_app2(Bytes data) {
    if (const Bytes index = after(data, "MPF\0"sv); !index.empty()) {
      extras_.pictures = mpf_pictures(index);
      extras_.has_views = mpf_has_views(index);
    }
    const Bytes part = after(data, "ICC_PROFILE\0"sv);
    const std::string_view text = text_of(data);
    if (part.empty() && !text.starts_with("MPF\0"sv) && !text.starts_with(kIsoGain)) lose(kApp2);
    if (part.size() < 2) return;
    parts_ = std::to_integer<std::size_t>(part[1]);
    profile_.emplace(std::to_integer<std::size_t>(part[0]), part.subspan(2));
  }

  void join_xmp(Bytes file) {
    if (!goes_on_) return;
    const JpegXmp xmp = xmp_of_jpeg(file);
    std::optional<std::string> more;
    for (const XmpStructure& note : xmp_structures(xmp.packet, "http://ns.adobe.com/xmp/note"))
      if (const std::string guid = note["HasExtendedXMP"]; !guid.empty()) more = extended_xmp(xmp, guid);
    if (more)
      extras_.more_xmp = copied(std::as_bytes(std::span(*more)));
    else
      extras_.carried.lost.emplace_back("extended XMP whose parts are not complete");
  }

  FileExtras extras_;
  std::map<std::size_t, Bytes> profile_;
  std::size_t parts_ = 0;
  bool goes_on_ = false;  ///< XMP does
};

/// Counts what stands behind a picture, but for zeros, and names it.
class Behind {
 public:
  void add(Bytes bytes) {
    const std::string_view text = text_of(bytes);
    if (text.find_first_not_of('\0') == std::string_view::npos) return;
    bytes_ += text.size();
    moves_ |= text.find("ftyp") != std::string_view::npos;
  }

  void name(Metadata& carried) const {
    if (bytes_ > 0)
      carried.lost.push_back(
          fmt::format("{} of {} bytes behind the picture", moves_ ? "the clip" : "data", bytes_));
  }

 private:
  std::size_t bytes_ = 0;
  bool moves_ = false;
};

/// Names what stands behind a JPEG and is no picture.
void name_rest(Bytes file, Metadata& carried) {
  std::size_t at = jpeg_length(file);
  if (at == 0 || at == file.size()) return;
  Behind rest;
  for (const Bytes picture : further_jpegs(file)) {
    const auto begin = static_cast<std::size_t>(picture.data() - file.data());
    if (begin < at) continue;
    rest.add(file.subspan(at, begin - at));
    at = begin + std::max(jpeg_length(picture), std::size_t{3});
  }
  rest.add(file.subspan(std::min(at, file.size())));
  rest.name(carried);
}

}  // namespace

std::optional<Resolution> resolution(double x, double y, double units_per_inch) {
  const bool has_unit = units_per_inch > 0;
  if (!(x > 0) || !(y > 0) || (!has_unit && x == y)) return {};
  const auto in_inches = [&](double value) {
    constexpr double kRounded = 0.01;
    if (has_unit) value *= units_per_inch;
    return std::abs(value - std::round(value)) < kRounded ? std::max(std::round(value), 1.0) : value;
  };
  return Resolution{in_inches(x), in_inches(y), has_unit};
}

Bytes tiff_in(Bytes exif) {
  const Bytes tiff = after(exif, "Exif\0\0"sv);
  return tiff.empty() ? exif : tiff;
}

FileExtras jpeg_extras(Bytes file) {
  JpegSegments segments;
  each_jpeg_segment(file, [&](unsigned marker, Bytes data) { segments.read(marker, data); });
  FileExtras extras = segments.finished(file);
  name_rest(file, extras.carried);
  return extras;
}

FileExtras png_extras(Bytes file) {
  FileExtras extras;
  extras.is_grey = false;
  extras.png.emplace();
  bool pixels = false;
  find_png_chunk(file, [&](const PngChunk& chunk) {
    pixels |= chunk.kind == "IDAT";
    // Chunks of an animation that follow the picture are about later frames.
    if (!pixels || (chunk.kind != "fcTL" && chunk.kind != "acTL"))
      read_png_chunk(chunk.kind, chunk.data, extras);
    if (chunk.kind != "IEND") return false;
    Behind rest;
    rest.add(file.subspan(static_cast<std::size_t>(chunk.whole.data() - file.data()) + chunk.whole.size()));
    rest.name(extras.carried);
    return true;
  });
  return extras;
}

FileExtras webp_extras(Bytes file) {
  FileExtras extras;
  for (std::size_t at = 12; at + 8 <= file.size();) {
    const std::string_view kind = text_of(file.subspan(at, 4));
    const std::size_t length = number_at(file, at + 4, 4, false);
    if (length > file.size() - at - 8) break;
    const Bytes data = file.subspan(at + 8, length);
    constexpr std::string_view kOfPixels[] = {"VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF"};
    if (kind == "ICCP")
      extras.carried.icc = copied(data);
    else if (kind == "EXIF")
      extras.carried.exif = copied(tiff_in(data));
    else if (kind == "XMP ")
      extras.carried.xmp = copied(data);
    else if (std::find(std::begin(kOfPixels), std::end(kOfPixels), kind) == std::end(kOfPixels))
      extras.carried.lost.push_back(fmt::format("the chunk {}", printable(kind)));
    at += 8 + length + length % 2;
  }
  return extras;
}

}  // namespace scanlens
