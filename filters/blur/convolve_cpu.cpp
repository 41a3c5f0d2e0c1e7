// Parts of the picture, a few hundred samples wide, are gone down row by row. The rows that taps reach stay
// in a core's cache, and the row of means that they make is weighed along at once.
#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/cpu/pieces.h"
#include "filters/blur/codes.h"
#include "filters/blur/convolve.h"
#include "filters/blur/tap_rows_cpu.h"

namespace scanlens::cpu {
namespace {

constexpr std::int64_t kPartSamples = 768;  // whole pixels of 1, 3 and 4 channels
constexpr std::int64_t kPartRows = 256;
constexpr std::int64_t kAhead = 12;  // rows that memory is asked for before they are needed

std::int64_t parts_of(std::int64_t row_samples, std::int64_t rows) {
  return pieces_of(row_samples, kPartSamples) * pieces_of(rows, kPartRows);
}

/// A part's samples with what taps reach beside them, and what vectors touch behind, in lines of the cache.
std::int64_t row_room(int channels) {
  const std::int64_t samples = kPartSamples + std::int64_t{2} * (Taps::kMostRadius + 1) * channels;
  return (samples + 2 * kTapSlack - 1) / kTapSlack * kTapSlack;
}

/// A thread's memory to make parts of the picture, one after the other.
template <class T, bool kAlpha>
class PartMaker {
 public:
  using Code = typename Codes<T, kAlpha>::Code;
  using Real = typename CodeSums<Code>::Real;

  PartMaker(const Taps& taps, const BandTask<T>& task)
      : taps_(taps),
        task_(task),
        channels_(task.rows.channels),
        margin_(std::int64_t{taps.radius + 1} * channels_),
        room_(row_room(channels_)),
        rows_(taps, channels_, room_),
        codes_(static_cast<std::size_t>(room_ * 2)),
        inverses_(static_cast<std::size_t>(room_)) {}

  /// The samples from `first` on of the result's rows `begin` .. `end` - 1.
  void make(std::int64_t first, std::int64_t begin, std::int64_t end) {
    first_ = first;
    count_ = std::min(kPartSamples, task_.rows.row_samples() - first);
    invert_weights();
    std::int64_t taken = rows_.first_row(task_.first + begin);
    for (std::int64_t y = begin; y < end; ++y) {
      const std::int64_t last = rows_.last_row(task_.first + y);
      for (; taken <= last; ++taken) take(taken);
      make_row(y);
    }
  }

 private:
  static Real inverse(int weight) { return Real{1} / static_cast<Real>(weight); }
  std::int64_t length() const { return count_ + 2 * margin_; }

  /// Inverts the weights along, which are less beside the picture's left and right edge.
  void invert_weights() {
    std::fill_n(inverses_.begin(), count_, inverse(Taps::kWeight));
    const std::int64_t beside = std::int64_t{taps_.radius} * channels_,
                       right = task_.rows.row_samples() - beside;
    for (std::int64_t i = 0; i < count_; ++i)
      if (first_ + i < beside || first_ + i >= right)
        inverses_[static_cast<std::size_t>(i)] =
            inverse(taps_.weight((first_ + i) / channels_, task_.rows.width));
    rows_.set_inverses(inverses_, count_);
  }

  /// Asks for samples before they are needed. A part's rows are too short for the processor to foresee them.
  template <bool kToWrite>
  static void prefetch(const T* samples, std::int64_t count) {
    for (std::int64_t i = 0; i < count; i += 64 / sizeof(T)) __builtin_prefetch(samples + i, kToWrite);
  }

  /// Row y, zeros where it is outside the picture.
  void take(std::int64_t y) {
    Code* const codes = rows_.row(y);
    const std::int64_t left = std::max<std::int64_t>(first_ - margin_, 0),
                       right = std::min(first_ + count_ + margin_, task_.rows.row_samples());
    const std::int64_t before = left - (first_ - margin_);
    if (y >= 0 && y < task_.rows.height) {
      std::fill_n(codes, before, Code{0});
      encode_row<T, Code>(task_.rows.row(y), channels_, left, right - left, codes + before);
      std::fill(codes + before + right - left, codes + length(), Code{0});
      if (y + kAhead < task_.rows.height) prefetch<false>(task_.rows.row(y + kAhead) + left, right - left);
    } else {
      std::fill_n(codes, length(), Code{0});
    }
    rows_.took(y, length());
  }

  void make_row(std::int64_t y) {
    const std::int64_t row = task_.first + y;
    if (y + kAhead < task_.out.height) prefetch<true>(task_.out.row(y + kAhead) + first_, count_);
    Code *const down = codes_.data(), *const both = down + room_;
    rows_.go_down(row, inverse(taps_.weight(row, task_.rows.height)), length(), down);
    rows_.go_along(down + margin_, count_, both);
    decode_row<T, Code>(both, task_.rows.row(row) + first_, channels_, count_, task_.out.row(y) + first_);
  }

  const Taps taps_;
  const BandTask<T> task_;
  const int channels_;
  const std::int64_t margin_;  ///< samples beside the part
  const std::int64_t room_;
  TapRows<Code, !std::is_floating_point_v<T>> rows_;
  AlignedRows<Code> codes_;  ///< means down columns, means both ways
  AlignedRows<Real> inverses_;
  std::int64_t first_ = 0, count_ = 0;  ///< the part's samples
};

template <class T, bool kAlpha>
void make_parts(const Taps& taps, const BandTask<T>& task) {
  const std::int64_t across = pieces_of(task.rows.row_samples(), kPartSamples),
                     parts = parts_of(task.rows.row_samples(), task.out.height);
  std::vector<std::optional<PartMaker<T, kAlpha>>> makers(static_cast<std::size_t>(workers_for(parts, 1)));
  for_each_task(parts, [&](std::int64_t k, int worker) {
    auto& maker = makers[static_cast<std::size_t>(worker)];
    if (!maker) maker.emplace(taps, task);
    const std::int64_t begin = k / across * kPartRows;
    maker->make(k % across * kPartSamples, begin, std::min(begin + kPartRows, task.out.height));
  });
}

}  // namespace

template <class T>
void convolve_apart(Context&, const Taps& taps, const BandTask<T>& task) {
  if (task.rows.channels == 4)
    make_parts<T, true>(taps, task);
  else
    make_parts<T, false>(taps, task);
}

template void convolve_apart(Context&, const Taps&, const BandTask<std::uint8_t>&);
template void convolve_apart(Context&, const Taps&, const BandTask<std::uint16_t>&);
template void convolve_apart(Context&, const Taps&, const BandTask<float>&);

std::int64_t convolve_apart_bytes(int channels, std::int64_t row_samples, std::int64_t rows) {
  // A thread has the most of floats: the ring, two rows of means, and inverses twice.
  constexpr std::int64_t kOfASample = (2 * Taps::kMostRadius + 1) * 4 + 2 * 4 + 2 * 8;
  return workers_for(parts_of(row_samples, rows), 1) * row_room(channels) * kOfASample;
}

}  // namespace scanlens::cpu
