// Reads WebP through libwebp: lossy, lossless, with alpha; of an animation its first frame.
#include <fmt/format.h>
#include <webp/decode.h>
#include <webp/demux.h>

#include <cstring>

#include "app/io/codecs/codecs.h"
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

std::vector<std::byte> chunk_of(const WebPDemuxer* demuxer, const char* name) {
  WebPChunkIterator chunk = {};
  std::vector<std::byte> bytes;
  if (WebPDemuxGetChunk(demuxer, name, 1, &chunk) != 0) {
    const auto* data = reinterpret_cast<const std::byte*>(chunk.chunk.bytes);
    bytes.assign(data, data + chunk.chunk.size);
  }
  WebPDemuxReleaseChunkIterator(&chunk);
  return bytes;
}

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
  if (status != VP8_STATUS_OK) fail(source, status == VP8_STATUS_SUSPENDED ? "it ends too early" : "no picture");
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

}  // namespace

Picture decode_webp(const Source& source) {
  const WebPData data{reinterpret_cast<const std::uint8_t*>(source.bytes.data()), source.bytes.size()};
  const std::unique_ptr<WebPDemuxer, DeleteDemuxer> demuxer(WebPDemux(&data));
  if (!demuxer) fail(source, "its chunks are not complete");
  const auto width = static_cast<int>(WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_WIDTH));
  const auto height = static_cast<int>(WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_HEIGHT));
  const std::uint32_t flags = WebPDemuxGetI(demuxer.get(), WEBP_FF_FORMAT_FLAGS);
  const bool animated = (flags & ANIMATION_FLAG) != 0;
  // The library holds an animation's canvas twice.
  check_gate(source, width, height, animated ? 12 : 4, 1);
  Picture picture;
  if (animated) {
    picture.samples = decode_first_frame(source, data, width, height);
    picture.remarks.push_back({false, fmt::format("the first of its {} frames is read",
                                                  WebPDemuxGetI(demuxer.get(), WEBP_FF_FRAME_COUNT))});
  } else {
    picture.samples = decode_still(source, data, width, height);
  }
  picture.metadata.icc = chunk_of(demuxer.get(), "ICCP");
  picture.metadata.exif = chunk_of(demuxer.get(), "EXIF");
  picture.metadata.xmp = chunk_of(demuxer.get(), "XMP ");
  return picture;
}

}  // namespace scanlens
