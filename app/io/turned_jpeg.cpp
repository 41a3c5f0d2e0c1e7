#include "app/io/turned_jpeg.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
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

bool takes_blocks(const std::filesystem::path& output, const WriteOptions& options) {
  return output_format(output, options) == Format::jpeg && options.quality == WriteOptions().quality &&
         options.max_bytes == 0;
}

std::unique_ptr<RowWriter> turn_jpeg(const RowReader& input, int orientation,
                                     const std::filesystem::path& output, const RowFormat& size,
                                     const WriteOptions& options, const Metadata& metadata,
                                     const Remarks& say) {
  const FormatTraits& traits = traits_of(Format::jpeg);
  if (input.encoded().empty() || becomes_srgb(metadata, traits, options)) return nullptr;
  std::optional<Encoded> turned = turned_jpeg({output_name(output), input.encoded(), {}}, orientation);
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
