#include "app/depth/jumps.h"

#include <tbb/combinable.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "app/depth/photo_tones.h"

namespace scanlens {
namespace {

/// The most pixels that jumps move in a round.
constexpr int kReach = 3, kRounds = 2;
constexpr int kSide = 2 * kReach + 1;
/// The distance at which neighbours show a jump: one pixel farther away.
constexpr int kHalo = kReach + 1;

/// The least share of the map's range that a jump is, and the share of it within 3 x 3 pixels: slopes,
/// however steep, have two thirds in the picture's corners, and half or a third elsewhere.
constexpr float kLeastJump = 0.03f, kSteep = 0.7f;
/// Standard deviation of the weights of distance, in pixels, and the weight of pixels at the jump.
constexpr double kNear = 2.1;
constexpr float kAtJump = 0.05f;
/// The distance of colours that count a quarter, of 1 from black to white in each of red, green and blue.
constexpr float kAlike = 0.15f;
/// The share of the nearer layer from which on a pixel is its own: low, for mixed pixels, where the likeness
/// of both layers is up to kUnlike, and even from kRatherAlike on. Nothing moves from kTooAlike on.
constexpr float kMixedShare = 0.01f, kEvenShare = 0.5f;
constexpr float kUnlike = 0.02f, kRatherAlike = 0.2f, kTooAlike = 0.5f;

/// Rows of a band, and the side of blocks of pixels that a second round looks at.
constexpr std::int64_t kBand = 16, kBlock = 8;

constexpr int kFours = 2;  // of a row of the window; the last of eight pixels has no weight

/// Weights of the pixels of a window by their distance from the middle.
const std::array<std::array<float, 4 * kFours>, kSide>& weights() {
  static const auto all = [] {
    std::array<std::array<float, 4 * kFours>, kSide> made = {};
    for (int j = 0; j < kSide; ++j)
      for (int i = 0; i < kSide; ++i) {
        const double x = i - kReach, y = j - kReach;
        made[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] =
            static_cast<float>(std::exp(-(x * x + y * y) / (2 * kNear * kNear)));
      }
    return made;
  }();
  return all;
}

/// Rows of one plane of a band, repeated beyond the picture's edges.
class Plane {
 public:
  explicit Plane(std::int64_t width)
      : pitch_(width + 2 * kHalo + kSide), values_(static_cast<std::size_t>(pitch_ * (kBand + 2 * kHalo))) {}
  /// Row y of the band, from -kHalo on; column 0 is the picture's first.
  float* row(std::int64_t y) { return values_.data() + (y + kHalo) * pitch_ + kHalo; }
  const float* row(std::int64_t y) const { return values_.data() + (y + kHalo) * pitch_ + kHalo; }

 private:
  std::int64_t pitch_;
  std::vector<float> values_;
};

/// Sets to[x] = pick of the values from x - reach to x + reach, `reach` columns fewer at each end.
template <class Pick>
void across(const float* from, float* to, std::int64_t width, int reach, const Pick& pick) {
  for (std::int64_t x = -kHalo + reach; x < width + kHalo - reach; ++x) {
    float value = from[x - reach];
    for (int i = 1 - reach; i <= reach; ++i) value = pick(value, from[x + i]);
    to[x] = value;
  }
}

/// The same of rows, from column `first` to `end`.
template <class Pick>
void down(const Plane& from, float* to, std::int64_t y, std::int64_t first, std::int64_t end, int reach,
          const Pick& pick) {
  std::copy(from.row(y - reach) + first, from.row(y - reach) + end, to + first);
  for (int j = 1 - reach; j <= reach; ++j) {
    const float* const row = from.row(y + j);
    for (std::int64_t x = first; x < end; ++x) to[x] = pick(to[x], row[x]);
  }
}

constexpr auto kLess = [](float a, float b) { return a < b ? a : b; };
constexpr auto kMore = [](float a, float b) { return a > b ? a : b; };

/// Sums over the pixels of a layer in a window, whose colours count from that of its middle.
struct Layer {
  Four weight = {}, alike = {}, depth = {};  ///< weights, the same by likeness, depths by these
  Four apart[3] = {}, squared = {};          ///< colours, and their squared distances

  void add(Four share, Four likeness, Four depths, const Four (&colors)[3], Four squares) {
    const Four by_likeness = share * likeness;
    weight += share;
    alike += by_likeness;
    depth += by_likeness * depths;
    for (int c = 0; c < 3; ++c) apart[c] += share * colors[c];
    squared += share * squares;
  }
};

/// Returns how like the colours of two layers are, from 0 to 1: their means, held against kAlike and against
/// how far each layer's own are spread.
float likeness_of(const Layer& near, const Layer& far) {
  const float of_near = 1 / sum_of(near.weight), of_far = 1 / sum_of(far.weight);
  float between = 0, spread = sum_of(near.squared) * of_near + sum_of(far.squared) * of_far;
  for (int c = 0; c < 3; ++c) {
    const float one = sum_of(near.apart[c]) * of_near, other = sum_of(far.apart[c]) * of_far;
    between += (one - other) * (one - other);
    spread -= one * one + other * other;
  }
  const float unlike = 1 + between / (kAlike * kAlike + std::max(spread, 0.f));
  return 1 / (unlike * unlike);
}

/// Scratch memory of a band, kept from band to band of a thread.
class Band {
 public:
  Band(View<const float> map, View<const std::uint8_t> tones, float range)
      : map_(map),
        tones_(tones),
        range_(range),
        planes_(kPlanes, Plane(map.width)),
        rows_(3, std::vector<float>(static_cast<std::size_t>(map.width))) {}

  /// Makes rows `first` to `end` of the result. Only pixels with looks(x, y) are looked at; moved(x, y) is
  /// called for those that change.
  template <class Looks, class Moved>
  void run(std::int64_t first, std::int64_t end, View<float> out, const Looks& looks, const Moved& moved) {
    first_ = first;
    for (std::int64_t y = first; y < end; ++y) std::copy_n(map_.row(y), map_.width, out.row(y));
    if (!load_depth(end - first)) return;
    load_tones(end - first);
    find_windows(end - first);
    for (std::int64_t y = 0; y < end - first; ++y) {
      find_extremes(y);
      for (std::int64_t x = 0; x < map_.width; ++x) {
        const float low = least()[x], high = most()[x];
        if (!(high - low > kLeastJump * range_ && steepest()[x] > kSteep * (high - low))) continue;
        if (!looks(x, first + y)) continue;
        const float depth = depth_of(x, y, low, high);
        if (depth == map_(x, first + y)) continue;
        out(x, first + y) = depth;
        moved(x, first + y,
              (depth > low + (high - low) / 2) != (map_(x, first + y) > low + (high - low) / 2));
      }
    }
  }

 private:
  enum { kDepth, kLow, kHigh, kStep, kRed, kGreen, kBlue, kScratch, kPlanes };

  Plane& plane(int of) { return planes_[static_cast<std::size_t>(of)]; }
  const Plane& plane(int of) const { return planes_[static_cast<std::size_t>(of)]; }
  std::vector<float>& least() { return rows_[0]; }
  std::vector<float>& most() { return rows_[1]; }
  std::vector<float>& steepest() { return rows_[2]; }

  void repeat_edges(float* row) const {
    std::fill_n(row - kHalo, kHalo, row[0]);
    std::fill_n(row + map_.width, kHalo, row[map_.width - 1]);
  }

  /// Returns whether there are jumps.
  bool load_depth(std::int64_t rows) {
    const std::int64_t width = map_.width;
    for (std::int64_t y = -kHalo; y < rows + kHalo; ++y) {
      const float* const from = map_.row(std::clamp<std::int64_t>(first_ + y, 0, map_.height - 1));
      std::copy_n(from, width, plane(kDepth).row(y));
      repeat_edges(plane(kDepth).row(y));
    }
    float steepest = 0;
    for (const bool high : {false, true}) {
      const auto pick = [&](const auto& by) {
        for (std::int64_t y = -kHalo; y < rows + kHalo; ++y)
          across(plane(kDepth).row(y), plane(kScratch).row(y), width, 1, by);
        for (std::int64_t y = -kReach; y < rows + kReach; ++y)
          down(plane(kScratch), plane(high ? kHigh : kLow).row(y), y, -kReach, width + kReach, 1, by);
      };
      high ? pick(kMore) : pick(kLess);
    }
    for (std::int64_t y = -kReach; y < rows + kReach; ++y)
      for (std::int64_t x = -kReach; x < width + kReach; ++x) {
        const float step = plane(kHigh).row(y)[x] - plane(kLow).row(y)[x];
        plane(kStep).row(y)[x] = step;
        steepest = kMore(steepest, step);
      }
    return steepest > kSteep * kLeastJump * range_;
  }

  void load_tones(std::int64_t rows) {
    for (std::int64_t y = -kReach; y < rows + kReach; ++y) {
      const std::uint8_t* from = tones_.row(std::clamp<std::int64_t>(first_ + y, 0, map_.height - 1));
      float* const to[] = {plane(kRed).row(y), plane(kGreen).row(y), plane(kBlue).row(y)};
      for (std::int64_t x = 0; x < map_.width; ++x)
        for (float* const channel : to) channel[x] = static_cast<float>(*from++) * (1 / 255.f);
      for (float* const channel : to) repeat_edges(channel);
    }
  }

  /// Makes of steps the greatest of 5 along rows; kScratch is free.
  void find_windows(std::int64_t rows) {
    for (std::int64_t y = -kReach; y < rows + kReach; ++y) {
      const float* const from = plane(kStep).row(y);
      float* const to = plane(kScratch).row(y);
      for (std::int64_t x = 0; x < map_.width; ++x)
        to[x] = std::max({from[x - 2], from[x - 1], from[x], from[x + 1], from[x + 2]});
    }
  }

  /// Finds what the windows of a row's pixels hold: 7 x 7 are 3 x 3 of every second pixel's 3 x 3.
  void find_extremes(std::int64_t y) {
    const std::int64_t width = map_.width;
    const auto window = [&](int of, float* to, const auto& pick) {
      for (int j = -2; j <= 2; j += 2) {
        const float* const row = plane(of).row(y + j);
        for (std::int64_t x = 0; x < width; ++x) {
          const float value = pick(pick(row[x - 2], row[x]), row[x + 2]);
          to[x] = j == -2 ? value : pick(to[x], value);
        }
      }
    };
    window(kLow, least().data(), kLess);
    window(kHigh, most().data(), kMore);
    down(plane(kScratch), steepest().data(), y, 0, width, 2, kMore);
  }

  /// Returns the depth of a pixel whose window spans `low` to `high`.
  float depth_of(std::int64_t x, std::int64_t y, float low, float high) const {
    const float middle = low + (high - low) / 2, own = plane(kDepth).row(y)[x];
    const float color[] = {plane(kRed).row(y)[x], plane(kGreen).row(y)[x], plane(kBlue).row(y)[x]};
    Layer near, far;
    const Four none = {};
    for (int j = 0; j < kSide; ++j)
      for (int i = 0; i < kFours; ++i) {
        const std::int64_t at = x - kReach + 4 * i, row = y - kReach + j;
        const Four depth = four_at(plane(kDepth).row(row) + at);
        const Four lows = four_at(plane(kLow).row(row) + at), highs = four_at(plane(kHigh).row(row) + at);
        const Four weight = four_at(weights()[static_cast<std::size_t>(j)].data() + 4 * i);
        const Four apart[] = {four_at(plane(kRed).row(row) + at) - color[0],
                              four_at(plane(kGreen).row(row) + at) - color[1],
                              four_at(plane(kBlue).row(row) + at) - color[2]};
        const Four squared = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
        const Four unlike = 1 + squared * (1 / (kAlike * kAlike)), likeness = 1 / (unlike * unlike);
        const Four of_near = lows > middle ? weight : weight * kAtJump;
        const Four of_far = highs > middle ? weight * kAtJump : weight;
        near.add(depth > middle ? of_near : none, likeness, depth, apart, squared);
        far.add(depth > middle ? none : of_far, likeness, depth, apart, squared);
      }
    const float near_alike = sum_of(near.alike), far_alike = sum_of(far.alike);
    const float likeness = likeness_of(near, far);
    if (!(likeness < kTooAlike)) return own;
    const float even = std::clamp((likeness - kUnlike) / (kRatherAlike - kUnlike), 0.f, 1.f);
    const float least_share = kMixedShare + even * (kEvenShare - kMixedShare);
    const float of_near = near_alike * near_alike, of_far = far_alike * far_alike;
    const bool is_near = of_near > least_share * (of_near + of_far);
    const float mean = is_near ? sum_of(near.depth) / near_alike : sum_of(far.depth) / far_alike;
    return std::clamp(mean, low, high);
  }

  View<const float> map_;
  View<const std::uint8_t> tones_;
  float range_;
  std::int64_t first_ = 0;
  std::vector<Plane> planes_;
  std::vector<std::vector<float>> rows_;
};

/// Pixels that changed, by blocks.
class Blocks {
 public:
  Blocks(std::int64_t width, std::int64_t height)
      : across_(width / kBlock + 1), changed_(static_cast<std::size_t>(across_ * (height / kBlock + 1))) {}
  void change(std::int64_t x, std::int64_t y) { changed_[at(x, y)] = 1; }
  /// Returns whether a pixel changed that the window of (x, y) holds, or whose neighbour it holds.
  bool changed_around(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) const {
    static_assert(kHalo <= kBlock);
    const std::int64_t left = std::max<std::int64_t>(x - kHalo, 0), right = std::min(x + kHalo, width - 1);
    const std::int64_t top = std::max<std::int64_t>(y - kHalo, 0), bottom = std::min(y + kHalo, height - 1);
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
static_assert(kBand % kBlock == 0);

/// Returns the photo's tones in 8 bits.
Image<std::uint8_t> tones_of(const PhotoRows& photo) {
  Image<std::uint8_t> tones(photo.format.width, photo.format.height, 3);
  std::int64_t done = 0;
  photo.read([&](Bytes rows) {
    with_samples(rows, photo.format, [&](const auto& samples) {
      for_rows(0, samples.height, [&](std::int64_t y) {
        std::uint8_t* to = tones.view().row(done + y);
        for (std::int64_t x = 0; x < samples.width; ++x)
          for (const float tone : color_of(samples.row(y) + x * samples.channels, samples.channels))
            *to++ = static_cast<std::uint8_t>(std::min(tone, 1.f) * 255 + 0.5f);
      });
      done += samples.height;
    });
  });
  return tones;
}

}  // namespace

std::int64_t move_jumps(Image<float>& map, const PhotoRows& photo) {
  const std::int64_t width = map.width(), height = map.height();
  const float range = range_of(std::as_const(map).view());
  constexpr float kLeastRange = 1e-30f;  // whose parts are above 0
  if (!(range >= kLeastRange)) return 0;
  const Image<std::uint8_t> tones = tones_of(photo);
  Image<float> result(width, height);
  Blocks changed(width, height);
  std::int64_t moved = 0;
  for (int round = 0; round < kRounds; ++round) {
    Blocks changes(width, height);
    tbb::combinable<std::int64_t> count([] { return std::int64_t{0}; });
    tbb::combinable<Band> bands([&] { return Band(std::as_const(map).view(), tones.view(), range); });
    for_rows(0, (height + kBand - 1) / kBand, [&](std::int64_t band) {
      bands.local().run(
          kBand * band, std::min(kBand * (band + 1), height), result.view(),
          [&](std::int64_t x, std::int64_t y) {
            return round == 0 || changed.changed_around(x, y, width, height);
          },
          [&](std::int64_t x, std::int64_t y, bool to_another_layer) {
            changes.change(x, y);
            count.local() += to_another_layer;
          });
    });
    std::swap(map, result);
    changed = std::move(changes);
    moved += count.combine(std::plus<>());
  }
  return moved;
}

}  // namespace scanlens
