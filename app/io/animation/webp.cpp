// Animated WebP through libwebp, which finds what changes between frames.
#include <fmt/format.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include <memory>
#include <new>
#include <utility>

#include "app/io/animation/encoder.h"
#include "core/error.h"

namespace scanlens {
namespace {

struct DeleteEncoder {
  void operator()(WebPAnimEncoder* encoder) const { WebPAnimEncoderDelete(encoder); }
};

class WebpAnimation : public AnimationEncoder {
 public:
  WebpAnimation(const AnimationFormat& format, AtomicFile& file) : name_(format.name), file_(file) {
    if (format.width > WEBP_MAX_DIMENSION || format.height > WEBP_MAX_DIMENSION)
      throw Error(fmt::format("{}: {} x {} is beyond WebP's {} pixels per side, write a .png instead", name_,
                              format.width, format.height, WEBP_MAX_DIMENSION));
    WebPAnimEncoderOptions options;
    if (!WebPAnimEncoderOptionsInit(&options) || !WebPConfigInit(&config_))
      throw Error(fmt::format("{}: the WebP library is of another version than this program", name_));
    options.anim_params.loop_count = format.options.loops;
    encoder_.reset(
        WebPAnimEncoderNew(static_cast<int>(format.width), static_cast<int>(format.height), &options));
    if (!encoder_) throw std::bad_alloc();
    configure(format.options.write.quality);
  }

  void add(View<const std::uint8_t> rgb, int begin, int end) override {
    WebPPicture picture;
    if (!WebPPictureInit(&picture)) throw std::bad_alloc();
    const std::unique_ptr<WebPPicture, void (*)(WebPPicture*)> owner(&picture, WebPPictureFree);
    picture.use_argb = 1;  // frames are compared as they are, before any loss
    picture.width = static_cast<int>(rgb.width);
    picture.height = static_cast<int>(rgb.height);
    if (!WebPPictureImportRGB(&picture, rgb.data, static_cast<int>(rgb.pitch))) throw std::bad_alloc();
    if (!WebPAnimEncoderAdd(encoder_.get(), &picture, begin, &config_)) fail(picture.error_code);
    end_ = end;
  }

  void finish() override {
    if (!WebPAnimEncoderAdd(encoder_.get(), nullptr, end_, nullptr)) fail(VP8_ENC_OK);
    WebPData whole;
    WebPDataInit(&whole);
    const std::unique_ptr<WebPData, void (*)(WebPData*)> owner(&whole, WebPDataClear);
    if (!WebPAnimEncoderAssemble(encoder_.get(), &whole)) fail(VP8_ENC_OK);
    file_.write(std::as_bytes(std::span(whole.bytes, whole.size)));
  }

 private:
  void configure(int quality) {
    config_.thread_level = 1;
    if (quality == 100)
      WebPConfigLosslessPreset(&config_, 2);  // as for stills
    else
      config_.quality = static_cast<float>(quality);
  }

  [[noreturn]] void fail(WebPEncodingError error) const {
    const bool memory =
        error == VP8_ENC_ERROR_OUT_OF_MEMORY || error == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY;
    throw Error(
        memory ? ErrorKind::retry : ErrorKind::failed,
        fmt::format("{}: cannot be encoded as WebP ({})", name_, WebPAnimEncoderGetError(encoder_.get())));
  }

  std::string name_;
  AtomicFile& file_;
  WebPConfig config_;
  std::unique_ptr<WebPAnimEncoder, DeleteEncoder> encoder_;
  int end_ = 0;  ///< of the last frame
};

}  // namespace

std::unique_ptr<AnimationEncoder> encode_webp_animation(const AnimationFormat& format, AtomicFile& file) {
  return std::make_unique<WebpAnimation>(format, file);
}

}  // namespace scanlens
