// Portable grey, pixel and any maps (P5, P6, P7), row by row.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "app/io/codecs/codecs.h"
#include "app/io/stream.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostHeader = 64 << 10;  // comments included

struct AnyMap {
  std::int64_t width = 0, height = 0;
  int channels = 1;
  std::uint32_t most = 0;
  std::size_t length = 0;  ///< bytes before the first sample
};

AnyMap parse_pnm(const std::string& name, Bytes beginning) {
  const NetpbmHeader header = parse_netpbm_header({name, beginning, {}});
  return {header.width, header.height, header.kind == '6' ? 3 : 1, sample_range(name, header.last),
          header.length};
}

/// Lines of a word and a value, in any order, from the second line to ENDHDR.
AnyMap parse_pam(const std::string& name, Bytes beginning) {
  const std::string_view text(reinterpret_cast<const char*>(beginning.data()), beginning.size());
  const auto fail = [&](const std::string& cause) { throw Error(fmt::format("{}: {}", name, cause)); };
  AnyMap map;
  std::int64_t channels = 0, most = 0;
  for (std::size_t at = 3;;) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) fail("the PAM header has no ENDHDR");
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line == "ENDHDR") {
      map.length = at;
      break;
    }
    if (line.empty() || line.starts_with('#') || line.starts_with("TUPLTYPE")) continue;
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, space);
    std::int64_t* const value = word == "WIDTH"    ? &map.width
                                : word == "HEIGHT" ? &map.height
                                : word == "DEPTH"  ? &channels
                                : word == "MAXVAL" ? &most
                                                   : nullptr;
    const std::string_view digits = line.substr(std::min(space + 1, line.size()));
    if (!value || std::from_chars(digits.data(), digits.data() + digits.size(), *value).ptr !=
                      digits.data() + digits.size())
      fail(fmt::format("the line '{}' of the PAM header makes no sense", line.substr(0, 40)));
  }
  if (channels != 1 && channels != 3 && channels != 4)
    fail(fmt::format("a PAM of depth {} is not grey, RGB or RGBA", channels));
  map.channels = static_cast<int>(channels);
  map.most = sample_range(name, static_cast<double>(most));
  return map;
}

class PnmReader : public RowReader {
 public:
  PnmReader(InputPtr file, const Limits& limits) : owner_(std::move(file)), file_(*owner_) {
    std::vector<std::byte> beginning(std::min(file_.size(), kMostHeader));
    file_.read(0, beginning);
    const AnyMap map =
        sniff(beginning, {}) == Format::pam ? parse_pam(file_.name(), beginning) : parse_pnm(file_.name(), beginning);
    most_ = map.most;
    at_ = map.length;
    format_ = {map.width, map.height, map.channels, most_ > 255 ? 2 : 1};
    check_gate(file_.name(), file_.size(), limits, map.width, map.height, map.channels, format_.sample_bytes);
    const std::size_t bytes = format_.row_bytes() * static_cast<std::size_t>(map.height);
    if (file_.size() - at_ < bytes)
      throw Error(fmt::format("{}: the PNM data is truncated ({} of {} bytes)", file_.name(),
                              file_.size() - at_, bytes));
  }

  void read(std::span<std::byte> rows) override {
    file_.read(at_, rows);
    at_ += rows.size();
    if (format_.sample_bytes == 2)
      netpbm_samples(rows.data(), rows.size() / 2, most_, reinterpret_cast<std::uint16_t*>(rows.data()));
    else if (most_ < 255)
      netpbm_samples(rows.data(), rows.size(), most_, reinterpret_cast<std::uint8_t*>(rows.data()));
  }

 private:
  InputPtr owner_;
  const InputFile& file_;
  std::size_t at_ = 0;
  std::uint32_t most_ = 0;
};

class PnmWriter : public RowWriter {
 public:
  PnmWriter(const fs::path& path, const RowFormat& format, const std::string& header)
      : file_(path), swaps_(format.sample_bytes == 2 && std::endian::native == std::endian::little) {
    file_.write(std::as_bytes(std::span(header)));
  }

  void write(std::span<const std::byte> rows) override {
    if (!swaps_) return file_.write(rows);
    swapped_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); i += 2) {
      swapped_[i] = rows[i + 1];
      swapped_[i + 1] = rows[i];
    }
    file_.write(swapped_);
  }

  void commit() override { file_.commit(); }

 private:
  AtomicFile file_;
  bool swaps_;
  std::vector<std::byte> swapped_;
};

int most_of(const RowFormat& format) {
  return format.sample_bytes == 2 ? 65535 : 255;
}

}  // namespace

std::unique_ptr<RowReader> open_pnm_rows(InputPtr file, const Limits& limits) {
  return std::make_unique<PnmReader>(std::move(file), limits);
}

std::unique_ptr<RowWriter> create_pnm_rows(const fs::path& path, const RowFormat& format) {
  return std::make_unique<PnmWriter>(path, format,
                                     fmt::format("P{}\n{} {}\n{}\n", format.channels == 3 ? 6 : 5,
                                                 format.width, format.height, most_of(format)));
}

std::unique_ptr<RowWriter> create_pam_rows(const fs::path& path, const RowFormat& format) {
  const char* kind = format.channels == 1 ? "GRAYSCALE" : format.channels == 3 ? "RGB" : "RGB_ALPHA";
  return std::make_unique<PnmWriter>(
      path, format,
      fmt::format("P7\nWIDTH {}\nHEIGHT {}\nDEPTH {}\nMAXVAL {}\nTUPLTYPE {}\nENDHDR\n", format.width,
                  format.height, format.channels, most_of(format), kind));
}

}  // namespace scanlens
