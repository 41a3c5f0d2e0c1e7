#include "app/depth/jump_band.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/depth/photo_tones.h"
#include "filters/color.h"

namespace scanlens {
namespace {

/// The reach of the window, and the most pixels that jumps move in a round.
constexpr int kReach = 3, kNearby = 2;
constexpr int kSide = 2 * kReach + 1;
/// The distance at which neighbours show a jump: one pixel farther away.
constexpr int kHalo = kJumpReach;
static_assert(kHalo == kReach + 1);

/// The share of a jump within 3 x 3 pixels: slopes, however steep, have two thirds in the picture's corners,
/// and half or a third elsewhere.
constexpr float kSteep = 0.7f;
/// Standard deviation of the weights of distance, in pixels, and the weight of pixels at the jump.
constexpr double kNear = 2;
constexpr float kAtJump = 0.02f;
/// The distance of colours that count a quarter, of 1 from black to white in each of red, green and blue.
constexpr float kAlike = 0.12f;
/// The ratio of likeness to the other layer's colours, and to its own layer's, from which a pixel changes: of
/// a layer of many colours, and of one that is all like the pixel.
constexpr float kMoreAlike = 3, kMoreThanAll = 2;
/// A pixel is near in part where its light is so far on the way from the farther layer's to the nearer one's:
/// farther than the farther layer is spread, and less like that than kFar. Where those of the farther layer
/// that are like it are more like it than kOneOfFar, it is one of them: a layer may have several colours.
constexpr float kPartlyNear = 0.06f, kMostlyNear = 1.2f, kFar = 0.5f, kOneOfFar = 0.8f;
/// Bounds beyond which the photo shows no edge, and nothing moves: of the farther layer's spread, relative to
/// the distance of the layers' light, and of the squared distances of neighbours, relative to its square.
constexpr float kMostSpread = 2, kMostRough = 8;

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
template <class Plane, class Pick>
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

/// Sums over the pixels of a layer in a window, whose light counts from that of its middle.
struct Layer {
  Four weight = {}, alike = {}, depth = {};  ///< weights, the same by likeness, depths by these
  Four apart[3] = {};                        ///< light

  void add(Four share, Four likeness, Four depths, const Four (&light)[3]) {
    const Four by_likeness = share * likeness;
    weight += share;
    alike += by_likeness;
    depth += by_likeness * depths;
    for (int c = 0; c < 3; ++c) apart[c] += share * light[c];
  }
  float likeness() const { return sum_of(alike) / sum_of(weight); }
  float mean_depth() const { return sum_of(depth) / sum_of(alike); }
};

/// Returns true if a pixel goes to the other layer.
bool is_more_alike(float other, float own) {
  return other > kMoreAlike * own || other * other > kMoreThanAll * own;
}

/// The light of each code.
const std::array<float, 256>& light_of_codes() {
  static const auto light = [] {
    std::array<float, 256> of_code = {};
    for (std::size_t i = 0; i < of_code.size(); ++i) of_code[i] = srgb_to_linear(static_cast<float>(i) / 255);
    return of_code;
  }();
  return light;
}

}  // namespace

JumpBand::JumpBand(View<const float> map, View<const std::uint8_t> codes, float range)
    : map_(map),
      codes_(codes),
      range_(range),
      planes_(kPlanes, Plane(map.width)),
      rows_(kRows, std::vector<float>(static_cast<std::size_t>(map.width))) {}

JumpBand::Plane::Plane(std::int64_t width)
    : pitch_(pitch(width)), values_(static_cast<std::size_t>(size(width))) {}

/// Returns the floats of a row, with those beyond the picture's edges that windows look at.
std::int64_t JumpBand::Plane::pitch(std::int64_t width) {
  return width + 2 * kHalo + kSide;
}

std::int64_t JumpBand::bytes(std::int64_t width) {
  return (kPlanes * Plane::size(width) + kRows * width) * static_cast<std::int64_t>(sizeof(float));
}

void JumpBand::run(std::int64_t first, std::int64_t end, View<float> out,
                   const std::function<bool(std::int64_t x, std::int64_t y)>& looks,
                   std::vector<PartlyNear>& partly) {
  first_ = first;
  for (std::int64_t y = first; y < end; ++y) std::copy_n(map_.row(y), map_.width, out.row(y));
  if (!load_depth(end - first)) return;
  load_colors(end - first);
  find_windows(end - first);
  for (std::int64_t y = 0; y < end - first; ++y) {
    find_extremes(y);
    for (std::int64_t x = 0; x < map_.width; ++x) {
      const float low = least()[x], high = most()[x];
      if (!(high - low > kLeastJump * range_ && steepest()[x] > kSteep * (high - low))) continue;
      if (!looks(x, first + y)) continue;
      out(x, first + y) = depth_of(x, y, low, high, partly);
    }
  }
}

void JumpBand::repeat_edges(float* row) const {
  std::fill_n(row - kHalo, kHalo, row[0]);
  std::fill_n(row + map_.width, kHalo, row[map_.width - 1]);
}

/// Returns true if there are jumps.
bool JumpBand::load_depth(std::int64_t rows) {
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

void JumpBand::load_colors(std::int64_t rows) {
  const std::array<float, 256>& light = light_of_codes();
  for (std::int64_t y = -kHalo; y < rows + kHalo; ++y)
    for (int c = 0; c < 3; ++c) {
      const std::uint8_t* from = codes_.row(std::clamp<std::int64_t>(first_ + y, 0, map_.height - 1)) + c;
      float *const color = plane(kColors + c).row(y), *const of_light = plane(kLight + c).row(y);
      for (std::int64_t x = 0; x < map_.width; ++x, from += 3) {
        color[x] = static_cast<float>(*from) * (1 / 255.f);
        of_light[x] = light[*from];
      }
      repeat_edges(color);
      repeat_edges(of_light);
    }
  for (std::int64_t y = -kReach; y < rows + kReach; ++y) find_roughness(y);
}

/// Sums up how far the light of a row's pixels is from that of the four around each.
void JumpBand::find_roughness(std::int64_t y) {
  float* const rough = plane(kRough).row(y);
  std::fill(rough - kReach, rough + map_.width + kReach, 0.f);
  const auto square = [](float apart) { return apart * apart; };
  for (int of = kLight; of < kLight + 3; ++of) {
    const float *const above = plane(of).row(y - 1), *const here = plane(of).row(y),
                       *const below = plane(of).row(y + 1);
    for (std::int64_t x = -kReach; x < map_.width + kReach; ++x)
      rough[x] += square(here[x] - above[x]) + square(here[x] - below[x]) + square(here[x] - here[x - 1]) +
                  square(here[x] - here[x + 1]);
  }
}

/// Makes of steps the greatest of 3 along rows; kScratch is free.
void JumpBand::find_windows(std::int64_t rows) {
  for (std::int64_t y = -kReach; y < rows + kReach; ++y)
    across(plane(kStep).row(y), plane(kScratch).row(y), map_.width, 1, kMore);
}

/// Finds what the windows of a row's pixels hold: 7 x 7 are 3 x 3 of every second pixel's 3 x 3.
void JumpBand::find_extremes(std::int64_t y) {
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
  down(plane(kScratch), steepest().data(), y, 0, width, kNearby - 1, kMore);
}

/// Returns the depth of a pixel whose window spans `low` to `high`; of one that is near in part, of the
/// farther layer.
float JumpBand::depth_of(std::int64_t x, std::int64_t y, float low, float high,
                         std::vector<PartlyNear>& partly) const {
  const float middle = low + (high - low) / 2, own = plane(kDepth).row(y)[x];
  float color[3], light[3];
  for (int c = 0; c < 3; ++c) {
    color[c] = plane(kColors + c).row(y)[x];
    light[c] = plane(kLight + c).row(y)[x];
  }
  Layer near, far;
  const Four none = {};
  Four far_squared = none, far_like_squared = none, rough = none, all = none;
  for (int j = 0; j < kSide; ++j)
    for (int i = 0; i < kFours; ++i) {
      const std::int64_t at = x - kReach + 4 * i, row = y - kReach + j;
      const Four depth = four_at(plane(kDepth).row(row) + at);
      const Four lows = four_at(plane(kLow).row(row) + at), highs = four_at(plane(kHigh).row(row) + at);
      const Four weight = four_at(weights()[static_cast<std::size_t>(j)].data() + 4 * i);
      Four apart[3], unlike = none, squared = none;
      for (int c = 0; c < 3; ++c) {
        const Four of_color = four_at(plane(kColors + c).row(row) + at) - color[c];
        apart[c] = four_at(plane(kLight + c).row(row) + at) - light[c];
        unlike += of_color * of_color;
        squared += apart[c] * apart[c];
      }
      unlike = 1 + unlike * (1 / (kAlike * kAlike));
      const Four likeness = 1 / (unlike * unlike);
      const Four of_near = depth > middle ? (lows > middle ? weight : weight * kAtJump) : none;
      const Four of_far = depth > middle ? none : (highs > middle ? weight * kAtJump : weight);
      near.add(of_near, likeness, depth, apart);
      far.add(of_far, likeness, depth, apart);
      far_squared += of_far * squared;
      far_like_squared += of_far * likeness * likeness;
      rough += weight * four_at(plane(kRough).row(row) + at);
      all += weight;
    }
  // The light of the layers, from the pixel's own.
  const float per_near = 1 / sum_of(near.weight), per_far = 1 / sum_of(far.weight);
  float between = 0, along = 0, spread = sum_of(far_squared) * per_far;
  for (int c = 0; c < 3; ++c) {
    const float to_far = sum_of(far.apart[c]) * per_far, apart = sum_of(near.apart[c]) * per_near - to_far;
    between += apart * apart;
    along -= to_far * apart;
    spread -= to_far * to_far;
  }
  if (!(spread < kMostSpread * kMostSpread * between && sum_of(rough) < kMostRough * between * sum_of(all)))
    return own;
  const float near_depth = std::clamp(near.mean_depth(), low, high);
  const float like_near = near.likeness(), like_far = far.likeness();
  if (own > middle ? !is_more_alike(like_far, like_near) : is_more_alike(like_near, like_far))
    return near_depth;
  const float share = along / between;
  const bool is_far = like_far >= kFar || sum_of(far_like_squared) >= kOneOfFar * sum_of(far.alike);
  if (!is_far && share > kPartlyNear && share < kMostlyNear && share * share * between > spread)
    partly.push_back(
        {static_cast<std::int32_t>(x), static_cast<std::int32_t>(first_ + y), near_depth, middle});
  return std::clamp(far.mean_depth(), low, high);
}

}  // namespace scanlens
