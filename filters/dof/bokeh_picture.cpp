#include "filters/bokeh_picture.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "filters/statistics.h"

namespace scanlens {
namespace {

constexpr int kMostSide = 64;
constexpr float kInside = 0.5f;  // of the brightest light
constexpr int kHeights = 512, kColumns = 512;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

BokehPicture::BokehPicture(View<const float> light) : id_(next_id()) {
  const std::int64_t cell = (std::max(light.width, light.height) + kMostSide - 1) / kMostSide;
  if (!light.empty()) {
    width_ = static_cast<int>((light.width + cell - 1) / cell);
    height_ = static_cast<int>((light.height + cell - 1) / cell);
  }
  light_.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
  for (std::int64_t y = 0; y < light.height; ++y)
    for (std::int64_t x = 0; x < light.width; ++x) {
      const auto at = [&](int c) { return light(x, y, c); };
      const float own = light.channels < 3 ? at(0) : luma_of(at(0), at(1), at(2));
      const float lit_up = own * (light.channels == 4 ? at(3) : 1.f);
      if (lit_up > 0) light_[static_cast<std::size_t>(y / cell * width_ + x / cell)] += lit_up;
    }
  const float most = light_.empty() ? 0 : *std::max_element(light_.begin(), light_.end());
  if (!(most > 0) || !std::isfinite(most))
    throw Error(ErrorKind::usage, "the picture is black; give one with an outline of light");
  for (float& value : light_) value /= most;
}

/// Returns the light between pixels, as on lines; outside of the picture it is dark.
double BokehPicture::light_at(double x, double y) const {
  const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
  const auto at = [&](int i, int j) {
    return i >= 0 && j >= 0 && i < width_ && j < height_ ? light_[static_cast<std::size_t>(j * width_ + i)]
                                                         : 0.f;
  };
  const double right = x - left, below = y - top;
  return (at(left, top) * (1 - right) + at(left + 1, top) * right) * (1 - below) +
         (at(left, top + 1) * (1 - right) + at(left + 1, top + 1) * right) * below;
}

BokehPicture::Outline::Outline(const BokehPicture& picture, double degrees, double anamorphic) {
  const double turn = degrees * std::numbers::pi / 180, cosine = std::cos(turn), sine = std::sin(turn);
  const double half = std::hypot(picture.width_, picture.height_) / 2 + 1;
  const double row = 2 * half / kHeights, column = 2 * half / kColumns;
  const auto beyond = [&](double x, double y) {
    const double across = cosine * x + sine * y, down = cosine * y - sine * x;
    return picture.light_at(across + (picture.width_ - 1) / 2., down + (picture.height_ - 1) / 2.) - kInside;
  };
  double area = 0, middle_x = 0, middle_y = 0;
  for (int j = 0; j < kHeights; ++j) {
    const double y = (j + 0.5) * row - half;
    std::vector<Run>& runs = runs_.emplace_back();
    double before = beyond(-half, y);
    for (int i = 1; i <= kColumns; ++i) {
      const double x = i * column - half, here = beyond(x, y);
      const double edge = x - column * here / (here - before);  // where the two differ in sign
      if (before < 0 && here >= 0) runs.push_back({edge, edge});
      if (before >= 0 && here < 0) runs.back()[1] = edge;
      before = here;
    }
    for (const Run& run : runs) {
      const double length = (run[1] - run[0]) * row;
      area += length;
      middle_x += length * (run[0] + run[1]) / 2;
      middle_y += length * y;
    }
  }
  middle_x /= area;
  middle_y /= area;
  const double size = std::sqrt(area / std::numbers::pi), wide = 1 / (size * std::sqrt(anamorphic)),
               high = std::sqrt(anamorphic) / size;
  rows_ = {(-half - middle_y) * high, (half - middle_y) * high};
  double top = rows_[1], bottom = rows_[0];
  for (int j = 0; j < kHeights; ++j)
    for (Run& run : runs_[static_cast<std::size_t>(j)]) {
      run = {(run[0] - middle_x) * wide, (run[1] - middle_x) * wide};
      const double y = (j * row - half - middle_y) * high;
      top = std::min(top, y);
      bottom = std::max(bottom, y + row * high);
      reach_[0] = std::max({reach_[0], -run[0], run[1]});
    }
  reach_[1] = std::max(-top, bottom);
}

const std::vector<BokehPicture::Outline::Run>& BokehPicture::Outline::at(double y) const {
  static const std::vector<Run> none;
  const double share = (y - rows_[0]) / (rows_[1] - rows_[0]) * kHeights;
  return share >= 0 && share < kHeights ? runs_[static_cast<std::size_t>(share)] : none;
}

}  // namespace scanlens
