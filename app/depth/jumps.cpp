#include "app/depth/jumps.h"

#include <tbb/combinable.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/depth/jump_band.h"
#include "app/depth/photo_tones.h"
#include "filters/color.h"

namespace scanlens {
namespace {

/// Times that jumps are moved.
constexpr int kRounds = 4;

/// The side of blocks of pixels that later rounds look at.
constexpr std::int64_t kBlock = 8;

/// Pixels that changed, by blocks.
class Blocks {
 public:
  Blocks(std::int64_t width, std::int64_t height)
      : across_(width / kBlock + 1), changed_(static_cast<std::size_t>(across_ * (height / kBlock + 1))) {}
  void change(std::int64_t x, std::int64_t y) { changed_[at(x, y)] = 1; }
  /// Returns true if a pixel changed that the window of (x, y) holds, or whose neighbour it holds.
  bool changed_around(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) const {
    static_assert(2 * kJumpReach <= kBlock);
    const std::int64_t left = std::max<std::int64_t>(x - kJumpReach, 0),
                       right = std::min(x + kJumpReach, width - 1);
    const std::int64_t top = std::max<std::int64_t>(y - kJumpReach, 0),
                       bottom = std::min(y + kJumpReach, height - 1);
    return changed_[at(left, top)] || changed_[at(right, top)] || changed_[at(left, bottom)] ||
           changed_[at(right, bottom)];
  }

 private:
  std::size_t at(std::int64_t x, std::int64_t y) const {
    return static_cast<std::size_t>(y / kBlock * across_ + x / kBlock);
  }
  std::int64_t across_;
  std::vector<std::uint8_t> changed_;  // bands hold whole blocks, so that no two threads share one
};
static_assert(kJumpBand % kBlock == 0);

/// Returns the photo as sRGB's codes of 8 bits. Light above white counts as white.
Image<std::uint8_t> codes_of(const PhotoRows& photo) {
  Image<std::uint8_t> codes(photo.format.width, photo.format.height, 3);
  const auto code_of = []<class T>(T sample) {
    if constexpr (std::is_floating_point_v<T>) {
      const float light = sample > 0 ? std::min(sample, 1.f) : 0.f;  // NaN is black
      return static_cast<std::uint8_t>(linear_to_srgb(light) * 255 + 0.5f);
    } else {
      return static_cast<std::uint8_t>(sample >> (8 * sizeof(T) - 8));
    }
  };
  std::int64_t done = 0;
  photo.read([&](Bytes rows) {
    with_samples(rows, photo.format, [&](const auto& samples) {
      const int channels = samples.channels;
      for_rows(0, samples.height, [&](std::int64_t y) {
        const auto* pixel = samples.row(y);
        std::uint8_t* to = codes.view().row(done + y);
        for (std::int64_t x = 0; x < samples.width; ++x, pixel += channels)
          for (int c = 0; c < 3; ++c) *to++ = code_of(pixel[channels < 3 ? 0 : c]);
      });
      done += samples.height;
    });
  });
  return codes;
}

/// Returns true if a pixel or one around it is nearer than `middle`.
bool is_near_around(View<const float> map, const PartlyNear& pixel) {
  for (std::int64_t y = std::max(pixel.y - 1, 0); y <= std::min<std::int64_t>(pixel.y + 1, map.height - 1);
       ++y)
    for (std::int64_t x = std::max(pixel.x - 1, 0); x <= std::min<std::int64_t>(pixel.x + 1, map.width - 1);
         ++x)
      if (map(x, y) > pixel.middle) return true;
  return false;
}

/// Gives pixels that are near in part to the nearer layer where a neighbour is one of it.
void give_to_nearer(std::vector<PartlyNear>& partly, Image<float>& map) {
  const View<const float> before = std::as_const(map).view();
  std::erase_if(partly, [&](const PartlyNear& pixel) { return !is_near_around(before, pixel); });
  for (const PartlyNear& pixel : partly) map.view()(pixel.x, pixel.y) = pixel.near;
}

std::int64_t bands_of(std::int64_t height) {
  return (height + kJumpBand - 1) / kJumpBand;
}

}  // namespace

std::int64_t moving_bytes(const RowFormat& photo) {
  // The map, the result and the photo's codes; a list of pixels that are partly near, one of sixteen; bands
  // of as many threads as work.
  constexpr std::int64_t kPixel = 2 * sizeof(float) + 3 + sizeof(PartlyNear) / 16;
  const std::int64_t threads =
      std::min<std::int64_t>(tbb::this_task_arena::max_concurrency(), bands_of(photo.height));
  return photo.width * photo.height * kPixel + threads * JumpBand::bytes(photo.width);
}

std::int64_t move_jumps(Image<float>& map, const PhotoRows& photo) {
  const std::int64_t width = map.width(), height = map.height();
  const float range = range_of(std::as_const(map).view());
  constexpr float kLeastRange = 1e-30f;  // whose parts are above 0
  if (!(range >= kLeastRange)) return 0;
  const Image<std::uint8_t> codes = codes_of(photo);
  Image<float> result(width, height);
  Blocks changed(width, height);
  std::int64_t moved = 0;
  for (int round = 0; round < kRounds; ++round) {
    tbb::combinable<std::vector<PartlyNear>> partly;
    tbb::combinable<JumpBand> bands([&] { return JumpBand(std::as_const(map).view(), codes.view(), range); });
    const std::int64_t band_count = bands_of(height);
    for_rows(0, band_count, [&](std::int64_t band) {
      bands.local().run(
          kJumpBand * band, std::min(kJumpBand * (band + 1), height), result.view(),
          [&](std::int64_t x, std::int64_t y) {
            return round == 0 || changed.changed_around(x, y, width, height);
          },
          partly.local());
    });
    std::vector<PartlyNear> all;
    partly.combine_each(
        [&](const std::vector<PartlyNear>& some) { all.insert(all.end(), some.begin(), some.end()); });
    give_to_nearer(all, result);
    changed = Blocks(width, height);
    tbb::combinable<std::int64_t> count([] { return std::int64_t{0}; });
    for_rows(0, band_count, [&](std::int64_t band) {
      for (std::int64_t y = kJumpBand * band; y < std::min(kJumpBand * (band + 1), height); ++y) {
        const float *const before = map.view().row(y), *const after = result.view().row(y);
        for (std::int64_t x = 0; x < width; ++x) {
          if (!(std::abs(after[x] - before[x]) > kLeastJump / 2 * range)) continue;
          changed.change(x, y);
          ++count.local();
        }
      }
    });
    moved += count.combine(std::plus<>());
    std::swap(map, result);
  }
  return moved;
}

}  // namespace scanlens
