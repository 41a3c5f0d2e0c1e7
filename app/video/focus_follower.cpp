#include "app/video/focus_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/depth/around.h"

namespace scanlens {
namespace {

/// The longest side of pictures in which patches are followed.
constexpr std::int64_t kLongest = 640;

}  // namespace

void FocusFollower::begin(FrameAtWork& at, const Image<float>& grey) {
  const RowFormat& rows = at.frame.pixels.format().rows;
  const auto [x, y] = focus_place(lens_, rows.width, rows.height);
  scale_ = static_cast<double>(rows.width) / static_cast<double>(grey.width());
  patch_.emplace(grey.view(), Spot{(x + 0.5) / scale_ - 0.5, (y + 0.5) / scale_ - 0.5});
  if (!patch_->has_detail())
    at.talk.warn(
        fmt::format("{}: the patch at {:.0f},{:.0f} is of one tone and cannot be followed; the focus "
                    "stays at this place; choose one with detail",
                    at.frame.name, x, y));
}

float FocusFollower::follow(FrameAtWork& at) {
  Image<float> grey = at.frame.pixels.small_brightness(kLongest);
  const bool cut = patch_ && is_cut(before_.view(), grey.view());
  const bool was_seen = patch_ && patch_->is_seen();
  if (cut)
    at.talk.warn(at.frame.name +
                 ": a cut; from here on the patch at the first place of --focus-at is followed; "
                 "--from and --to make parts with places of their own");
  if (!patch_ || cut)
    begin(at, grey);
  else
    patch_->follow(grey.view());
  before_ = std::move(grey);
  if (was_seen && !patch_->is_seen())
    at.talk.warn(at.frame.name +
                 ": the patch of --track is not seen; the focus stays at its last depth until it is");
  if (!patch_->is_seen()) return focus_;
  const Image<float>& disparity = at.depth->disparity;
  const auto pixel = [&](double place, std::int64_t pixels) {
    return std::clamp<std::int64_t>(std::llround((place + 0.5) * scale_ - 0.5), 0, pixels - 1);
  };
  const Spot spot = patch_->at();
  return focus_ = disparity_around(disparity.view(), pixel(spot.x, disparity.width()),
                                   pixel(spot.y, disparity.height()));
}

}  // namespace scanlens
