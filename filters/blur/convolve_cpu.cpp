// Parts of the picture, a few hundred samples wide, are gone down row by row. The rows that taps reach stay
// in a core's cache, and the row of means that they make is weighed along at once.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <vector>

#include "core/cpu/pieces.h"
#include "filters/blur/codes.h"
#include "filters/blur/convolve.h"
#include "filters/blur/taps_cpu.h"

namespace scanlens::cpu {
namespace {

constexpr std::int64_t kPartSamples = 1536;  // whole pixels of 1, 3 and 4 channels
constexpr std::int64_t kPartRows = 256;
constexpr int kMostRing = 2 * Taps::kMostRadius + 2;  // rows of entries that taps reach
constexpr std::int64_t kAhead = 12;                   // rows that memory is asked for before they are needed

/// A part's samples with what taps reach beside them, and what vectors touch behind.
std::int64_t row_room(int channels) {
  return kPartSamples + std::int64_t{2} * (Taps::kMostRadius + 1) * channels + 2 * kTapSlack;
}

/// Weights in the order of the entries. Pairs begin with a weight of nothing, as taps are odd in number.
template <class Code>
auto entry_weights(const Taps& taps) {
  using Weight = typename TapEntry<Code>::Weight;
  std::vector<Weight> weights;
  const auto at = [&](int k) { return k < -taps.radius ? 0 : taps.weights[std::abs(k)]; };
  if constexpr (TapEntry<Code>::kTaps == 2)
    for (int k = -taps.radius - 1; k < taps.radius; k += 2) weights.push_back(at(k) | at(k + 1) << 16);
  else
    for (int k = -taps.radius; k <= taps.radius; ++k) weights.push_back(at(k));
  return weights;
}

/// What a thread needs to make parts of the picture, one after the other.
template <class T, bool kAlpha>
class PartMaker {
 public:
  using Code = typename Codes<T, kAlpha>::Code;
  using Entry = typename TapEntry<Code>::Entry;
  using Real = typename CodeSums<Code>::Real;
  static constexpr bool kPairs = TapEntry<Code>::kTaps == 2;

  PartMaker(const Taps& taps, const BandTask<T>& task)
      : taps_(taps),
        task_(task),
        channels_(task.rows.channels),
        margin_(std::int64_t{taps.radius + 1} * channels_),
        before_(taps.radius + (kPairs ? 1 : 0)),
        weights_(entry_weights<Code>(taps)),
        room_(row_room(channels_)),
        ring_(2 * taps.radius + 2),
        entries_(static_cast<std::size_t>(room_ * ring_)),
        along_(static_cast<std::size_t>(room_)),
        codes_(static_cast<std::size_t>(room_ * 4)),
        inverses_(static_cast<std::size_t>(room_)) {}

  /// The samples from `first` on of the result's rows `begin` .. `end` - 1.
  void make(std::int64_t first, std::int64_t begin, std::int64_t end) {
    first_ = first;
    count_ = std::min(kPartSamples, task_.rows.row_samples() - first);
    std::fill_n(inverses_.begin(), count_, inverse(Taps::kWeight));
    const std::int64_t beside = std::int64_t{taps_.radius} * channels_,
                       right = task_.rows.row_samples() - beside;
    for (std::int64_t i = 0; i < count_; ++i)
      if (first + i < beside || first + i >= right)
        inverses_[static_cast<std::size_t>(i)] =
            inverse(taps_.weight((first + i) / channels_, task_.rows.width));
    std::int64_t taken = task_.first + begin - before_;
    for (std::int64_t y = begin; y < end; ++y) {
      for (const std::int64_t row = task_.first + y; taken <= row + taps_.radius; ++taken) take(taken);
      make_row(y);
    }
  }

 private:
  static Real inverse(int weight) { return Real{1} / static_cast<Real>(weight); }
  Entry* row_of_entries(std::int64_t y) {
    return entries_.data() +
           static_cast<std::uint32_t>(y + ring_) % static_cast<std::uint32_t>(ring_) * room_;
  }
  Code* row_of_codes(std::int64_t k) { return codes_.data() + k * room_; }

  static void prefetch(const T* begin, const T* end) {
    for (constexpr std::int64_t kLine = 64 / sizeof(T); begin < end; begin += kLine)
      __builtin_prefetch(begin);
  }

  /// Row y, zeros where it is outside the picture. Pairs are those of the row before and it.
  void take(std::int64_t y) {
    const bool odd = y % 2 != 0;
    Code* codes;
    if constexpr (kPairs)
      codes = row_of_codes(odd);
    else
      codes = row_of_entries(y);
    const std::int64_t left = std::max<std::int64_t>(first_ - margin_, 0),
                       right = std::min(first_ + count_ + margin_, task_.rows.row_samples());
    const std::int64_t length = count_ + 2 * margin_, before = left - (first_ - margin_);
    if (y >= 0 && y < task_.rows.height) {
      std::fill_n(codes, before, Code{0});
      encode_row<T, Code>(task_.rows.row(y), channels_, left, right - left, codes + before);
      std::fill(codes + before + right - left, codes + length, Code{0});
      if (y + kAhead < task_.rows.height)
        prefetch(task_.rows.row(y + kAhead) + left, task_.rows.row(y + kAhead) + right);
    } else {
      std::fill_n(codes, length, Code{0});
    }
    if constexpr (kPairs) pair_rows(row_of_codes(!odd), codes, length, row_of_entries(y - 1));
  }

  /// The means of entries row(k) for every weight k.
  template <class Row>
  void means_of(const Row& row, const Real* inverses, bool each, std::int64_t length, Code* out) {
    std::array<const Entry*, kMostRing> rows;
    for (std::size_t k = 0; k < weights_.size(); ++k)
      rows[k] = row(static_cast<std::int64_t>(k) * TapEntry<Code>::kTaps - before_);
    tap_means(TapSums<Code>{rows.data(), weights_.data(), static_cast<int>(weights_.size()), inverses, each,
                            !std::is_floating_point_v<T>, out, length});
  }

  void make_row(std::int64_t y) {
    const std::int64_t row = task_.first + y, length = count_ + 2 * margin_;
    Code *const down = row_of_codes(2), *const both = row_of_codes(3);
    const Real weight = inverse(taps_.weight(row, task_.rows.height));
    means_of([&](std::int64_t k) { return row_of_entries(row + k); }, &weight, false, length, down);
    const Entry* entries;
    if constexpr (kPairs) {
      pair_rows(down, down + channels_, length - channels_, along_.data());
      entries = along_.data();
    } else {
      entries = down;
    }
    means_of([&](std::int64_t k) { return entries + margin_ + k * channels_; }, inverses_.data(), true,
             count_, both);
    decode_row<T, Code>(both, task_.rows.row(row) + first_, channels_, count_, task_.out.row(y) + first_);
  }

  const Taps taps_;
  const BandTask<T> task_;
  const int channels_;
  const std::int64_t margin_;  ///< samples beside the part
  const std::int64_t before_;  ///< how far before its sample the first entry lies
  const std::vector<typename TapEntry<Code>::Weight> weights_;
  const std::int64_t room_;
  const std::int64_t ring_;
  std::vector<Entry> entries_;  ///< a ring of rows
  std::vector<Entry> along_;
  std::vector<Code> codes_;  ///< two rows of the picture, means down columns, means both ways
  std::vector<Real> inverses_;
  std::int64_t first_ = 0, count_ = 0;  ///< the part's samples
};

template <class T, bool kAlpha>
void make_parts(const Taps& taps, const BandTask<T>& task) {
  const std::int64_t across = pieces_of(task.rows.row_samples(), kPartSamples),
                     parts = across * pieces_of(task.out.height, kPartRows);
  std::atomic<std::int64_t> tickets = 0;
  on_threads(workers_for(parts, 1), [&] {
    PartMaker<T, kAlpha> maker(taps, task);
    for (std::int64_t k; (k = tickets++) < parts;) {
      const std::int64_t begin = k / across * kPartRows;
      maker.make(k % across * kPartSamples, begin, std::min(begin + kPartRows, task.out.height));
    }
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

std::int64_t convolve_apart_bytes(const RowFormat& rows) {
  constexpr std::int64_t kOfASample = kMostRing * 4 + 4 + 4 * 4 + 8;  // of the vectors that a thread has
  return thread_count() * row_room(rows.channels) * kOfASample;
}

}  // namespace scanlens::cpu
