#include "app/io/turned_jpeg.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "app/io/codecs/codec.h"
#include "app/io/prepare.h"

namespace scanlens {
namespace {

/// Writes a file that is encoded.
class EncodedWriter : public RowWriter {
 public:
  EncodedWriter(std::filesystem::path path, Encoded file, Overwrite overwrite)
      : path_(std::move(path)), file_(std::move(file)), overwrite_(std::move(overwrite)) {}

  void write(std::span<const std::byte>) override {}
  void commit() override { write_file(path_, file_.bytes(), overwrite_); }

 private:
  std::filesystem::path path_;
  Encoded file_;
  Overwrite overwrite_;
};

}  // namespace

std::unique_ptr<RowWriter> turn_jpeg(const std::filesystem::path& input, int orientation,
                                     const std::filesystem::path& output, const RowFormat& size,
                                     const WriteOptions& options, const Metadata& metadata,
                                     const Remarks& say) {
  const FormatTraits& traits = traits_of(Format::jpeg);
  std::error_code error;
  if (is_standard_stream(input) || !std::filesystem::is_regular_file(input, error) ||
      output_format(output, options) != Format::jpeg || metadata.gain ||
      options.quality != WriteOptions().quality || options.max_bytes > 0 ||
      becomes_srgb(metadata, traits, options))
    return nullptr;
  const Memory file = read_file(input, SIZE_MAX);
  const Bytes bytes(file.data(), file.bytes());
  if (sniff(bytes, input) != Format::jpeg) return nullptr;
  std::optional<Encoded> turned = turned_jpeg({input_name(input), bytes, {}}, orientation);
  if (!turned) {
    const bool is_cut = size.width % 16 != 0 || size.height % 16 != 0;
    say({false, fmt::format("turned pixel by pixel and encoded at quality {}: {}", options.quality,
                            is_cut ? "JPEG's blocks do not end at the picture's edge; crop it to a multiple "
                                     "of 16 to lose nothing"
                                   : "this JPEG cannot be turned as it is")});
    return nullptr;
  }
  const Metadata kept = fitted(metadata, traits, options, size.width, size.height, say);
  return std::make_unique<EncodedWriter>(output, with_jpeg_metadata(*turned, kept), options.overwrite);
}

}  // namespace scanlens
