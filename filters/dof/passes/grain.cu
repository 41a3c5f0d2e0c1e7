#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <vector>

#include "core/image.h"
#include "core/runtime/count.h"
#include "filters/color.h"
#include "filters/dof/passes.h"
#include "filters/parts/for_each_pixel.h"

namespace scanlens {
namespace {

constexpr int kBands = Grain::kBands;

// ---- noise ----

/// The bits of a place in a channel of a frame: a finalizer of 64 bits (Steele, Lea and Flood, "Fast
/// Splittable Pseudorandom Number Generators", 2014).
SCANLENS_HOST_DEVICE std::uint64_t bits_of(std::uint64_t x, std::uint64_t y, std::uint64_t stream) {
  std::uint64_t bits = (y << 32 | (x & 0xffffffffu)) * 0x9e3779b97f4a7c15u + stream * 0xd1342543de82ef95u;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return bits ^ bits >> 31;
}

/// The sum of eight random bytes without its mean is nearly a normal number.
constexpr float kBellVariance = 8 * 65535 / 12.f;
SCANLENS_HOST_DEVICE int bell(std::int64_t x, std::int64_t y, std::uint64_t stream) {
  constexpr std::uint64_t kEveryOther = 0x00ff00ff00ff00ffu, kSum = 0x0001000100010001u;
  const std::uint64_t bits = bits_of(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y), stream);
  const std::uint64_t pairs = (bits & kEveryOther) + (bits >> 8 & kEveryOther);
  return static_cast<int>(pairs * kSum >> 48) - 1020;
}

/// Noise that neighbours share, with a deviation of sqrt(kBellVariance) * (256 + 2 * shared^2).
SCANLENS_HOST_DEVICE int noise_at(int x, int y, std::uint64_t stream, int shared) {
  if (shared == 0) return 256 * bell(x, y, stream);
  int sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      sum += (dx == 0 ? 16 : shared) * (dy == 0 ? 16 : shared) * bell(x + dx, y + dy, stream);
  return sum;
}

/// Codes of samples: those of 8 and 16 bits as they are, and floats by sRGB in 16 bits.
template <class T>
constexpr float kCodesOf8Bits = sizeof(T) == 1 ? 1.f : 257.f;
template <class T>
SCANLENS_HOST_DEVICE int code_of(T sample) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<int>(linear_to_srgb(sample > 0 ? sample : 0.f) * 65535.f + 0.5f);  // NaN is dark
  else
    return sample;
}

// ---- measuring ----

constexpr int kSteps = 4096;  // of a second difference
constexpr std::int64_t kMostProbes = 1 << 18;
constexpr std::uint32_t kProbed = 1u << 31;

/// Fractions of a code of 8 bits that differences are counted in.
template <class T>
constexpr int kStepsOfCode = sizeof(T) == 1 ? 1 : 64;

/// Writes for a pixel of each cell its band, and both second differences of each colour.
template <class T>
struct Probe {
  View<const T> image;
  View<const float> disparity;
  LayeredLens lens;
  int cell, across;
  std::uint32_t* to;

  SCANLENS_HOST_DEVICE int at(int x, int y, int c) const { return code_of(image(x, y, c)); }

  SCANLENS_HOST_DEVICE std::uint32_t difference(int x, int y, int c, int step) const {
    const int corners = at(x - step, y - step, c) + at(x + step, y - step, c) + at(x - step, y + step, c) +
                        at(x + step, y + step, c);
    const int sides = at(x, y - step, c) + at(x, y + step, c) + at(x - step, y, c) + at(x + step, y, c);
    const int second = corners - 2 * sides + 4 * at(x, y, c);
    const int steps = (second < 0 ? -second : second) * kStepsOfCode<T> / static_cast<int>(kCodesOf8Bits<T>);
    return static_cast<std::uint32_t>(steps < kSteps ? steps : kSteps - 1);
  }

  SCANLENS_HOST_DEVICE void operator()(int i, int j) const {
    constexpr int kReach = 2;
    const int colors = image.channels < 3 ? 1 : 3;
    const std::uint64_t bits = bits_of(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j), 0);
    const auto side = static_cast<std::uint64_t>(cell);
    const int x = i * cell + static_cast<int>((bits & 0xffff) % side),
              y = j * cell + static_cast<int>((bits >> 16 & 0xffff) % side);
    std::uint32_t* const own = to + (static_cast<std::int64_t>(j) * across + i) * colors;
    const bool inside = x >= kReach && y >= kReach && x + kReach < image.width && y + kReach < image.height;
    const bool seen = inside && !deposits(signed_circle(disparity(x, y), lens)) &&
                      (image.channels < 4 || image(x, y, 3) > 0);
    for (int c = 0; c < colors; ++c) {
      own[c] = 0;
      if (!seen) continue;
      int sum = 0;
      for (int k = 0; k < 9; ++k) sum += at(x + k % 3 - 1, y + k / 3 - 1, c);
      const int band = sum / 9 * kBands / (256 * static_cast<int>(kCodesOf8Bits<T>));
      own[c] = kProbed | static_cast<std::uint32_t>(band) << 24 | difference(x, y, c, 1) << 12 |
               difference(x, y, c, 2);
    }
  }
};

/// Counts of differences, which lie half a step around their numbers, since codes are rounded.
class Counts {
 public:
  void add(std::uint32_t difference) { ++counts_[difference], ++total_; }
  std::int64_t total() const { return total_; }

  double lower_quartile() const {
    double left = static_cast<double>(total_) / 4;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] >= left && counts_[i] > 0)
        return std::max(0.0, static_cast<double>(i) - 0.5 + left / static_cast<double>(counts_[i]));
      left -= static_cast<double>(counts_[i]);
    }
    return kSteps;
  }

 private:
  std::vector<std::int64_t> counts_ = std::vector<std::int64_t>(kSteps);
  std::int64_t total_ = 0;
};

/// Returns the deviation of second differences of `step` pixels by that of noise whose neighbours share e.
double response(double e, int step) {
  const double norm = std::sqrt(1 + 2 * e * e), kernel[] = {e / norm, 1 / norm, e / norm};
  double sum = 0;
  for (int i = 0; i < 2 * step + 3; ++i) {
    double at = 0;
    for (int k = 0; k < 3; ++k) at += kernel[k] * (i - k == step ? -2 : i - k == 0 || i - k == 2 * step);
    sum += at * at;
  }
  return sum;  // the square root of the square, for rows and columns
}

/// Returns what neighbours share from the ratio of both differences' deviations.
double shared_of(std::vector<double> ratios) {
  constexpr int kSteps = 100, kMostShared = kSteps / 2;
  if (ratios.empty()) return 0;
  const auto middle = ratios.begin() + std::ssize(ratios) / 2;
  std::nth_element(ratios.begin(), middle, ratios.end());
  double best = 0, least = INFINITY;
  for (int step = 0; step <= kMostShared; ++step) {
    const double shared = static_cast<double>(step) / kSteps;
    const double off = std::abs(response(shared, 1) / response(shared, 2) - *middle);
    if (off < least) least = off, best = shared;
  }
  return best;
}

/// Bands that too few pixels have take the nearest one's deviation.
bool fill_bands(float (&deviation)[kBands], const std::array<bool, kBands>& known) {
  std::array<float, kBands> measured;
  std::copy(std::begin(deviation), std::end(deviation), measured.begin());
  for (int band = 0; band < kBands; ++band)
    for (int away = 0; away < kBands; ++away) {
      const int below = band - away, above = band + away;
      const auto is_known = [&](int at) { return at >= 0 && at < kBands && known.at(at); };
      if (!is_known(below) && !is_known(above)) continue;
      deviation[band] = measured.at(is_known(below) ? below : above);
      break;
    }
  return std::find(known.begin(), known.end(), true) != known.end();
}

/// Returns a channel's noise; `found` becomes true if a band has enough pixels.
Grain::Channel channel_of(const std::uint32_t* probes, std::size_t count, int colors, double steps_of_code,
                          bool& found) {
  constexpr double kQuartile = 0.3186;  // of a normal number's size
  constexpr std::int64_t kLeast = 300;
  std::vector<Counts> near(kBands), far(kBands);
  for (std::size_t i = 0; i < count; i += static_cast<std::size_t>(colors)) {
    if (!(probes[i] & kProbed)) continue;
    const std::size_t band = probes[i] >> 24 & (kBands - 1);
    near[band].add(probes[i] >> 12 & (kSteps - 1));
    far[band].add(probes[i] & (kSteps - 1));
  }
  Grain::Channel channel;
  std::array<bool, kBands> known = {};
  std::vector<double> ratios;
  for (std::size_t band = 0; band < near.size(); ++band) {
    if (near[band].total() < kLeast) continue;
    known[band] = true;
    const double quartile = near[band].lower_quartile(), wide = far[band].lower_quartile();
    channel.deviation[band] = static_cast<float>(quartile / kQuartile / steps_of_code);
    if (quartile > 0 && wide > 0) ratios.push_back(quartile / wide);
  }
  const double shared = shared_of(std::move(ratios));
  channel.shared = static_cast<int>(std::lround(16 * shared));
  const auto per_response = static_cast<float>(response(shared, 1));
  for (float& deviation : channel.deviation) deviation /= per_response;
  found = fill_bands(channel.deviation, known) || found;
  return channel;
}

// ---- adding ----

template <class T>
struct Adder {
  View<T> out;
  View<const float> disparity;
  LayeredLens lens;
  bool draft;
  float share;
  std::uint64_t frame;
  Grain grain;

  /// The share of the noise's deviation that the blur of a circle takes. The more of it neighbours share, the
  /// more stays in a mean.
  SCANLENS_HOST_DEVICE float taken(float circle, int shared) const {
    const float e = static_cast<float>(shared) / 16, sum = (1 + 2 * e) * (1 + 2 * e), weight = 1 + 2 * e * e;
    const float area = area_of_circle(circle), means = area * (weight * weight) / (sum * sum);
    const float own = draft ? (area <= 1 ? 1.f : 0.f) : sharpness(circle), rest = 1 - own;
    const float kept = own * own + rest * rest / (means > 1 ? means : 1.f);
    return kept < 1 ? std::sqrt(1 - kept) : 0.f;
  }

  SCANLENS_HOST_DEVICE float deviation(const Grain::Channel& channel, float code8) const {
    const float place = code8 / (256 / kBands) - 0.5f;
    const float inside = place > 0 ? (place < kBands - 1 ? place : kBands - 1) : 0.f;
    const int band = inside < kBands - 2 ? static_cast<int>(inside) : kBands - 2;
    const float low = channel.deviation[band], high = channel.deviation[band + 1];
    return low + (high - low) * (inside - static_cast<float>(band));
  }

  /// Rounding by chance brings noise of its own to codes of 8 bits: a sixth of a code's square.
  SCANLENS_HOST_DEVICE static float without_rounding(float deviation) {
    constexpr float kOfRounding = 1 / 6.f;
    if (sizeof(T) != 1) return deviation;
    const float square = deviation * deviation, less = square - kOfRounding;
    return std::sqrt(less > square / 2 ? less : square / 2);
  }

  SCANLENS_HOST_DEVICE T grained(T sample, float units, int noise, std::uint64_t random) const {
    constexpr float kOne = 4294967296.f;  // 2^32
    if constexpr (std::is_floating_point_v<T>) {
      constexpr float kSlopeOfWhite = 2.275f;  // the curve goes on beyond white as a line
      const float added = units * static_cast<float>(noise) / 255;
      const float light =
          sample < 1 ? srgb_to_linear(linear_to_srgb(sample) + added) : sample + added * kSlopeOfWhite;
      return light > 0 ? light : 0.f;
    } else {
      constexpr std::int64_t kMost = sizeof(T) == 1 ? 255 : 65535;
      const auto step = static_cast<std::int64_t>(units * kCodesOf8Bits<T> * kOne);
      const std::int64_t exact = (std::int64_t{sample} << 32) + step * noise;
      const std::int64_t code = (exact + static_cast<std::int64_t>(random >> 32)) >> 32;
      return static_cast<T>(code < 0 ? 0 : code > kMost ? kMost : code);
    }
  }

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const float circle = signed_circle(disparity(x, y), lens);
    T* const pixel = &out(x, y);
    for (int c = 0; c < (out.channels < 3 ? 1 : 3); ++c) {
      const Grain::Channel& channel = grain.colors[c];
      const float code8 = static_cast<float>(code_of(pixel[c])) / kCodesOf8Bits<T>;
      const float wanted =
          without_rounding(share * taken(circle, channel.shared) * deviation(channel, code8));
      if (!(wanted > 0)) continue;
      const std::uint64_t stream = (frame * 4 + static_cast<std::uint64_t>(c)) * 2 + 1;
      const auto weight = static_cast<float>(256 + 2 * channel.shared * channel.shared);
      const float units = wanted / (std::sqrt(kBellVariance) * weight);
      pixel[c] = grained(pixel[c], units, noise_at(x, y, stream, channel.shared),
                         bits_of(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y), stream + 1));
    }
  }
};

}  // namespace

template <class T>
Grain measured_grain(Context& context, View<const T> image, View<const float> disparity, const Blur& blur,
                     const DofStyle& style) {
  int cell = 1;
  const auto cells = [&](std::int64_t side) { return (side + cell - 1) / cell; };
  while (cells(image.width) * cells(image.height) > kMostProbes) ++cell;
  const int across = static_cast<int>(cells(image.width)), colors = image.channels < 3 ? 1 : 3;
  const std::int64_t count = across * cells(image.height) * colors;
  Workspace workspace(context);
  auto* const probes = workspace.take<std::uint32_t>(count);
  for_each_pixel(context, across, cells(image.height),
                 Probe<T>{image, disparity, lens_of(blur, style), cell, across, probes});
  Grain grain;
  if (counts(context)) return grain;
  Image<std::uint32_t> found(count, 1);
  copy(context, View<const std::uint32_t>(probes, count, 1), found.view());
  context.synchronize();
  for (int c = 0; c < colors; ++c)
    grain.colors[c] = channel_of(found.view().data + c, static_cast<std::size_t>(count - c), colors,
                                 kStepsOfCode<T>, grain.found);
  return grain;
}

template <class T>
void add_grain(Context& context, View<T> out, View<const float> disparity, const Blur& blur,
               const DofStyle& style, const Grain& grain) {
  for_each_pixel(context, out.width, out.height,
                 Adder<T>{out, disparity, lens_of(blur, style), style.quality == DofQuality::draft,
                          style.grain, static_cast<std::uint64_t>(style.frame), grain});
}

#define SCANLENS_INSTANTIATE(T)                                                                            \
  template Grain measured_grain(Context&, View<const T>, View<const float>, const Blur&, const DofStyle&); \
  template void add_grain(Context&, View<T>, View<const float>, const Blur&, const DofStyle&, const Grain&);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
