// Animated GIF: frames lie on those before, and are the parts that change.
#include "app/io/codecs/gif.h"

#include <cstdint>
#include <memory>

#include "app/io/animation/changed.h"
#include "app/io/animation/encoder.h"
#include "core/image.h"

namespace scanlens {
namespace {

class GifAnimation : public AnimationEncoder {
 public:
  GifAnimation(const AnimationFormat& format, AtomicFile& file)
      : writer_([&file](Bytes bytes) { file.write(bytes); }, format.name, format.width, format.height,
                format.options.loops) {}

  void add(View<const std::uint8_t> rgb, int begin, int end) override {
    const Region region = shown_.empty() ? Region{0, 0, rgb.width, rgb.height} : changed(shown_.view(), rgb);
    if (shown_.empty()) shown_ = Image<std::uint8_t>(rgb.width, rgb.height, 3);
    copy_rows(rgb, shown_.view());
    const auto hundredths = [](int milliseconds) { return (milliseconds + 5) / 10; };
    writer_.add(rgb.region(region.x, region.y, region.width, region.height), region.x, region.y,
                hundredths(end) - hundredths(begin));
  }

  void finish() override { writer_.finish(); }

 private:
  GifWriter writer_;
  Image<std::uint8_t> shown_;  ///< the last frame
};

}  // namespace

std::unique_ptr<AnimationEncoder> encode_gif_animation(const AnimationFormat& format, AtomicFile& file) {
  return std::make_unique<GifAnimation>(format, file);
}

}  // namespace scanlens
