// The properties of pixels, and the test of a selection: the same arithmetic on both backends.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "filters/statistics.h"

namespace scanlens {

/// Pixels that are worked on together. So an instruction is decoded once for all of them, and memory is read
/// and written by words of 16 bytes.
template <class T>
inline constexpr int kPixelGroup = sizeof(T) == 1 ? 16 : 8;

/// N samples that may be moved at once. On a GPU short ones are kept as words: each by itself would take a
/// register.
template <class T, int N>
struct alignas(N * sizeof(T) % 16 == 0 ? 16 : 8) Samples {
#ifdef __CUDA_ARCH__
  using Word = std::conditional_t<sizeof(T) < 4, std::uint32_t, T>;
#else
  using Word = T;
#endif
  static constexpr int kInWord = sizeof(Word) / sizeof(T), kBits = 8 * sizeof(T);
  Word words[N / kInWord] = {};

  SCANLENS_HOST_DEVICE T operator[](int i) const {
    if constexpr (kInWord == 1)
      return words[i];
    else
      return static_cast<T>(words[i / kInWord] >> i % kInWord * kBits);
  }
  /// Sets a sample that is still 0.
  SCANLENS_HOST_DEVICE void set(int i, T value) {
    if constexpr (kInWord == 1)
      words[i] = value;
    else
      words[i / kInWord] |= Word{value} << i % kInWord * kBits;
  }

#ifdef __CUDA_ARCH__
  /// The bytes i, i + 1, i + 2 in their order, and any behind them.
  __device__ Word word_from(int i) const {
    const int word = i / kInWord, shift = i % kInWord * kBits;
    return shift <= kBits ? words[word] >> shift : __funnelshift_r(words[word], words[word + 1], shift);
  }
#endif

  SCANLENS_HOST_DEVICE static bool fit(const T* data) {
    return reinterpret_cast<std::uintptr_t>(data) % alignof(Samples) == 0;
  }
};

/// Metres, or relative inverse depth as it is.
SCANLENS_HOST_DEVICE inline float depth_of(float disparity, bool metric) {
  return metric ? 1.f / disparity : disparity;
}

/// A sample as a share of white.
template <class T>
SCANLENS_HOST_DEVICE float share_of(T sample) {
  if constexpr (std::is_floating_point_v<T>)
    return sample;
  else
    return static_cast<float>(sample) / static_cast<float>(std::numeric_limits<T>::max());
}

/// The pixels `first` .. `first` + count - 1 of a packed picture of C channels, counted row by row, and what
/// lies beside them; count is 1 to kPixels, and what is read beyond it is the last one again.
template <class T, int C>
class PixelGroup {
 public:
  static constexpr int kPixels = kPixelGroup<T>;

  SCANLENS_HOST_DEVICE PixelGroup(const PixelSources<T>& sources, std::int64_t first, int count)
      : sources_(sources), first_(first), count_(count) {
    const T* const from = sources.image.data + first * C;
    if (count == kPixels && samples_.fit(from)) {
      samples_ = *reinterpret_cast<const Samples<T, kPixels * C>*>(from);
    } else {
      for (int i = 0; i < kPixels; ++i)
        for (int c = 0; c < C; ++c) samples_.set(i * C + c, from[place(i) * C + c]);
    }
    if constexpr (kKeepsLuma)
      for (int i = 0; i < kPixels; ++i) lumas_.set(i, luma_to_keep(i));
  }

  SCANLENS_HOST_DEVICE T sample(int i, int c) const { return samples_[i * C + c]; }

  SCANLENS_HOST_DEVICE T luma(int i) const {
    if constexpr (C == 1)
      return sample(i, 0);
    else if constexpr (kKeepsLuma)
      return lumas_[i];
    else
      return luma_of(sample(i, 0), sample(i, 1), sample(i, 2));
  }

  SCANLENS_HOST_DEVICE float depth(int i) const {
    return depth_of(sources_.disparity.data[first_ + place(i)], sources_.metric);
  }

  /// A bit for each of the `count` pixels that the selection chooses.
  SCANLENS_HOST_DEVICE unsigned chosen(const Selection& selection) const {
    const unsigned there = (1u << count_) - 1;
    if (selection.chooses_all()) return there;
    constexpr int kPlaces = Selection::kMostDepth;
    unsigned stack[kPlaces] = {};  // its top comes first, so that no place is found at run time
    for (int k = 0; k < selection.count; ++k) {
      const Instruction& step = selection.instructions[k];
      if (step.kind == Instruction::Kind::compare || step.kind == Instruction::Kind::within) {
        for (int place = kPlaces - 1; place > 0; --place) stack[place] = stack[place - 1];
        stack[0] = step.kind == Instruction::Kind::compare ? compared(step) : within(step);
      } else {
        stack[0] = step.kind == Instruction::Kind::both ? stack[1] & stack[0] : stack[1] | stack[0];
        for (int place = 1; place < kPlaces - 1; ++place) stack[place] = stack[place + 1];
      }
    }
    return stack[0] & there;
  }

 private:
  /// True if luma is computed once for all its uses, which for short samples takes few registers.
  static constexpr bool kKeepsLuma = C > 1 && sizeof(T) == 1;

  SCANLENS_HOST_DEVICE T luma_to_keep(int i) const {
#ifdef __CUDA_ARCH__
    // luma_of() by products of two bytes at once; what stands behind blue is taken 0 times.
    const unsigned pixel = samples_.word_from(i * C);
    const unsigned red_green = __dp2a_lo(kLumaRed | kLumaGreen << 16, pixel, kLumaUnit / 2);
    return static_cast<T>(__dp2a_hi(kLumaBlue, pixel, red_green) / kLumaUnit);
#else
    return luma_of(sample(i, 0), sample(i, 1), sample(i, 2));
#endif
  }

  SCANLENS_HOST_DEVICE int place(int i) const {
    return i < count_ ? i : count_ - 1;
  }

  /// The channel of a colour. One that the picture does not have, for which nobody asks, is taken for the
  /// first.
  SCANLENS_HOST_DEVICE static constexpr int channel_of(Quantity color) {
    return static_cast<int>(color) < C ? static_cast<int>(color) : 0;
  }

  /// Returns the sample of a pixel that is not known when this is compiled. On a GPU the group would have to
  /// lie in memory for that; the picture, just read, is at hand there.
  SCANLENS_HOST_DEVICE T any_sample(int i, Quantity color) const {
#ifdef __CUDA_ARCH__
    return sources_.image.data[(first_ + place(i)) * C + channel_of(color)];
#else
    return sample(i, channel_of(color));
#endif
  }
  SCANLENS_HOST_DEVICE T any_luma(int i) const {
    if constexpr (C == 1)
      return any_sample(i, Quantity::red);
    else
      return luma_of(any_sample(i, Quantity::red), any_sample(i, Quantity::green),
                     any_sample(i, Quantity::blue));
  }

  SCANLENS_HOST_DEVICE unsigned within(const Instruction& step) const {
    if constexpr (std::is_floating_point_v<T>) return 0;  // floats have no codes
    const auto each = [&](const auto& code_of) {
      unsigned bits = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
      for (int i = 0; i < kPixels; ++i) {
        const auto distance = static_cast<T>(code_of(i) - step.first);  // around the circle of codes
        bits |= static_cast<unsigned>(distance < step.codes) << i;
      }
      return bits;
    };
    switch (step.left) {
      case Quantity::red:
        return each([&](int i) { return sample(i, channel_of(Quantity::red)); });
      case Quantity::green:
        return each([&](int i) { return sample(i, channel_of(Quantity::green)); });
      case Quantity::blue:
        return each([&](int i) { return sample(i, channel_of(Quantity::blue)); });
      case Quantity::alpha:
        return each([&](int i) { return sample(i, channel_of(Quantity::alpha)); });
      default:
        return each([&](int i) { return luma(i); });
    }
  }

  SCANLENS_HOST_DEVICE unsigned compared(const Instruction& step) const {
    unsigned bits = 0;
#ifdef __CUDA_ARCH__
    constexpr int kAtOnce = 1;  // with more, registers leave few warps to wait for memory
#pragma unroll 1
#else
    constexpr int kAtOnce = kPixels;  // for the sake of vectors
#endif
    for (int first = 0; first < kPixels; first += kAtOnce) {
      float left[kAtOnce], right[kAtOnce];
      read(step.left, step.number, first, left);
      read(step.right, step.number, first, right);
      for (int i = 0; i < kAtOnce; ++i) {
        const Compare<float> compare{static_cast<Compare<float>::Relation>(step.relation), right[i]};
        bits |= static_cast<unsigned>(compare(left[i])) << (first + i);
      }
    }
    return bits;
  }

  SCANLENS_HOST_DEVICE std::int64_t row_of(std::int64_t pixel) const {
    const std::int64_t width = sources_.image.width;
    // A division of 32 bits is several times as fast.
    return pixel <= UINT32_MAX ? static_cast<std::uint32_t>(pixel) / static_cast<std::uint32_t>(width)
                               : pixel / width;
  }

  /// Reads the quantity of the pixels from `first` on.
  template <int N>
  SCANLENS_HOST_DEVICE void read(Quantity quantity, float number, int first, float (&values)[N]) const {
    const auto each = [&](const auto& value_of) {
      for (int i = 0; i < N; ++i) values[i] = value_of(first + i);
    };
    const auto pixel = [&](int i) { return first_ + place(i); };
    switch (quantity) {
      case Quantity::red:
      case Quantity::green:
      case Quantity::blue:
      case Quantity::alpha:
        return each([&](int i) { return share_of(any_sample(i, quantity)); });
      case Quantity::luma:
        return each([&](int i) { return share_of(any_luma(i)); });
      case Quantity::x:
        return each(
            [&](int i) { return static_cast<float>(pixel(i) - row_of(pixel(i)) * sources_.image.width); });
      case Quantity::y:
        return each([&](int i) { return static_cast<float>(row_of(pixel(i))); });
      case Quantity::depth:
        return each([&](int i) { return depth(i); });
      case Quantity::coc:
        return each([&](int i) {
          const float disparity = sources_.disparity.data[pixel(i)];
          return disparity == disparity ? circle_of_confusion(disparity, sources_.blur) : disparity;
        });
      case Quantity::mask:
        return each([&](int i) { return sources_.mask.data[pixel(i)]; });
      case Quantity::number:
        break;
    }
    each([&](int) { return number; });
  }

  const PixelSources<T>& sources_;
  std::int64_t first_;
  int count_;
  Samples<T, kPixels * C> samples_;
  Samples<T, kPixels> lumas_;  ///< where kKeepsLuma
};

}  // namespace scanlens
