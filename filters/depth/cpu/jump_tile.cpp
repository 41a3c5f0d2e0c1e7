#include "filters/depth/cpu/jump_tile.h"

namespace scanlens::cpu {
namespace {

/// Sets to[x] = pick of the values from x - 1 to x + 1, for x from `first` to `end`.
template <class Pick>
void across(const float* from, float* to, std::int64_t first, std::int64_t end, const Pick& pick) {
  for (std::int64_t x = first; x < end; ++x) to[x] = pick(pick(from[x - 1], from[x]), from[x + 1]);
}

/// Sets to[x] = pick of the values of three rows, for x from `first` to `end`.
template <class Pick>
void down(const float* a, const float* b, const float* c, float* to, std::int64_t first, std::int64_t end,
          const Pick& pick) {
  for (std::int64_t x = first; x < end; ++x) to[x] = pick(pick(a[x], b[x]), c[x]);
}

constexpr auto kLess = [](float a, float b) { return a < b ? a : b; };
constexpr auto kMore = [](float a, float b) { return a > b ? a : b; };

}  // namespace

template <class T>
void JumpMover<T>::run(JumpTile& tile, const std::function<bool(std::int64_t, std::int64_t)>& looks) {
  load_depth(tile);
  find_steps(tile);
  find_candidates(tile, looks);
  if (candidates_.empty()) return;
  load_colors(tile, candidates_box());
  for (const Candidate& at : candidates_) {
    JumpMiddle middle{plane(kDepth).row(at.y)[at.x], at.low, at.high, {}, {}};
    for (int c = 0; c < 3; ++c) {
      middle.color[c] = plane(kColors + c).row(at.y)[at.x];
      middle.light[c] = plane(kLight + c).row(at.y)[at.x];
    }
    const JumpDepth found = depth_of(at.x, at.y, middle);
    const auto pixel = static_cast<std::uint16_t>(at.y * kJumpTileWidth + at.x);
    tile.pixels.push_back(pixel);
    tile.depths.push_back(found.depth);
    if (found.partly) tile.partly.push_back({pixel, found.near, middle.between()});
  }
}

template <class T>
void JumpMover<T>::load_depth(const JumpTile& tile) {
  const View<float>& map = task_.map;
  const bool inside = tile.x >= kHalo && tile.x + tile.width + kHalo <= map.width;
  for (std::int64_t y = -kHalo; y < tile.height + kHalo; ++y) {
    const float* const from = map.row(within(tile.y + y, map.height));
    float* const to = plane(kDepth).row(y);
    if (inside)
      std::copy_n(from + tile.x - kHalo, tile.width + 2 * kHalo, to - kHalo);
    else
      for (std::int64_t x = -kHalo; x < tile.width + kHalo; ++x) to[x] = from[within(tile.x + x, map.width)];
  }
}

/// Finds the least, the greatest and the span of 3 x 3 pixels, and in kScratch the greatest span of three
/// along rows.
template <class T>
void JumpMover<T>::find_steps(const JumpTile& tile) {
  const std::int64_t width = tile.width, height = tile.height;
  const auto extremes = [&](int of, const auto& pick) {
    for (std::int64_t y = -kHalo; y < height + kHalo; ++y)
      across(plane(kDepth).row(y), plane(kScratch).row(y), 1 - kHalo, width + kHalo - 1, pick);
    for (std::int64_t y = 1 - kHalo; y < height + kHalo - 1; ++y)
      down(plane(kScratch).row(y - 1), plane(kScratch).row(y), plane(kScratch).row(y + 1), plane(of).row(y),
           1 - kHalo, width + kHalo - 1, pick);
  };
  extremes(kLow, kLess);
  extremes(kHigh, kMore);
  for (std::int64_t y = -1; y <= height; ++y) {
    const float *const high = plane(kHigh).row(y), *const low = plane(kLow).row(y);
    float* const step = plane(kStep).row(y);
    for (std::int64_t x = -1; x <= width; ++x) step[x] = high[x] - low[x];
    across(step, plane(kScratch).row(y), 0, width, kMore);
  }
}

/// Finds the pixels near jumps that are looked at. Windows of 7 x 7 are 3 x 3 of every second pixel's 3 x 3.
template <class T>
void JumpMover<T>::find_candidates(const JumpTile& tile,
                                   const std::function<bool(std::int64_t, std::int64_t)>& looks) {
  candidates_.clear();
  float low[kJumpTileWidth], high[kJumpTileWidth], steepest[kJumpTileWidth], column[kPitch];
  const auto window = [&](int of, std::int64_t y, float* to, const auto& pick) {
    float* const of_column = column + kHalo;
    down(plane(of).row(y - 2), plane(of).row(y), plane(of).row(y + 2), of_column, -2, tile.width + 2, pick);
    for (std::int64_t x = 0; x < tile.width; ++x)
      to[x] = pick(pick(of_column[x - 2], of_column[x]), of_column[x + 2]);
  };
  for (std::int64_t y = 0; y < tile.height; ++y) {
    down(plane(kScratch).row(y - 1), plane(kScratch).row(y), plane(kScratch).row(y + 1), steepest, 0,
         tile.width, kMore);
    window(kLow, y, low, kLess);
    window(kHigh, y, high, kMore);
    for (std::int64_t x = 0; x < tile.width; ++x)
      if (is_at_jump(low[x], high[x], steepest[x], range_) && looks(tile.x + x, tile.y + y))
        candidates_.push_back({x, y, low[x], high[x]});
  }
}

template <class T>
auto JumpMover<T>::candidates_box() const -> Box {
  Box box{kJumpTileWidth, candidates_.front().y, 0, candidates_.back().y + 1};
  for (const Candidate& at : candidates_) {
    box.left = std::min(box.left, at.x);
    box.right = std::max(box.right, at.x + 1);
  }
  return box;
}

/// Loads the colours that the windows of a box hold.
template <class T>
void JumpMover<T>::load_colors(const JumpTile& tile, const Box& box) {
  const View<const T>& photo = task_.photo;
  for (std::int64_t y = box.top - kHalo; y < box.bottom + kHalo; ++y) {
    const T* const from = photo.row(within(tile.y + y, photo.height));
    for (std::int64_t x = box.left - kHalo; x < box.right + kHalo; ++x) {
      const T* const pixel = from + within(tile.x + x, photo.width) * photo.channels;
      for (int c = 0; c < 3; ++c) {
        const int code = jump_code(pixel[photo.channels < 3 ? 0 : c], task_.tables.codes);
        plane(kColors + c).row(y)[x] = static_cast<float>(code) * (1 / 255.f);
        plane(kLight + c).row(y)[x] = task_.tables.light[code];
      }
    }
  }
  const std::int64_t left = box.left + 1 - kHalo, right = box.right + kHalo - 1;
  for (std::int64_t y = box.top + 1 - kHalo; y < box.bottom + kHalo - 1; ++y) {
    float* const rough = plane(kRough).row(y);
    std::fill(rough + left, rough + right, 0.f);
    for (int of = kLight; of < kLight + 3; ++of) {
      const float *const above = plane(of).row(y - 1), *const here = plane(of).row(y),
                         *const below = plane(of).row(y + 1);
      for (std::int64_t x = left; x < right; ++x)
        rough[x] += roughness(here[x], above[x], below[x], here[x - 1], here[x + 1]);
    }
  }
}

template <class T>
JumpDepth JumpMover<T>::depth_of(std::int64_t x, std::int64_t y, const JumpMiddle& middle) const {
  JumpSums<Four> sums;
  constexpr int kFours = 2;  // of a row of the window; the last of eight pixels has no weight
  for (int j = 0; j < kJumpSide; ++j)
    for (int i = 0; i < kFours; ++i) {
      const std::int64_t at = x - kJumpWindow + 4 * i, row = y - kJumpWindow + j;
      const auto of = [&](int of_plane) { return four_at(plane(of_plane).row(row) + at); };
      const Four colors[3] = {of(kColors), of(kColors + 1), of(kColors + 2)};
      const Four lights[3] = {of(kLight), of(kLight + 1), of(kLight + 2)};
      sums.add(middle, four_at(task_.tables.weights + 4 * (kFours * j + i)), of(kDepth), of(kLow), of(kHigh),
               colors, lights, of(kRough));
    }
  return jump_depth(sums.summed([](const Four& values) { return sum_of(values); }), middle);
}

template class JumpMover<std::uint8_t>;
template class JumpMover<std::uint16_t>;
template class JumpMover<float>;

}  // namespace scanlens::cpu
