#include "app/video/follow/patch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/video/follow/brightness.h"

namespace scanlens {
namespace {

/// Pixels to each side of a patch, and of its surroundings.
constexpr int kReach = 10, kAround = 21;
/// Pixels that a patch may lie off the place where it is expected, and those that are searched otherwise.
constexpr int kNear = 16, kFar = 48;
/// A patch is found near that place at this likeness. Far from it more is asked, and something of its
/// surroundings.
constexpr double kFound = 0.7, kFoundFar = 0.8, kFoundAround = 0.35;
/// Below this its looks have changed, and it is taken anew.
constexpr double kSame = 0.85;
/// The deviation of brightness, of 0 .. 1, from which on a patch has detail.
constexpr double kDetail = 0.02;
/// Likeness that a place at the end of the range loses.
constexpr double kPull = 0.02;

/// Sums over squares of a picture whose corners lie in one row, and their products with a patch.
struct RowOfSums {
  explicit RowOfSums(std::size_t width) : sum(width), squares(width), product(width) {}
  std::vector<float> sum, squares, product;
};

/// Moves a match to the top of a surface of second order. That goes through the likeness at its place, which
/// is the highest, and at the eight places around, row by row.
void move_to_top(const std::array<double, 9>& around, Patch::Match& match) {
  const double middle = around[4], across = (around[5] - around[3]) / 2, down = (around[7] - around[1]) / 2;
  const double xx = around[5] + around[3] - 2 * middle, yy = around[7] + around[1] - 2 * middle;
  const double xy = (around[8] - around[6] - around[2] + around[0]) / 4;
  const double curved = xx * yy - xy * xy;
  if (!(xx < 0 && curved > 0)) return;
  const double x = std::clamp((xy * down - yy * across) / curved, -0.75, 0.75),
               y = std::clamp((xy * across - xx * down) / curved, -0.75, 0.75);
  match.at.x += x;
  match.at.y += y;
  match.likeness += (across * x + down * y) / 2;
}

}  // namespace

Patch::Patch(Grey picture, Spot at, int reach) {
  const auto most = static_cast<int>((std::min(picture.width, picture.height) - 1) / 2);
  const int last = std::min(3 * reach, most);
  take(picture, at, std::min(reach, most));
  while (!has_detail_ && (side_ - 1) / 2 < last) take(picture, at, std::min(static_cast<int>(side_), last));
}

void Patch::take(Grey picture, Spot at, int reach) {
  side_ = 2 * reach + 1;
  const auto corner = [&](double center, std::int64_t pixels) {
    return std::clamp<std::int64_t>(std::llround(center) - reach, 0, pixels - side_);
  };
  const std::int64_t left = corner(at.x, picture.width), top = corner(at.y, picture.height);
  middle_ = {at.x - static_cast<double>(left), at.y - static_cast<double>(top)};
  pixels_.clear();
  double sum = 0, squares = 0;
  for (std::int64_t y = top; y < top + side_; ++y)
    for (std::int64_t x = left; x < left + side_; ++x) {
      const double value = picture(x, y);
      pixels_.push_back(static_cast<float>(value));
      sum += value;
      squares += value * value;
    }
  const auto count = static_cast<double>(pixels_.size());
  const double mean = sum / count, spread = std::max(squares - sum * mean, 0.0);
  has_detail_ = spread >= count * kDetail * kDetail;
  const double scale = spread > 0 ? 1 / std::sqrt(spread) : 0;
  for (float& pixel : pixels_) pixel = static_cast<float>((double{pixel} - mean) * scale);
}

Patch::Match Patch::find(Grey picture, Spot near, int range) const {
  const auto ends = [&](double at, double middle, std::int64_t pixels) {
    const std::int64_t corner = std::llround(at - middle), most = pixels - side_;
    return std::pair(std::clamp<std::int64_t>(corner - range, 0, most),
                     std::clamp<std::int64_t>(corner + range, 0, most));
  };
  const auto [left, right] = ends(near.x, middle_.x, picture.width);
  const auto [top, bottom] = ends(near.y, middle_.y, picture.height);
  const auto across = static_cast<std::size_t>(right - left + 1),
             down = static_cast<std::size_t>(bottom - top + 1);
  std::vector<double> likeness(across * down);
  RowOfSums sums(across);
  for (std::size_t y = 0; y < down; ++y) {
    for (std::vector<float>* values : {&sums.sum, &sums.squares, &sums.product})
      std::fill(values->begin(), values->end(), 0.f);
    const float* patch = pixels_.data();
    for (std::int64_t v = 0; v < side_; ++v)
      for (std::int64_t u = 0; u < side_; ++u) {
        const float* const from = picture.row(top + static_cast<std::int64_t>(y) + v) + left + u;
        const float pixel = *patch++;
        for (std::size_t x = 0; x < across; ++x) {
          sums.sum[x] += from[x];
          sums.squares[x] += from[x] * from[x];
          sums.product[x] += from[x] * pixel;
        }
      }
    for (std::size_t x = 0; x < across; ++x) {
      const double sum = sums.sum[x], count = static_cast<double>(pixels_.size());
      const double spread = sums.squares[x] - sum * sum / count;
      likeness[y * across + x] =
          spread > count * 1e-6 ? std::clamp<double>(sums.product[x] / std::sqrt(spread), -1, 1) : 0;
    }
  }
  Match best;
  double most = -2;
  std::size_t at_x = 0, at_y = 0;
  for (std::size_t y = 0; y < down; ++y)
    for (std::size_t x = 0; x < across; ++x) {
      const double dx = static_cast<double>(left) + static_cast<double>(x) + middle_.x - near.x,
                   dy = static_cast<double>(top) + static_cast<double>(y) + middle_.y - near.y;
      const double score = likeness[y * across + x] - kPull * (dx * dx + dy * dy) / (range * range + 1.0);
      if (!(score > most)) continue;
      most = score;
      at_x = x;
      at_y = y;
      best.likeness = likeness[y * across + x];
    }
  const auto at = [&](std::size_t x, std::size_t y) { return likeness[y * across + x]; };
  best.at = {static_cast<double>(left) + static_cast<double>(at_x) + middle_.x,
             static_cast<double>(top) + static_cast<double>(at_y) + middle_.y};
  if (at_x == 0 || at_x + 1 == across || at_y == 0 || at_y + 1 == down) return best;
  std::array<double, 9> around;
  for (std::size_t i = 0; i < around.size(); ++i) around[i] = at(at_x + i % 3 - 1, at_y + i / 3 - 1);
  move_to_top(around, best);
  return best;
}

PatchFollower::Look::Look(Grey picture, Spot at) : patch(picture, at, kReach), around(picture, at, kAround) {}

Patch::Match PatchFollower::Look::find(Grey picture, Spot near) const {
  const Patch::Match found = patch.find(picture, near, kNear);
  return found.likeness >= kFound ? found : Patch::Match();
}

Patch::Match PatchFollower::Look::find_far(Grey picture, Spot near) const {
  const Patch::Match found = patch.find(picture, near, kFar);
  const bool holds =
      found.likeness >= kFoundFar && around.find(picture, found.at, 1).likeness >= kFoundAround;
  return holds ? found : Patch::Match();
}

void PatchFollower::follow(Grey next) {
  if (!has_detail()) return;
  const Spot expected{at_.x + step_.x, at_.y + step_.y};
  Patch::Match found = seen_ ? recent_.find(next, expected) : Patch::Match();
  if (found.likeness < kSame)
    if (const Patch::Match far = recent_.find_far(next, expected); far.likeness > found.likeness) found = far;
  if (found.likeness < 0) found = first_.find_far(next, at_);
  const bool was_seen = std::exchange(seen_, found.likeness >= 0);
  if (!seen_) {
    step_ = {};
    return;
  }
  // The first patch holds where it is found, so that errors do not add up.
  if (const Patch::Match first = first_.patch.find(next, found.at, 2); first.likeness >= kFoundFar) {
    found = first;
    recent_ = first_;
  }
  step_ = was_seen ? Spot{found.at.x - at_.x, found.at.y - at_.y} : Spot{};
  at_ = found.at;
  if (found.likeness < kSame) recent_ = Look(next, at_);
}

namespace {

/// Returns a picture of squares of 4 x 4 pixels.
Image<float> quarter_of(Grey picture) {
  return small_brightness_of(picture, 1, (std::max(picture.width, picture.height) + 3) / 4);
}

}  // namespace

bool is_cut(Grey before, Grey after) {
  constexpr int kAcross = 6, kDown = 4, kLeast = 4, kPart = 7;
  /// The mean difference of brightness below which two pictures are of one scene, and that of two scenes.
  constexpr double kAlike = 0.02, kOther = 0.15;
  const Image<float> old = quarter_of(before), young = quarter_of(after);
  const Grey from = old.view(), to = young.view();
  double difference = 0;
  for (std::int64_t i = 0; i < from.extent(); ++i) difference += std::abs(double{from.data[i]} - to.data[i]);
  difference /= static_cast<double>(from.extent());
  if (difference < kAlike) return false;
  int parts = 0, found = 0;
  for (int j = 0; j < kDown; ++j)
    for (int i = 0; i < kAcross; ++i) {
      const Spot at{(i + 0.5) / kAcross * static_cast<double>(from.width),
                    (j + 0.5) / kDown * static_cast<double>(from.height)};
      const Patch part(from, at, kPart);
      if (!part.has_detail()) continue;
      ++parts;
      found += part.find(to, at, kFar / 4).likeness >= kFoundFar;
    }
  return parts < kLeast ? difference > kOther : 2 * found < parts;
}

}  // namespace scanlens
