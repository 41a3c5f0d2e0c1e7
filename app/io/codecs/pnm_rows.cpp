// Portable grey, pixel and any maps (P5, P6, P7), row by row, and their lines in the table of formats. Text,
// bits and a grey with alpha are read whole.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "app/io/codecs/codec.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostHeader = 64 << 10;  // comments included

class PnmReader : public RowReader {
 public:
  PnmReader(InputPtr file, const Limits& limits) : owner_(std::move(file)), file_(*owner_) {
    std::vector<std::byte> beginning(std::min(file_.size(), kMostHeader));
    file_.read(0, beginning);
    map_ = parse_any_map({file_.name(), beginning, {}});
    format_ = {map_.width, map_.height, map_.channels, map_.sample_bytes()};
    if (!map_.is_packed()) return;
    check_gate(file_.name(), file_.size(), limits, map_.width, map_.height, map_.channels,
               format_.sample_bytes, kAnyExpansion);
    const std::size_t bytes = format_.row_bytes() * static_cast<std::size_t>(map_.height);
    if (file_.size() - map_.length < bytes)
      throw Error(fmt::format("{}: the PNM data is truncated ({} of {} bytes)", file_.name(),
                              file_.size() - map_.length, bytes));
    const NetpbmData data = netpbm_data(beginning, file_.size(), map_.length, bytes);
    at_ = begin_ = data.begin;
    remark_on_rest(data.behind, remarks_);
  }

  bool is_packed() const { return map_.is_packed(); }

  void read(std::span<std::byte> rows) override {
    file_.read(at_, rows);
    at_ += rows.size();
    if (format_.sample_bytes == 2)
      netpbm_samples(rows.data(), rows.size() / 2, map_.most, reinterpret_cast<std::uint16_t*>(rows.data()));
    else if (map_.most < 255)
      netpbm_samples(rows.data(), rows.size(), map_.most, reinterpret_cast<std::uint8_t*>(rows.data()));
  }

  void rewind() override { at_ = begin_; }

  InputPtr take_file() { return std::move(owner_); }

 private:
  InputPtr owner_;
  const InputFile& file_;
  AnyMap map_;
  std::size_t begin_ = 0, at_ = 0;
};

class PnmWriter : public RowWriter {
 public:
  PnmWriter(const fs::path& path, const RowFormat& format, Overwrite overwrite, const std::string& header)
      : file_(path, AtomicFile::Temporary::nameless, overwrite),
        swaps_(format.sample_bytes == 2 && std::endian::native == std::endian::little) {
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

std::unique_ptr<RowReader> open_pnm_rows(InputPtr& file, const Limits& limits) {
  auto reader = std::make_unique<PnmReader>(std::move(file), limits);
  if (reader->is_packed()) return reader;
  file = reader->take_file();
  return nullptr;
}

std::unique_ptr<RowWriter> create_pnm_rows(const fs::path& path, const RowFormat& format, const Metadata&,
                                           const WriteOptions& options) {
  return std::make_unique<PnmWriter>(path, format, options.overwrite,
                                     fmt::format("P{}\n{} {}\n{}\n", format.channels == 3 ? 6 : 5,
                                                 format.width, format.height, most_of(format)));
}

std::unique_ptr<RowWriter> create_pam_rows(const fs::path& path, const RowFormat& format, const Metadata&,
                                           const WriteOptions& options) {
  const char* kind = format.channels == 1 ? "GRAYSCALE" : format.channels == 3 ? "RGB" : "RGB_ALPHA";
  return std::make_unique<PnmWriter>(
      path, format, options.overwrite,
      fmt::format("P7\nWIDTH {}\nHEIGHT {}\nDEPTH {}\nMAXVAL {}\nTUPLTYPE {}\nENDHDR\n", format.width,
                  format.height, format.channels, most_of(format), kind));
}

std::uint32_t largest_sample(const Source& source) {
  return parse_any_map(source).most;
}

}  // namespace

constinit const Codec codecs::pnm = {
    .traits = {.name = "PNM",
               .extensions = ".pnm .pgm .ppm",
               .media_types = "image/x-portable-anymap image/x-portable-graymap image/x-portable-pixmap "
                              "image/x-portable-bitmap",
               .read = "text, bits, 8 and 16 bit; `filter` row by row",
               .written = "the same but text and bits",
               .channels = kHoldsGrey | kHoldsRgb,
               .samples = kCodes,
               .channels_under = [](std::string_view extension) -> unsigned {
                 return extension == ".pgm"   ? kHoldsGrey
                        : extension == ".ppm" ? kHoldsRgb
                                              : kHoldsGrey | kHoldsRgb;
               }},
    .recognises = [](std::string_view text, const auto&) { return begins_map(text, "123456"); },
    .decode = decode_pnm,
    .open_rows = open_pnm_rows,
    .create_rows = create_pnm_rows,
    .largest_sample = largest_sample};

constinit const Codec codecs::pam = {.traits = {.name = "PAM",
                                                .extensions = ".pam",
                                                .media_types = "image/x-portable-arbitrarymap",
                                                .media_is_new = true,
                                                .read = "8 and 16 bit, alpha; `filter` row by row",
                                                .written = "the same",
                                                .channels = kAnyChannels,
                                                .samples = kCodes},
                                     .recognises =
                                         [](std::string_view text, const auto&) {
                                           const std::size_t next = text.find_first_not_of(" \t\r", 2);
                                           return begins(text, "P7") && next != std::string_view::npos &&
                                                  (text[next] == '\n' || text[next] == '#');
                                         },
                                     .decode = decode_pnm,
                                     .open_rows = open_pnm_rows,
                                     .create_rows = create_pam_rows,
                                     .largest_sample = largest_sample};

}  // namespace scanlens
