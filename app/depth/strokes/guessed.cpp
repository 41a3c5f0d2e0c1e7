#include "app/depth/strokes/guessed.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/depth/small_photo.h"

namespace scanlens {
namespace {

constexpr std::int64_t kLongSide = 96;  // of the photo that is looked at
// The ground: nearness at the photo's lower end, and at its farthest, whose height is a share of the photo's.
constexpr double kNear = 0.8, kFar = 0.2, kHorizon = 0.15;
/// Nearness of a thing before the ground at its foot.
constexpr double kBefore = 0.05;

using Plane = Image<float>;

/// Returns means over boxes of 2 r + 1 pixels, as far as they lie in the plane.
Plane smoothed(const Plane& plane, std::int64_t r) {
  const View<const float> from = plane.view();
  Plane result(from.width, from.height);
  for (std::int64_t y = 0; y < from.height; ++y)
    for (std::int64_t x = 0; x < from.width; ++x) {
      double sum = 0;
      int count = 0;
      for (std::int64_t v = std::max<std::int64_t>(y - r, 0); v <= std::min(y + r, from.height - 1); ++v)
        for (std::int64_t u = std::max<std::int64_t>(x - r, 0); u <= std::min(x + r, from.width - 1); ++u) {
          sum += static_cast<double>(from(u, v));
          ++count;
        }
      result.view()(x, y) = static_cast<float>(sum / count);
    }
  return result;
}

/// Scales a plane so that nearly all of it is at most 1, and clips the rest.
void normalise(Plane& plane) {
  const View<float> values = plane.view();
  std::vector<float> sorted(values.data, values.data + values.extent());
  const auto most =
      sorted.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(sorted.size() - 1));
  std::nth_element(sorted.begin(), most, sorted.end());
  for (std::int64_t i = 0; i < values.extent(); ++i)
    values.data[i] = *most > 0 ? std::min(values.data[i] / *most, 1.f) : 0;
}

struct Color {
  float y, cb, cr;
};

/// The colours of a photo, without its texture.
class Look {
 public:
  explicit Look(const Image<std::uint8_t>& photo)
      : width_(photo.width()), height_(photo.height()), luma_(width_, height_) {
    Plane cb(width_, height_), cr(width_, height_);
    for (std::int64_t y = 0; y < height_; ++y)
      for (std::int64_t x = 0; x < width_; ++x) {
        const auto at = [&](int c) { return static_cast<float>(photo.view()(x, y, c)); };
        const float luma = 0.299f * at(0) + 0.587f * at(1) + 0.114f * at(2);
        luma_.view()(x, y) = luma;
        cb.view()(x, y) = 0.564f * (at(2) - luma);
        cr.view()(x, y) = 0.713f * (at(0) - luma);
      }
    const Plane planes[] = {smoothed(luma_, 1), smoothed(cb, 1), smoothed(cr, 1)};
    for (std::int64_t y = 0; y < height_; ++y)
      for (std::int64_t x = 0; x < width_; ++x)
        colors_.push_back({planes[0].view()(x, y) / 2, planes[1].view()(x, y), planes[2].view()(x, y)});
  }

  /// Returns how much each pixel differs from the most similar parts of the upper border.
  Plane difference_from_border() const {
    constexpr std::size_t kMostSimilar = 8;
    std::vector<Color> border;
    for (std::int64_t x = 0; x < width_; ++x) border.push_back(color(x, 0));
    for (std::int64_t y = 0; y < 2 * height_ / 3; ++y)
      for (const std::int64_t x : {std::int64_t{0}, width_ - 1}) border.push_back(color(x, y));
    const std::size_t most = std::min(kMostSimilar, border.size());
    Plane result(width_, height_);
    std::vector<float> apart(border.size());
    for (std::int64_t y = 0; y < height_; ++y)
      for (std::int64_t x = 0; x < width_; ++x) {
        const Color own = color(x, y);
        std::transform(border.begin(), border.end(), apart.begin(), [&own](const Color& other) {
          return std::hypot(own.y - other.y, own.cb - other.cb, own.cr - other.cr);
        });
        std::partial_sort(apart.begin(), apart.begin() + static_cast<std::ptrdiff_t>(most), apart.end());
        float sum = 0;
        for (std::size_t i = 0; i < most; ++i) sum += apart[i];
        result.view()(x, y) = sum / static_cast<float>(most);
      }
    return smoothed(result, 1);
  }

  /// Returns how sharp the surroundings of each pixel are.
  Plane sharpness() const {
    const View<const float> luma = luma_.view();
    Plane result(width_, height_);
    for (std::int64_t y = 0; y < height_; ++y)
      for (std::int64_t x = 0; x < width_; ++x) {
        const auto slope = [&](std::int64_t dx, std::int64_t dy) {
          return luma(std::min(x + dx, width_ - 1), std::min(y + dy, height_ - 1)) -
                 luma(std::max<std::int64_t>(x - dx, 0), std::max<std::int64_t>(y - dy, 0));
        };
        result.view()(x, y) = std::hypot(slope(1, 0), slope(0, 1));
      }
    return smoothed(result, 3);
  }

 private:
  const Color& color(std::int64_t x, std::int64_t y) const {
    return colors_[static_cast<std::size_t>(y * width_ + x)];
  }

  std::int64_t width_, height_;
  Plane luma_;
  std::vector<Color> colors_;
};

/// Returns how likely each pixel belongs to the thing that the photo is of.
Plane prominence(const Image<std::uint8_t>& photo) {
  const Look look(photo);
  Plane found = look.difference_from_border(), sharp = look.sharpness();
  normalise(found);
  normalise(sharp);
  const View<float> values = found.view();
  const auto squared = [](double value) { return value * value; };
  for (std::int64_t y = 0; y < values.height; ++y)
    for (std::int64_t x = 0; x < values.width; ++x) {
      const double across = static_cast<double>(x) / static_cast<double>(values.width),
                   down = static_cast<double>(y) / static_cast<double>(values.height);
      const double middle = std::exp(-squared((across - 0.5) / 0.35) - squared((down - 0.6) / 0.4));
      values(x, y) *= static_cast<float>(middle * (0.5 + 0.5 * static_cast<double>(sharp.view()(x, y))));
    }
  return found;
}

/// The pixels of an area, of each row its longest run.
struct Thing {
  struct Run {
    std::int64_t y, begin, end;
  };
  std::int64_t pixels = 0;
  std::vector<Run> runs;
};

/// Returns the connected areas above a threshold.
std::vector<Thing> things_in(const Plane& plane, float threshold) {
  const View<const float> values = plane.view();
  const std::int64_t width = values.width, height = values.height;
  std::vector<int> area(static_cast<std::size_t>(width * height), 0);
  std::vector<Thing> things;
  for (std::int64_t start = 0; start < width * height; ++start) {
    const auto is_open = [&](std::int64_t i) {
      return values.data[i] > threshold && area[static_cast<std::size_t>(i)] == 0;
    };
    if (!is_open(start)) continue;
    Thing& thing = things.emplace_back();
    const int number = static_cast<int>(things.size());
    std::vector<std::int64_t> open = {start};
    area[static_cast<std::size_t>(start)] = number;
    while (!open.empty()) {
      const std::int64_t at = open.back(), x = at % width, y = at / width;
      open.pop_back();
      ++thing.pixels;
      for (const auto& [u, v] : {std::pair(x - 1, y), {x + 1, y}, {x, y - 1}, {x, y + 1}}) {
        if (u < 0 || v < 0 || u >= width || v >= height || !is_open(v * width + u)) continue;
        area[static_cast<std::size_t>(v * width + u)] = number;
        open.push_back(v * width + u);
      }
    }
    for (std::int64_t y = 0; y < height; ++y) {
      Thing::Run longest = {y, 0, 0}, run = {y, 0, 0};
      for (std::int64_t x = 0; x < width; ++x) {
        if (area[static_cast<std::size_t>(y * width + x)] != number) continue;
        run = run.end == x ? Thing::Run{y, run.begin, x + 1} : Thing::Run{y, x, x + 1};
        if (run.end - run.begin > longest.end - longest.begin) longest = run;
      }
      if (longest.end > longest.begin) thing.runs.push_back(longest);
    }
  }
  return things;
}

}  // namespace

Strokes guessed_strokes(const PhotoRows& photo) {
  constexpr std::size_t kMostThings = 2;
  constexpr double kLeastPart = 0.01;  // of the photo
  constexpr float kProminent = 0.45f;
  const double scale =
      std::min(1.0, static_cast<double>(kLongSide) /
                        static_cast<double>(std::max(photo.format.width, photo.format.height)));
  const auto side = [scale](std::int64_t length) {
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(length) * scale));
  };
  const Plane found = prominence(small_photo(photo, side(photo.format.width), side(photo.format.height)));
  const auto width = static_cast<double>(found.width()), height = static_cast<double>(found.height());
  Strokes strokes = {photo.format.width, photo.format.height, false, {}};
  const auto place = [&](double across, double down) {
    const auto on = [](double share, std::int64_t length) {
      return std::round(10 * (share * static_cast<double>(length) - 0.5)) / 10;
    };
    return std::array<double, 2>{on(across, strokes.width), on(down, strokes.height)};
  };
  if (photo.format.height > 1)
    strokes.strokes.push_back({{place(0.5, 1), place(0.5, kHorizon)}, 0, kNear, kFar});

  const View<const float> values = found.view();
  const float most = *std::max_element(values.data, values.data + values.extent());
  std::vector<Thing> things = things_in(found, kProminent * most);
  std::stable_sort(things.begin(), things.end(),
                   [](const Thing& a, const Thing& b) { return a.pixels > b.pixels; });
  if (things.size() > kMostThings) things.resize(kMostThings);
  for (const Thing& thing : things) {
    if (static_cast<double>(thing.pixels) < kLeastPart * width * height) continue;
    const double foot = static_cast<double>(thing.runs.back().y) / height;
    const double nearness = kFar + (kNear - kFar) * (foot - kHorizon) / (1 - kHorizon) + kBefore;
    Stroke stroke;
    stroke.from = stroke.to = std::round(100 * std::clamp(nearness, 0.0, 1.0)) / 100;
    constexpr std::size_t kParts = 8;  // of its height, without the first and the last
    for (std::size_t part = 1; part < kParts; ++part) {
      const Thing::Run& run = thing.runs[part * (thing.runs.size() - 1) / kParts];
      stroke.points.push_back(place(static_cast<double>(run.begin + run.end) / 2 / width,
                                    (static_cast<double>(run.y) + 0.5) / height));
    }
    strokes.strokes.push_back(std::move(stroke));
  }
  return strokes;
}

}  // namespace scanlens
