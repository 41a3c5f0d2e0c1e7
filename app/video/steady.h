// Steadies the depth of a clip over time, as far as its picture stands still.
//
// Maps of networks flicker: each frame's map has its own gain, and noise. Here a pixel's depth is the mean
// over the frames in which it stood still, 16 at the most. The newest counts as much as each other frame: a
// recursive filter that forgets. Three rules keep it from dragging depth behind moving things:
// - A pixel stands still while the colours around it equal their mean, up to the clip's own noise, which is
//   measured in each frame. Comparing with the mean, not with the frame before, finds slow motion as well.
// - A pixel begins anew, whatever its colours, once the depth around it differs from the mean by more than
//   such means differ elsewhere.
// - A map without a unit is first brought to the gain and the offset of the frames before. They are fitted
//   by least squares to the pixels that stand still. So a moving thing keeps its depth relative to its
//   surroundings. A part of the difference stays, so that gains follow their own mean.
#pragma once

#include <cstdint>
#include <vector>

#include "app/depth/depth.h"
#include "app/io/picture.h"

namespace scanlens {

class SteadyDepth {
 public:
  /// Takes frames in their order, all of one size, and puts steady depth in the place of theirs. The result
  /// does not depend on the number of threads.
  void steady(const Picture& picture, Depth& depth);

  /// Returns the bytes that this takes for a pixel.
  static constexpr std::int64_t kBytesPerPixel = 34;

 private:
  struct Line {
    double gain = 1, offset = 0;
  };

  void begin(const Depth& depth);
  void find_still();
  Line line_to(const float* depth) const;
  void find_jumps();
  void mix(float* depth);

  std::int64_t width_ = 0, height_ = 0;
  std::size_t channels_ = 0;
  std::vector<std::uint16_t> codes_;  ///< of the frame at work
  std::vector<float> colors_;         ///< mean of the frames that count, by channel
  std::vector<float> depth_;          ///< steady, of the frame before
  std::vector<float> frames_;         ///< that count
  std::vector<float> still_;          ///< 0 moves .. 1 stands still
  std::vector<float> difference_, sums_;
  float span_ = 0;  ///< of the first map's values
};

}  // namespace scanlens
