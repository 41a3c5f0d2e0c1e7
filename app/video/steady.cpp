#include "app/video/steady.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <variant>

namespace scanlens {
namespace {

constexpr float kMostFrames = 16;
constexpr int kReach = 2;  ///< of the box that differences are averaged over: 5 x 5
constexpr int kSides = 2 * kReach + 1;

/// Codes of 16 bits in one of 8.
constexpr float kCode = 257;
/// A pixel stands still if its colour differs by less than kTimesNoise times the noise, within these bounds.
/// The noise is the lower quartile of all pixels' differences. A pixel moves if it differs twice as much.
constexpr float kTimesNoise = 2.2f, kLeastNoise = 1.5f * kCode, kMostNoise = 10 * kCode;

/// Differences of depth, in the deviations of such means, beyond which a pixel begins anew; within these
/// shares of the depth's span.
constexpr float kJump = 3, kLeastJump = 0.002f, kMostJump = 0.05f;

/// The part of a map's own gain that stays.
constexpr double kKept = 1.0 / 24;
/// Pixels of a row and a column that fits and quantiles look at: each fourth.
constexpr std::int64_t kStep = 4;

template <class Work>
void over_rows(std::int64_t rows, const Work& work) {
  constexpr std::int64_t kRows = 16;
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, rows, kRows), [&](const auto& range) {
    for (std::int64_t y = range.begin(); y < range.end(); ++y) work(y);
  });
}

/// Averages over 5 x 5 pixels; the picture's edge is repeated. `sums` is of the same size.
void average(std::vector<float>& values, std::vector<float>& sums, std::int64_t width, std::int64_t height) {
  over_rows(height, [&](std::int64_t y) {
    const float* const from = values.data() + y * width;
    float* const to = sums.data() + y * width;
    const auto edge = [&](std::int64_t x) {
      float sum = 0;
      for (int i = -kReach; i <= kReach; ++i) sum += from[std::clamp<std::int64_t>(x + i, 0, width - 1)];
      to[x] = sum;
    };
    const std::int64_t inside = std::max<std::int64_t>(kReach, width - kReach);
    for (std::int64_t x = 0; x < std::min<std::int64_t>(kReach, width); ++x) edge(x);
    for (std::int64_t x = kReach; x < inside; ++x)
      to[x] = from[x - 2] + from[x - 1] + from[x] + from[x + 1] + from[x + 2];
    for (std::int64_t x = inside; x < width; ++x) edge(x);
  });
  over_rows(height, [&](std::int64_t y) {
    const auto row = [&](std::int64_t at) {
      return sums.data() + std::clamp<std::int64_t>(at, 0, height - 1) * width;
    };
    const float *const a = row(y - 2), *const b = row(y - 1), *const c = row(y), *const d = row(y + 1),
                       *const e = row(y + 2);
    float* const to = values.data() + y * width;
    for (std::int64_t x = 0; x < width; ++x)
      to[x] = (a[x] + b[x] + c[x] + d[x] + e[x]) * (1.f / (kSides * kSides));
  });
}

/// Calls take(i) for pixels of a coarse grid.
template <class Take>
void over_grid(std::int64_t width, std::int64_t height, const Take& take) {
  for (std::int64_t y = 0; y < height; y += kStep)
    for (std::int64_t x = 0; x < width; x += kStep) take(static_cast<std::size_t>(y * width + x));
}

/// Returns the value below which this share of them lies; 0 for none.
float quantile(std::vector<float>& values, double share) {
  if (values.empty()) return 0;
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// 1 up to `bound`, 0 from twice that on.
float within_bound(float value, float bound) {
  return std::clamp(2 - value / bound, 0.f, 1.f);
}

/// Takes the colours of a picture as codes of 16 bits, without alpha.
void take_codes(const Picture& picture, std::size_t channels, std::vector<std::uint16_t>& codes) {
  std::visit(
      [&]<class T>(const Image<T>& image) {
        const auto all = static_cast<std::size_t>(image.view().channels);
        const auto width = static_cast<std::size_t>(image.view().width);
        over_rows(image.view().height, [&](std::int64_t y) {
          const T* const from = image.view().row(y);
          std::uint16_t* const to = codes.data() + static_cast<std::size_t>(y) * width * channels;
          for (std::size_t x = 0; x < width; ++x)
            for (std::size_t c = 0; c < channels; ++c) {
              const auto code = from[x * all + c];
              to[x * channels + c] =
                  static_cast<std::uint16_t>(std::is_same_v<T, std::uint8_t> ? code * kCode : code);
            }
        });
      },
      picture.samples);
}

}  // namespace

void SteadyDepth::begin(const Depth& depth) {
  const auto pixels = static_cast<std::size_t>(width_ * height_);
  const View<const float> values = depth.disparity.view();
  depth_.assign(values.data, values.data + pixels);
  colors_.assign(codes_.begin(), codes_.end());
  frames_.assign(pixels, 1);
  still_.resize(pixels);
  difference_.resize(pixels);
  sums_.resize(pixels);
  span_ = depth.most - depth.least;
}

void SteadyDepth::find_still() {
  const auto width = static_cast<std::size_t>(width_);
  over_rows(height_, [&](std::int64_t y) {
    const std::size_t row = static_cast<std::size_t>(y) * width;
    for (std::size_t i = row; i < row + width; ++i) {
      float sum = 0;
      for (std::size_t c = i * channels_; c < (i + 1) * channels_; ++c)
        sum += std::abs(static_cast<float>(codes_[c]) - colors_[c]);
      still_[i] = sum / static_cast<float>(channels_);
    }
  });
  average(still_, sums_, width_, height_);
  std::vector<float> some;
  over_grid(width_, height_, [&](std::size_t i) { some.push_back(still_[i]); });
  const float bound = std::clamp(kTimesNoise * quantile(some, 0.25), kLeastNoise, kMostNoise);
  over_rows(height_, [&](std::int64_t y) {
    float* const row = still_.data() + y * width_;
    for (std::int64_t x = 0; x < width_; ++x) row[x] = within_bound(row[x], bound);
  });
}

/// Fits the map to the steady one by least squares, without what differs much. Noise in the map would level
/// the line a little in each frame, and all depth in time: its variance, that of what the line leaves, is
/// taken out.
SteadyDepth::Line SteadyDepth::line_to(const float* depth) const {
  constexpr int kRounds = 4;
  constexpr double kFar = 4, kLeastShare = 0.05, kMostGain = 2, kLeastSpread = 4;
  std::vector<std::array<double, 2>> pairs;
  std::size_t looked_at = 0;
  over_grid(width_, height_, [&](std::size_t i) {
    ++looked_at;
    if (still_[i] == 1) pairs.push_back({depth[i], depth_[i]});
  });
  if (static_cast<double>(pairs.size()) < kLeastShare * static_cast<double>(looked_at)) return {};
  Line line;
  for (int round = 0; round < kRounds; ++round) {
    const auto rest_of = [&](const std::array<double, 2>& pair) {
      return std::abs(line.gain * pair[0] + line.offset - pair[1]);
    };
    std::vector<float> rests;
    for (const auto& pair : pairs) rests.push_back(static_cast<float>(rest_of(pair)));
    const double far = kFar * quantile(rests, 0.5) + 1e-9;
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, rest = 0;
    for (const auto& pair : pairs) {
      if (rest_of(pair) > far) continue;
      const auto [x, y] = pair;
      n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y, rest += rest_of(pair) * rest_of(pair);
    }
    const double noise = rest / (line.gain * line.gain), spread = sxx - sx * sx / n;
    const bool flat = spread <= kLeastSpread * noise + 1e-9 * n;
    line.gain = flat ? 1 : std::clamp((sxy - sx * sy / n) / (spread - noise), 1 / kMostGain, kMostGain);
    line.offset = (sy - line.gain * sx) / n;
  }
  return {1 + (line.gain - 1) * (1 - kKept), line.offset * (1 - kKept)};
}

/// Lets pixels begin anew whose depth has left the mean.
void SteadyDepth::find_jumps() {
  constexpr float kDeviations = 1.4826f;  // of a normal distribution in its median deviation
  average(difference_, sums_, width_, height_);
  std::vector<float> some;
  over_grid(width_, height_, [&](std::size_t i) {
    if (still_[i] == 1) some.push_back(std::abs(difference_[i]));
  });
  const float bound =
      kJump * std::clamp(kDeviations * quantile(some, 0.5), kLeastJump * span_, kMostJump * span_);
  over_rows(height_, [&](std::int64_t y) {
    for (std::int64_t i = y * width_; i < (y + 1) * width_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      still_[at] *= within_bound(std::abs(difference_[at]), bound);
    }
  });
}

void SteadyDepth::mix(float* depth) {
  over_rows(height_, [&](std::int64_t y) {
    const std::size_t first = static_cast<std::size_t>(y * width_);
    for (std::size_t i = first; i < first + static_cast<std::size_t>(width_); ++i) {
      const float frames = std::min(frames_[i] * still_[i] + 1, kMostFrames), share = 1 / frames;
      frames_[i] = frames;
      depth_[i] += (depth[i] - depth_[i]) * share;
      depth[i] = depth_[i];
      for (std::size_t c = i * channels_; c < (i + 1) * channels_; ++c)
        colors_[c] += (static_cast<float>(codes_[c]) - colors_[c]) * share;
    }
  });
}

void SteadyDepth::steady(const Picture& picture, Depth& depth) {
  const View<float> values = depth.disparity.view();
  const bool first = depth_.empty();
  if (first) {
    width_ = values.width;
    height_ = values.height;
    channels_ = static_cast<std::size_t>(std::min<std::int64_t>(picture.channels(), 3));
    codes_.resize(static_cast<std::size_t>(width_ * height_) * channels_);
  }
  take_codes(picture, channels_, codes_);
  if (first) return begin(depth);

  find_still();
  const Line line = depth.metric ? Line{} : line_to(values.data);
  const float least = depth.metric ? depth.least : 0, most = depth.metric ? depth.most : 1;
  over_rows(height_, [&](std::int64_t y) {
    for (std::int64_t i = y * width_; i < (y + 1) * width_; ++i) {
      values.data[i] =
          std::clamp(static_cast<float>(line.gain * double{values.data[i]} + line.offset), least, most);
      difference_[static_cast<std::size_t>(i)] = values.data[i] - depth_[static_cast<std::size_t>(i)];
    }
  });
  find_jumps();
  mix(values.data);
  find_extremes(depth);
}

}  // namespace scanlens
