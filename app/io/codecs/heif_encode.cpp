// Writes HEIC and AVIF through libheif and the encoders that it finds.
#include "app/io/codecs/heif_encode.h"

#include <fmt/format.h>
#include <libheif/heif.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "app/io/codecs/heif_file.h"
#include "core/error.h"

namespace scanlens {
namespace {

// From this quality up colour is kept at full resolution, as in JPEG.
constexpr int kLeastFullChromaQuality = 90;

struct FreeEncoder {
  void operator()(heif_encoder* encoder) const { heif_encoder_release(encoder); }
};

/// A picture that is encoded, and what messages call it.
class HeifEncoding {
 public:
  explicit HeifEncoding(const std::string& name) : name_(name), context_(heif_context_alloc()) {}

  void open(HeifCoding coding, int quality) {
    const bool is_hevc = coding == HeifCoding::hevc;
    const heif_compression_format format = is_hevc ? heif_compression_HEVC : heif_compression_AV1;
    if (!heif_have_encoder_for_format(format))
      throw Error(fmt::format("{}: this machine's libheif has no encoder of {}; install {}, or write .webp",
                              name_, is_hevc ? "HEVC" : "AV1",
                              is_hevc ? "libheif-plugin-x265" : "libheif-plugin-aomenc"));
    heif_encoder* encoder = nullptr;
    check(heif_context_get_encoder_for_format(context_.get(), format, &encoder));
    encoder_.reset(encoder);
    check(heif_encoder_set_lossy_quality(encoder, quality));
    if (quality >= kLeastFullChromaQuality)
      heif_encoder_set_parameter_string(encoder, "chroma", "444");  // not every encoder has it
  }

  void encode(View<const std::uint8_t> samples, const Metadata& metadata) {
    const HeifPtr<heif_image> image = image_of(samples);
    if (!metadata.icc.empty())
      check(heif_image_set_raw_color_profile(image.get(), "prof", metadata.icc.data(), metadata.icc.size()));
    heif_image_handle* handle = nullptr;
    check(heif_context_encode_image(context_.get(), image.get(), encoder_.get(), nullptr, &handle));
    const HeifPtr<const heif_image_handle> owner(handle);
    if (!metadata.exif.empty())
      check(heif_context_add_exif_metadata(context_.get(), handle, metadata.exif.data(),
                                           static_cast<int>(metadata.exif.size())));
    if (!metadata.xmp.empty())
      check(heif_context_add_XMP_metadata(context_.get(), handle, metadata.xmp.data(),
                                          static_cast<int>(metadata.xmp.size())));
  }

  Encoded file() {
    std::vector<std::byte> bytes;
    heif_writer writer = {};
    writer.writer_api_version = 1;
    writer.write = [](heif_context*, const void* data, std::size_t size, void* to) {
      const auto* from = static_cast<const std::byte*>(data);
      static_cast<std::vector<std::byte>*>(to)->assign(from, from + size);
      return heif_error{heif_error_Ok, heif_suberror_Unspecified, ""};
    };
    check(heif_context_write(context_.get(), &writer, &bytes));
    return owned(std::move(bytes));
  }

 private:
  HeifPtr<heif_image> image_of(View<const std::uint8_t> samples) {
    const auto width = static_cast<int>(samples.width), height = static_cast<int>(samples.height);
    heif_image* made = nullptr;
    check(heif_image_create(
        width, height, heif_colorspace_RGB,
        samples.channels == 4 ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB, &made));
    HeifPtr<heif_image> image(made);
    check(heif_image_add_plane(made, heif_channel_interleaved, width, height, 8));
    int pitch = 0;
    std::uint8_t* const rows = heif_image_get_plane(made, heif_channel_interleaved, &pitch);
    for (std::int64_t y = 0; y < samples.height; ++y)
      std::memcpy(rows + y * pitch, samples.row(y), static_cast<std::size_t>(samples.row_samples()));
    return image;
  }

  void check(const heif_error& error) const {
    if (error.code != heif_error_Ok)
      throw Error(
          fmt::format("{}: cannot be encoded by libheif ({}); write .jpg or .webp", name_, error.message));
  }

  std::string name_;
  HeifPtr<heif_context> context_;
  std::unique_ptr<heif_encoder, FreeEncoder> encoder_;
};

}  // namespace

Encoded encode_heif(const Prepared& picture, int quality, HeifCoding coding, const std::string& name) {
  HeifEncoding encoding(name);
  encoding.open(coding, quality);
  encoding.encode(std::get<Image<std::uint8_t>>(picture.samples()).view(), picture.metadata);
  return encoding.file();
}

}  // namespace scanlens
