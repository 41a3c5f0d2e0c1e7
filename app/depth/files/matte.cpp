#include "app/depth/files/matte.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/error.h"

namespace scanlens {
namespace {

constexpr float kLeast = 0.05f, kMost = 0.95f;  ///< shares of the person that count as none and as whole

/// Pixels of the map beside the edge that are not trusted: its own edge lies that far off.
std::int64_t reach_of(std::int64_t width) {
  return std::max<std::int64_t>(2, width / 128);
}

/// Returns the mean matte, 0 .. 1, of each pixel of a smaller grid.
Image<float> reduced(View<const float> matte, std::int64_t width, std::int64_t height, double full) {
  Image<float> result(width, height);
  const View<float> to = result.view();
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      const std::int64_t left = x * matte.width / width, top = y * matte.height / height;
      const std::int64_t right = std::max((x + 1) * matte.width / width, left + 1);
      const std::int64_t bottom = std::max((y + 1) * matte.height / height, top + 1);
      double sum = 0;
      for (std::int64_t j = top; j < bottom; ++j)
        for (std::int64_t i = left; i < right; ++i) sum += matte(i, j);
      to(x, y) = static_cast<float>(sum / full / static_cast<double>((right - left) * (bottom - top)));
    }
  return result;
}

/// Calls visit(x, y) for the pixels of the grid that are at most `reach` away, the pixel itself among them.
void each_around(View<const float> grid, std::int64_t x, std::int64_t y, std::int64_t reach,
                 const auto& visit) {
  for (std::int64_t j = std::max<std::int64_t>(y - reach, 0); j <= std::min(y + reach, grid.height - 1); ++j)
    for (std::int64_t i = std::max<std::int64_t>(x - reach, 0); i <= std::min(x + reach, grid.width - 1); ++i)
      visit(i, j);
}

/// One side of the edge: its values where all around is of that side, carried on over the whole picture.
class Side {
 public:
  Side(View<const float> values, View<const float> share, bool person) : image_(values.width, values.height) {
    const View<float> to = image_.view();
    std::fill_n(to.data, to.extent(), std::nanf(""));
    const std::int64_t reach = reach_of(to.width);
    for (std::int64_t y = 0; y < to.height; ++y)
      for (std::int64_t x = 0; x < to.width; ++x) {
        bool all = !std::isnan(values(x, y));
        each_around(share, x, y, reach, [&](std::int64_t i, std::int64_t j) {
          all &= person ? share(i, j) > kMost : share(i, j) < kLeast;
        });
        if (!all) continue;
        to(x, y) = values(x, y);
        edge_.emplace_back(x, y);
      }
  }

  bool is_empty() const { return edge_.empty(); }

  /// Carries the values on, one pixel further each time: a pixel takes the mean of its known neighbours.
  Image<float> carried_on() && {
    const View<float> to = image_.view();
    std::vector<float> means;
    while (!edge_.empty()) {
      std::vector<std::pair<std::int64_t, std::int64_t>> next;
      for (const auto& [x, y] : edge_)
        each_around(to, x, y, 1, [&](std::int64_t i, std::int64_t j) {
          if (std::isnan(to(i, j))) next.emplace_back(i, j);
        });
      std::sort(next.begin(), next.end());
      next.erase(std::unique(next.begin(), next.end()), next.end());
      means.clear();
      for (const auto& [x, y] : next) {
        float sum = 0, count = 0;
        each_around(to, x, y, 1, [&](std::int64_t i, std::int64_t j) {
          if (std::isnan(to(i, j))) return;
          sum += to(i, j);
          ++count;
        });
        means.push_back(sum / count);
      }
      for (std::size_t i = 0; i < next.size(); ++i) to(next[i].first, next[i].second) = means[i];
      edge_ = std::move(next);
    }
    return std::move(image_);
  }

 private:
  Image<float> image_;
  std::vector<std::pair<std::int64_t, std::int64_t>> edge_;  ///< pixels that became known last
};

/// Returns the depth of a pixel with this share of a person. Keeps the map's own value if it is about the
/// same, and where both sides have one depth, such as feet and the ground.
float corrected(float own, float before, float behind, float person, float least_jump) {
  constexpr float kAgrees = 0.15f, kDisagrees = 0.4f;
  const float jump = before - behind;
  if (std::abs(jump) < least_jump) return own;
  const float own_share = std::clamp((own - behind) / jump, 0.f, 1.f);
  const float doubt = (std::abs(own_share - person) - kAgrees) / (kDisagrees - kAgrees);
  return own + std::clamp(doubt, 0.f, 1.f) * (behind + person * jump - own);
}

void sharpen(RawDepth& map, const RawDepth& matte) {
  constexpr double kSameProportions = 0.02;
  const View<const float> from = std::as_const(map.values).view(), person = matte.values.view();
  const auto proportions = [](View<const float> image) {
    return static_cast<double>(image.width) / static_cast<double>(image.height);
  };
  if (std::abs(proportions(person) / proportions(from) - 1) > kSameProportions) return;
  if (person.width < from.width || person.height < from.height) return;

  const Image<float> share = reduced(person, from.width, from.height, matte.full);
  Side near(from, share.view(), true), far(from, share.view(), false);
  if (near.is_empty() || far.is_empty()) return;
  const Image<float> near_image = std::move(near).carried_on(), far_image = std::move(far).carried_on();
  constexpr double kLeastJump = 0.04;  // of the largest value
  const auto least_jump = static_cast<float>(kLeastJump * map.full);
  const View<const float> before = near_image.view(), behind = far_image.view(), part = share.view();
  const View<float> to = map.values.view();
  for (std::int64_t i = 0; i < to.extent(); ++i)
    to.data[i] = corrected(to.data[i], before.data[i], behind.data[i], part.data[i], least_jump);
  map.remarks.push_back({false, fmt::format("its edges follow the portrait matte of {} x {} pixels",
                                            person.width, person.height)});
}

}  // namespace

void sharpen_by_matte(RawDepth& map, const std::function<RawDepth()>& read_matte) {
  try {
    sharpen(map, read_matte());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::retry) throw;
    map.remarks.push_back({false, "its portrait matte cannot be read and is not heeded"});
  }
}

}  // namespace scanlens
