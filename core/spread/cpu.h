// Spreading on the CPU: a thread goes once down a tile of the fields. It deposits all that reaches the tile,
// row by row. A row comes out at the top as soon as nothing below reaches it. Deposits above the tile are
// deposited in its first row instead, and those on its left in its first column, which sums to the same;
// those below it or on its right are left out. So tiles depend on nothing but the pixels, and hold no more
// rows than boxes are high.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/context.h"
#include "core/spread/fold_formula.h"
#include "core/spread/tiles.h"

namespace scanlens::cpu {

/// Elements from a pixel of interleaved fields to the next, so that few vectors hold a pixel.
template <int kChannels>
constexpr int kSpreadStep = kChannels == 3  ? 4
                            : kChannels > 4 ? 8
                                            : kChannels;

/// The work of one thread: a tile of the fields of all layers.
template <int kChannels>
class SpreadTile {
 public:
  static constexpr int kStep = kSpreadStep<kChannels>;
  /// One pixel's values.
  struct alignas(kStep * 4 >= 16 ? 16 : kStep * 4) Values {
    std::uint32_t of[kStep];
  };

  /// Memory for any of the tiles. `group` rows of pixels are deposited at a time, and no box reaches more
  /// than `reach` rows beyond them.
  SpreadTile(Workspace& workspace, std::int64_t width, std::int64_t height, const SpreadTiles& tiles,
             int layers, int reach, int group)
      : width_(static_cast<int>(width)),
        height_(static_cast<int>(height)),
        layers_(layers),
        rows_(std::min<std::int64_t>(tiles.most_height(), 2 * std::int64_t{reach} + group + 1)),
        pitch_(ring_pitch(tiles.most_width() + 1)) {
    ring_ = workspace.take<Values>((rows_ * layers_ + 1) * pitch_);
    sums_ = workspace.take<Values>(layers_ * pitch_);
    states_ = workspace.take<RowState>(rows_ * layers_);
    live_ = workspace.take<bool>(layers_);
  }

  /// Begins with the first row of a tile, once the one before is finished.
  void start(const SpreadBox& tile) {
    if (!started_) std::fill_n(states_, rows_ * layers_, RowState::anything);
    started_ = true;
    tile_ = tile;
    turn_ = tile.top;
    std::memset(sums_, 0, sizeof(Values) * layers_ * pitch_);
    std::memset(beyond(), 0, sizeof(Values) * pitch_);
    std::fill_n(live_, layers_, false);
  }

  /// Adds the values to the box in the field of a layer.
  void deposit(int layer, const SpreadBox& box, const Values& values) {
    if (lies_within(box, width_, height_)) return deposit_inside(layer, box, values);
    for_each_corner(box, width_, height_, [&](int x, int y, int sign) {
      Values* const to = deposits(layer, y) + column(x);
      for (int c = 0; c < kStep; ++c) to->of[c] += static_cast<std::uint32_t>(sign) * values.of[c];
    });
  }

  /// Deposits of a layer in row y of the picture, to add to until the row is finished. Those of column x are
  /// at column(x); between the sides of the tile that is x - tile().left.
  Values* deposits(int layer, int y) {
    if (y >= tile_.bottom) return beyond();
    const std::int64_t place = place_of(std::max(y, tile_.top)) * layers_ + layer;
    Values* const row = ring_ + place * pitch_;
    if (states_[place] == RowState::anything) std::memset(row, 0, sizeof(Values) * pitch_);
    states_[place] = RowState::deposits;
    return row;
  }
  int column(int x) const { return std::clamp(x, tile_.left, tile_.right) - tile_.left; }
  const SpreadBox& tile() const { return tile_; }

  static void add(Values& to, const Values& values) {
    for (int i = 0; i < kVectors; ++i) vectors(to)[i] += vectors(values)[i];
  }
  static void subtract(Values& to, const Values& values) {
    for (int i = 0; i < kVectors; ++i) vectors(to)[i] -= vectors(values)[i];
  }

  /// Finishes row y, the next of the tile, once all that reaches it is deposited. Afterwards field(l) are its
  /// sums.
  void finish(int y) {
    const int width = tile_.right - tile_.left;
    for (int l = 0; l < layers_; ++l) {
      const std::int64_t place = place_of(y) * layers_ + l;
      if (states_[place] != RowState::deposits) continue;
      states_[place] = RowState::clear;
      live_[l] = true;
      Values* const in = ring_ + place * pitch_;
      Values* const sums = sums_ + l * pitch_;
      Values along = {};
      for (int x = 0; x < width; ++x) {
        add(along, in[x]);
        in[x] = {};  // the row is at hand, and would not be when it is next used
        add(sums[x], along);
      }
      in[width] = {};
    }
    if (y + 1 == turn_ + rows_) turn_ = y + 1;
  }

  /// The sums of the row that was finished last, from the tile's first column on; null where all are 0.
  const Values* field(int layer) const { return live_[layer] ? sums_ + layer * pitch_ : nullptr; }

 private:
  void deposit_inside(int layer, const SpreadBox& box, const Values& values) {
    if (box.bottom <= tile_.top || box.top >= tile_.bottom || box.right <= tile_.left ||
        box.left >= tile_.right)
      return;
    Values *const top = deposits(layer, box.top), *const bottom = deposits(layer, box.bottom);
    const int left = column(box.left), right = column(box.right);
    add(top[left], values);
    add(bottom[right], values);
    subtract(top[right], values);
    subtract(bottom[left], values);
  }

  // A pixel's values as vectors: left to themselves compilers add them one by one, and depth of field took
  // 1.3 times as long.
  static constexpr int kVectorBytes = kStep * 4 < 16 ? kStep * 4 : 16, kVectors = kStep * 4 / kVectorBytes;
  typedef std::uint32_t Vector __attribute__((vector_size(kVectorBytes), may_alias));
  static Vector* vectors(Values& values) { return reinterpret_cast<Vector*>(values.of); }
  static const Vector* vectors(const Values& values) { return reinterpret_cast<const Vector*>(values.of); }

  /// Returns how far a row of the ring is from the next: an odd number of the cache's lines. Deposits go to
  /// many rows at the same column. Where rows were a multiple of 4096 bytes apart, all would share the few
  /// places that the nearest cache has for one address.
  static std::int64_t ring_pitch(std::int64_t width) {
    constexpr std::int64_t kLine = 64 / sizeof(Values);
    return ((width + kLine - 1) / kLine | 1) * kLine;
  }
  /// A row's place by division would take longer than a deposit.
  std::int64_t place_of(int y) const { return y - turn_ < rows_ ? y - turn_ : y - turn_ - rows_; }
  /// The row that takes what is deposited below the tile.
  Values* beyond() const { return ring_ + rows_ * layers_ * pitch_; }

  /// The content of a row of the ring.
  enum class RowState : std::uint8_t { anything, clear, deposits };

  int width_, height_;
  std::int64_t layers_, rows_, pitch_;
  bool started_ = false;
  SpreadBox tile_ = {};
  int turn_ = 0;  ///< the row at the ring's first place, whose turn ends when all places are finished
  Values* ring_;  ///< row y, layer l: place_of(y) * layers_ + l; then beyond()
  Values* sums_;
  RowState* states_;  ///< of the ring's rows
  bool* live_;        ///< true if a layer has any deposit so far
};

}  // namespace scanlens::cpu
