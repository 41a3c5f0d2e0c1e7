// Animated PNG, by the W3C's Portable Network Graphics Specification, third edition, section 11.3.6: the
// first frame is an ordinary picture, which programs that know no animations show; later frames are its parts
// that change.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "app/io/animation/changed.h"
#include "app/io/animation/encoder.h"
#include "app/io/codecs/codecs.h"
#include "app/io/codecs/png.h"
#include "app/io/png_chunks.h"
#include "core/error.h"
#include "core/image.h"

namespace scanlens {
namespace {

class PngAnimation : public AnimationEncoder {
 public:
  PngAnimation(const AnimationFormat& format, AtomicFile& file)
      : format_(format), file_(file), sink_([this](Bytes bytes) { file_.write(bytes); }) {
    if (file.streams())
      throw Error(fmt::format("{}: an animated PNG is written to a file, not to a pipe", format.name));
  }

  void add(View<const std::uint8_t> rgb, int begin, int end) override {
    const Region region = frames_ == 0 ? Region{0, 0, format_.width, format_.height}
                                       : changed(std::as_const(shown_).view(), rgb);
    Image<std::uint8_t> part(region.width, region.height, 3);
    copy_rows(rgb.region(region.x, region.y, region.width, region.height), part.view());
    const Encoded png =
        encode_png(std::as_const(part).view(), format_.name, {}, format_.options.write.compression);
    if (frames_ == 0) {
      sink_(png.bytes().first(kPngHeaderEnd));
      write_control(sink_);
      shown_ = std::move(part);
    } else {
      copy_rows(part.view(), shown_.view().region(region.x, region.y, region.width, region.height));
    }
    write_frame_control(region, end - begin);
    write_data(png.bytes());
    ++frames_;
  }

  void finish() override {
    write_png_chunk(sink_, format_.name, "IEND", {});
    const PngSink over = [this, at = kPngHeaderEnd](Bytes bytes) mutable {
      file_.rewrite(at, bytes);
      at += bytes.size();
    };
    write_control(over);
  }

 private:
  /// Writes how many frames there are, so far, and how often they are played.
  void write_control(const PngSink& sink) const {
    const auto frames = big_endian(frames_),
               plays = big_endian(static_cast<std::uint32_t>(format_.options.loops));
    write_png_chunk(sink, format_.name, "acTL", std::array{Bytes(frames), Bytes(plays)});
  }

  void write_frame_control(const Region& region, int milliseconds) {
    const auto number = [](std::int64_t value) { return big_endian(static_cast<std::uint32_t>(value)); };
    const auto sequence = number(sequence_++), width = number(region.width), height = number(region.height),
               x = number(region.x), y = number(region.y);
    const auto delay =
        number(std::int64_t{milliseconds} << 16 | 1000);  // two numbers, a fraction of a second
    constexpr std::array<std::byte, 2> kStaysAndReplaces = {};
    write_png_chunk(sink_, format_.name, "fcTL",
                    std::array{Bytes(sequence), Bytes(width), Bytes(height), Bytes(x), Bytes(y), Bytes(delay),
                               Bytes(kStaysAndReplaces)});
  }

  /// Writes the pixels of an encoded picture as a frame's.
  void write_data(Bytes png) {
    find_png_chunk(png, [&](const PngChunk& chunk) {
      if (chunk.kind != "IDAT") return false;
      if (frames_ == 0) {
        sink_(chunk.whole);
      } else {
        const auto sequence = big_endian(sequence_++);
        write_png_chunk(sink_, format_.name, "fdAT", std::array{Bytes(sequence), chunk.data});
      }
      return false;
    });
  }

  AnimationFormat format_;
  AtomicFile& file_;
  PngSink sink_;
  std::uint32_t frames_ = 0;
  std::uint32_t sequence_ = 0;  ///< of the next chunk that has a number
  Image<std::uint8_t> shown_;   ///< the last frame
};

}  // namespace

std::unique_ptr<AnimationEncoder> encode_png_animation(const AnimationFormat& format, AtomicFile& file) {
  return std::make_unique<PngAnimation>(format, file);
}

}  // namespace scanlens
