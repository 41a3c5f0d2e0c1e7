// Steadies the depth of a clip over time, as far as its picture stands still.
//
// Maps of networks flicker: each frame's has its own gain, and noise. Here a pixel's depth is the mean of the
// frames in which it stood still, 16 at the most, the newest counting as each of the others: a recursive
// filter that forgets. Three things keep it from dragging depth behind what moves:
// - a pixel stands still while the colours around it are those of that mean, but for the clip's own noise,
//   which is found in each frame. Against the mean, not the frame before, slow motion shows as well;
// - where the depth around it has left the mean by more than such means differ elsewhere, it begins anew,
//   whatever its colours;
// - a map without a unit is first brought to the gain and the offset of the frames before, by least squares
//   over what stands still, so that what moves is as deep as what stands beside it. A part of the difference
//   stays, and so gains follow their own mean.
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
