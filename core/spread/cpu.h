// Spreading on the CPU: a thread has a band of rows of the fields. It deposits all that reaches the band, row
// by row. A row comes out at the top as soon as nothing below reaches it. Deposits above the band are
// deposited in its first row instead, which sums to the same; those below it are left out. So bands depend on
// nothing but the pixels, and hold no more rows than boxes are high.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/context.h"
#include "core/cpu/pieces.h"
#include "core/spread/fold_formula.h"

namespace scanlens::cpu {

/// Elements from a pixel of interleaved fields to the next, so that few vectors hold a pixel.
template <int kChannels>
constexpr int kSpreadStep = kChannels == 3  ? 4
                            : kChannels > 4 ? 8
                                            : kChannels;

/// The work of one thread: rows of the fields of all layers.
template <int kChannels>
class SpreadBand {
 public:
  static constexpr int kStep = kSpreadStep<kChannels>;
  /// One pixel's values.
  struct alignas(kStep * 4 >= 16 ? 16 : kStep * 4) Values {
    std::uint32_t of[kStep];
  };

  /// `reach`: no box reaches more rows than that below its pixel, or above.
  SpreadBand(Workspace& workspace, int width, int height, int layers, int reach)
      : width_(width), height_(height), layers_(layers) {
    rows_ = ring_rows(height, reach);
    pitch_ = ring_pitch(width);
    ring_ = workspace.take<Values>(rows_ * layers_ * pitch_);
    sums_ = workspace.take<Values>(layers_ * width_);
    states_ = workspace.take<RowState>(rows_ * layers_);
    live_ = workspace.take<bool>(layers_);
  }

  /// Begins with row `first`; deposits from row `end` on are left out.
  void start(int first, int end) {
    first_ = first;
    end_ = end;
    std::memset(sums_, 0, sizeof(Values) * layers_ * width_);
    std::fill_n(states_, rows_ * layers_, RowState::anything);
    std::fill_n(live_, layers_, false);
  }

  /// Adds the values to the box in the field of a layer.
  void deposit(int layer, const SpreadBox& box, const Values& values) {
    if (box.bottom <= first_) return;  // it ends above the band
    if (lies_within(box, width_, height_)) {
      if (box.top >= end_) return;
      Values* const top = deposits(layer, std::max(box.top, first_));
      add(top[box.left], values);
      subtract(top[box.right], values);
      if (box.bottom >= end_) return;
      Values* const bottom = deposits(layer, box.bottom);
      subtract(bottom[box.left], values);
      add(bottom[box.right], values);
      return;
    }
    for_each_corner(box, width_, height_, [&](int x, int y, int sign) {
      if (y >= end_) return;
      Values* const to = deposits(layer, std::max(y, first_)) + x;
      for (int c = 0; c < kStep; ++c) to->of[c] += static_cast<std::uint32_t>(sign) * values.of[c];
    });
  }

  /// True if rows top and bottom lie in the band.
  bool holds_rows(int top, int bottom) const { return top >= first_ && bottom < end_; }
  /// The deposits of row y of a layer, to add to until it is finished; y lies in the band.
  Values* deposits(int layer, int y) {
    const std::int64_t place = place_of(y) * layers_ + layer;
    Values* const row = ring_ + place * pitch_;
    if (states_[place] == RowState::anything) std::memset(row, 0, sizeof(Values) * width_);
    states_[place] = RowState::deposits;
    return row;
  }
  static void add(Values& to, const Values& values) {
    for (int i = 0; i < kVectors; ++i) vectors(to)[i] += vectors(values)[i];
  }
  static void subtract(Values& to, const Values& values) {
    for (int i = 0; i < kVectors; ++i) vectors(to)[i] -= vectors(values)[i];
  }

  /// Finishes row y, the next from `first` on, once all that reaches it is deposited. Afterwards field(l)
  /// are its sums.
  void finish(int y) {
    for (int l = 0; l < layers_; ++l) {
      const std::int64_t place = place_of(y) * layers_ + l;
      if (states_[place] != RowState::deposits) continue;
      states_[place] = RowState::clear;
      live_[l] = true;
      Values* const in = ring_ + place * pitch_;
      Values* const sums = sums_ + l * width_;
      Values along = {};
      for (int x = 0; x < width_; ++x) {
        add(along, in[x]);
        in[x] = {};  // the row is at hand now, and would not be when it is next used
        add(sums[x], along);
      }
    }
  }

  /// The sums of the row that was finished last; null where all are 0.
  const Values* field(int layer) const { return live_[layer] ? sums_ + layer * width_ : nullptr; }

 private:
  // A pixel's values as vectors: left to themselves compilers add them one by one, and depth of field took
  // 1.3 times as long.
  static constexpr int kVectorBytes = kStep * 4 < 16 ? kStep * 4 : 16, kVectors = kStep * 4 / kVectorBytes;
  typedef std::uint32_t Vector __attribute__((vector_size(kVectorBytes), may_alias));
  static Vector* vectors(Values& values) { return reinterpret_cast<Vector*>(values.of); }
  static const Vector* vectors(const Values& values) { return reinterpret_cast<const Vector*>(values.of); }

  /// Returns at least as many rows as deposits of one row of pixels lie in: its own, those that it reaches,
  /// and the one past them. A power of two, because a row's place by division takes longer than a deposit.
  static std::int64_t ring_rows(std::int64_t height, std::int64_t reach) {
    return static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(2 * std::min(reach, height) + 3)));
  }
  /// Returns how far a row of the ring is from the next. Deposits go to many rows at the same column: where
  /// rows were a multiple of 4096 bytes apart, all would share the few places that the nearest cache has for
  /// one address.
  static std::int64_t ring_pitch(std::int64_t width) {
    constexpr std::int64_t kPage = 4096 / sizeof(Values), kApart = 320 / sizeof(Values);
    return (width + kPage - kApart - 1) / kPage * kPage + kApart;
  }
  std::int64_t place_of(int y) const { return y & (rows_ - 1); }

  /// The content of a row of the ring.
  enum class RowState : std::uint8_t { anything, clear, deposits };

  std::int64_t width_;
  int height_;
  std::int64_t layers_, rows_, pitch_;
  int first_ = 0, end_ = 0;
  Values* ring_;  ///< row y, layer l: place_of(y) * layers_ + l
  Values* sums_;
  RowState* states_;  ///< of the ring's rows
  bool* live_;        ///< true if a layer has any deposit so far
};

/// Number of bands of `height` rows where boxes reach `reach` rows: enough to make every thread busy, but few
/// enough that no more rows are visited around a band than in it.
inline int spread_workers(std::int64_t height, std::int64_t reach) {
  return static_cast<int>(
      std::clamp<std::int64_t>(height / std::max<std::int64_t>(16, reach), 1, thread_count()));
}

/// Calls work(worker, first, end) for each band; workers are below spread_workers().
template <class Work>
void for_each_spread_band(std::int64_t height, std::int64_t reach, const Work& work) {
  const int bands = spread_workers(height, reach);
  std::atomic<int> next = 0;
  on_threads(bands, [&] {
    for (int b; (b = next++) < bands;)
      work(b, static_cast<int>(height * b / bands), static_cast<int>(height * (b + 1) / bands));
  });
}

}  // namespace scanlens::cpu
