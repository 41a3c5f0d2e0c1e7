#include <fmt/format.h>
#include <webp/encode.h>

#include "app/io/codecs/codecs.h"
#include "core/error.h"

namespace scanlens {

Encoded encode_webp(View<const std::uint8_t> image, int quality, const std::string& name) {
  if (image.width > WEBP_MAX_DIMENSION || image.height > WEBP_MAX_DIMENSION)
    throw Error(fmt::format("{}: {} x {} is beyond WebP's {} pixels per side, write a .png instead", name,
                            image.width, image.height, WEBP_MAX_DIMENSION));
  WebPConfig config;
  WebPPicture picture;
  if (!WebPConfigInit(&config) || !WebPPictureInit(&picture))
    throw Error(fmt::format("{}: the WebP library is of another version than this program", name));
  const std::unique_ptr<WebPPicture, void (*)(WebPPicture*)> owner(&picture, WebPPictureFree);
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  const std::unique_ptr<WebPMemoryWriter, void (*)(WebPMemoryWriter*)> written(&writer, WebPMemoryWriterClear);

  config.thread_level = 1;
  if (quality == 100) {
    WebPConfigLosslessPreset(&config, 2);  // on photos a tenth larger than the usual 6, in a third of its time
    config.exact = 1;                      // colours stay under alpha 0
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
    throw Error(memory ? ErrorKind::retry : ErrorKind::failed,
                fmt::format("{}: cannot be encoded as WebP (error {})", name,
                            static_cast<int>(picture.error_code)));
  }
  Encoded encoded{{writer.mem, WebPFree}, writer.size};
  WebPMemoryWriterInit(&writer);  // the memory is no longer its own
  return encoded;
}

}  // namespace scanlens
