// Reads and writes WebP through libwebp: lossy, lossless, with alpha; of an animation its first frame.
#include <fmt/format.h>
#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>

#include <cstring>
#include <new>

#include "app/io/codecs/codec.h"
#include "core/error.h"

namespace scanlens {
namespace {

[[noreturn]] void fail(const Source& source, const char* cause) {
  throw Error(fmt::format("{}: the WebP data is truncated or corrupt ({})", source.name, cause));
}

struct DeleteDemuxer {
  void operator()(WebPDemuxer* demuxer) const { WebPDemuxDelete(demuxer); }
};
struct DeleteAnimation {
  void operator()(WebPAnimDecoder* decoder) const { WebPAnimDecoderDelete(decoder); }
};

Image<std::uint8_t> decode_still(const Source& source, const WebPData& data, int width, int height) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) fail(source, "the library is of another version");
  if (WebPGetFeatures(data.bytes, data.size, &config.input) != VP8_STATUS_OK) fail(source, "no picture");
  if (config.input.width != width || config.input.height != height) fail(source, "two sizes");
  Image<std::uint8_t> image(width, height, config.input.has_alpha ? 4 : 3);
  config.output.colorspace = config.input.has_alpha ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {image.view().data, width * image.channels(), image.bytes()};
  const VP8StatusCode status = WebPDecode(data.bytes, data.size, &config);
  WebPFreeDecBuffer(&config.output);
  if (status == VP8_STATUS_OUT_OF_MEMORY) throw std::bad_alloc();
  if (status != VP8_STATUS_OK)
    fail(source, status == VP8_STATUS_SUSPENDED ? "it ends too early" : "no picture");
  return image;
}

Image<std::uint8_t> decode_first_frame(const Source& source, const WebPData& data, int width, int height) {
  WebPAnimDecoderOptions options;
  if (WebPAnimDecoderOptionsInit(&options) == 0) fail(source, "the library is of another version");
  options.color_mode = MODE_RGBA;
  const std::unique_ptr<WebPAnimDecoder, DeleteAnimation> decoder(WebPAnimDecoderNew(&data, &options));
  if (!decoder) fail(source, "no animation");
  std::uint8_t* canvas = nullptr;
  int milliseconds = 0;
  if (WebPAnimDecoderGetNext(decoder.get(), &canvas, &milliseconds) == 0) fail(source, "no first frame");
  Image<std::uint8_t> image(width, height, 4);
  std::memcpy(image.view().data, canvas, image.bytes());
  return image;
}

Picture decode_webp(const Source& source) {
  const WebPData data{reinterpret_cast<const std::uint8_t*>(source.bytes.data()), source.bytes.size()};
  const std::unique_ptr<WebPDemuxer, DeleteDemuxer> demuxer(WebPDemux(&data));
  if (!demuxer) fail(source, "its chunks are not complete");
  const auto width = static_cast<int>(WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_WIDTH));
  const auto height = static_cast<int>(WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_HEIGHT));
  const std::uint32_t flags = WebPDemuxGetI(demuxer.get(), WEBP_FF_FORMAT_FLAGS);
  const bool animated = (flags & ANIMATION_FLAG) != 0;
  // The library holds an animation's canvas twice.
  check_gate(source, width, height, animated ? 12 : 4, 1, kMostModernExpansion);
  Picture picture;
  if (animated) {
    picture.samples = decode_first_frame(source, data, width, height);
    picture.remarks.push_back({true, fmt::format("the first of its {} frames is read",
                                                 WebPDemuxGetI(demuxer.get(), WEBP_FF_FRAME_COUNT))});
  } else {
    picture.samples = decode_still(source, data, width, height);
  }
  return picture;
}

/// Encodes 3 or 4 channels; without loss where the quality is 100.
Encoded encode_webp(View<const std::uint8_t> image, int quality, const std::string& name) {
  WebPConfig config;
  WebPPicture picture;
  if (!WebPConfigInit(&config) || !WebPPictureInit(&picture))
    throw Error(fmt::format("{}: the WebP library is of another version than this program", name));
  const std::unique_ptr<WebPPicture, void (*)(WebPPicture*)> owner(&picture, WebPPictureFree);
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  const std::unique_ptr<WebPMemoryWriter, void (*)(WebPMemoryWriter*)> written(&writer,
                                                                               WebPMemoryWriterClear);

  config.thread_level = 1;
  if (quality == 100) {
    WebPConfigLosslessPreset(&config,
                             2);  // on photos a tenth larger than the usual 6, in a third of its time
    config.exact = 1;             // colours stay under alpha 0
  } else {
    config.quality = static_cast<float>(quality);
    config.use_sharp_yuv = quality >= 90;
  }
  picture.use_argb = quality == 100;
  picture.width = static_cast<int>(image.width);
  picture.height = static_cast<int>(image.height);
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &writer;
  const auto stride = static_cast<int>(image.pitch);
  const bool imported = image.channels == 4 ? WebPPictureImportRGBA(&picture, image.data, stride)
                                            : WebPPictureImportRGB(&picture, image.data, stride);
  if (!imported || !WebPEncode(&config, &picture)) {
    const bool memory = picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
                        picture.error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY;
    throw Error(
        memory ? ErrorKind::retry : ErrorKind::failed,
        fmt::format("{}: cannot be encoded as WebP (error {})", name, static_cast<int>(picture.error_code)));
  }
  Encoded encoded{{writer.mem, WebPFree}, writer.size};
  WebPMemoryWriterInit(&writer);  // the memory is no longer its own
  return encoded;
}

}  // namespace

constinit const Codec codecs::webp = {
    .traits = {.name = "WebP",
               .extensions = ".webp",
               .media_types = "image/webp",
               .read = "with and without loss, alpha; the first frame",
               .written = "`--quality`; 100 is without loss",
               .channels = kHoldsRgb | kHoldsRgba,
               .samples = kHolds8,
               .extras = kAnyExtras,
               .quality = QualityOption::lossless_at_100,
               .lossless_work_bytes = 14,
               .most_side = WEBP_MAX_DIMENSION},
    .recognises =
        [](std::string_view text, const auto&) {
          return begins(text, "RIFF") && text.size() >= 12 && text.substr(8, 4) == "WEBP";
        },
    .decode = decode_webp,
    .encode =
        [](const Prepared& picture, const WriteOptions& options, const std::string& name, const Remarks&) {
          const auto& image = std::get<Image<std::uint8_t>>(picture.samples());
          return with_webp_metadata(encode_webp(image.view(), options.quality, name), picture.metadata, name);
        },
    .extras = webp_extras,
    // Its first chunk of pixels is "VP8 ", not "VP8L".
    .is_lossy =
        [](Bytes file) {
          const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
          return text.find("VP8 ") < text.find("VP8L");
        }};

}  // namespace scanlens
