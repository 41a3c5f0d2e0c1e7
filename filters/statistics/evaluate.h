// What pixels are asked for, and whether a selection chooses them: the same arithmetic on both backends.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "filters/statistics.h"

namespace scanlens {

/// Pixels that are worked on together, so that an instruction is decoded once for all of them, and memory is
/// read and written by words.
constexpr int kPixelGroup = 8;

/// Samples that may be moved by words of 8 bytes.
template <class T, int N>
struct alignas(8) AlignedSamples {
  T values[N];
};

template <class T>
SCANLENS_HOST_DEVICE bool is_aligned(const T* data) {
  return reinterpret_cast<std::uintptr_t>(data) % 8 == 0;
}

/// Metres, or relative inverse depth as it is.
SCANLENS_HOST_DEVICE inline float depth_of(float disparity, bool metric) {
  return metric ? 1.f / disparity : disparity;
}

/// The pixels `first` .. `first` + count - 1 of a picture of C channels, counted row by row; count is 1 to
/// kPixelGroup, and what is read beyond it is the last one again.
template <class T, int C>
class PixelGroup {
 public:
  SCANLENS_HOST_DEVICE PixelGroup(const PixelSources<T>& sources, std::int64_t first, int count)
      : sources_(sources), first_(first), count_(count) {
    const View<const T>& image = sources.image;
    const T* const from = image.data + first * C;
    if (image.pitch == image.width * C && count == kPixelGroup && is_aligned(from)) {
      samples_ = *reinterpret_cast<const AlignedSamples<T, kPixelGroup * C>*>(from);
    } else {
      for (int i = 0; i < kPixelGroup; ++i)
        for (int c = 0; c < C; ++c) samples_.values[i * C + c] = value(image, i, c);
    }
  }

  SCANLENS_HOST_DEVICE T sample(int i, int c) const { return samples_.values[i * C + c]; }

  SCANLENS_HOST_DEVICE T luma(int i) const {
    if constexpr (C == 1)
      return sample(i, 0);
    else
      return luma_of(sample(i, 0), sample(i, 1), sample(i, 2));
  }

  SCANLENS_HOST_DEVICE float depth(int i) const {
    return depth_of(value(sources_.disparity, i), sources_.metric);
  }

  /// A bit for each pixel that the selection chooses. The stack is one word, kPixelGroup bits a place.
  SCANLENS_HOST_DEVICE unsigned chosen(const Selection& selection) const {
    static_assert(Selection::kMostDepth * kPixelGroup <= 64, "the stack is a word");
    constexpr std::uint64_t kTop = (1u << kPixelGroup) - 1;
    std::uint64_t stack = 0;
    for (int k = 0; k < selection.count; ++k) {
      const Instruction& step = selection.instructions[k];
      if (step.kind == Instruction::Kind::compare) {
        stack = stack << kPixelGroup | compared(step);
      } else {
        const std::uint64_t top = stack & kTop, below = stack >> kPixelGroup;
        // Above the lowest place nothing changes.
        stack = step.kind == Instruction::Kind::both ? below & (top | ~kTop) : below | top;
      }
    }
    return static_cast<unsigned>(stack & kTop);
  }

 private:
  SCANLENS_HOST_DEVICE std::int64_t place(int i) const { return first_ + (i < count_ ? i : count_ - 1); }

  template <class U>
  SCANLENS_HOST_DEVICE U value(const View<const U>& view, int i, int c = 0) const {
    const std::int64_t at = place(i);
    return view.pitch == view.width * view.channels ? view.data[at * view.channels + c]
                                                    : view(at % view.width, at / view.width, c);
  }

  SCANLENS_HOST_DEVICE static float share(T sample) {
    if constexpr (std::is_floating_point_v<T>)
      return sample;
    else
      return static_cast<float>(sample) / static_cast<float>(std::numeric_limits<T>::max());
  }

  SCANLENS_HOST_DEVICE unsigned compared(const Instruction& step) const {
    float left[kPixelGroup], right[kPixelGroup];
    read(step.left, step.number, left);
    read(step.right, step.number, right);
    unsigned bits = 0;
    for (int i = 0; i < kPixelGroup; ++i) {
      const Compare<float> compare{static_cast<Compare<float>::Relation>(step.relation), right[i]};
      bits |= static_cast<unsigned>(compare(left[i])) << i;
    }
    return bits;
  }

  /// Zeros where the picture does not have the channel, for which nobody asks.
  template <int kChannel>
  SCANLENS_HOST_DEVICE void read_channel(float (&values)[kPixelGroup]) const {
    for (int i = 0; i < kPixelGroup; ++i) {
      if constexpr (kChannel < C)
        values[i] = share(sample(i, kChannel));
      else
        values[i] = 0;
    }
  }

  /// Columns, or rows. One division serves the whole group.
  SCANLENS_HOST_DEVICE void read_place(bool rows, float (&values)[kPixelGroup]) const {
    const std::int64_t width = sources_.image.width;
    std::int64_t y = first_ / width, x = first_ - y * width;
    for (int i = 0; i < kPixelGroup; ++i) {
      values[i] = static_cast<float>(rows ? y : x);
      if (++x == width) {
        x = 0;
        ++y;
      }
    }
  }

  SCANLENS_HOST_DEVICE void read(Quantity quantity, float number, float (&values)[kPixelGroup]) const {
    switch (quantity) {
      case Quantity::red:
        return read_channel<0>(values);
      case Quantity::green:
        return read_channel<1>(values);
      case Quantity::blue:
        return read_channel<2>(values);
      case Quantity::alpha:
        return read_channel<3>(values);
      case Quantity::luma:
        for (int i = 0; i < kPixelGroup; ++i) values[i] = share(luma(i));
        return;
      case Quantity::x:
      case Quantity::y:
        return read_place(quantity == Quantity::y, values);
      case Quantity::depth:
        for (int i = 0; i < kPixelGroup; ++i) values[i] = depth(i);
        return;
      case Quantity::coc:
        for (int i = 0; i < kPixelGroup; ++i)
          values[i] = circle_of_confusion(value(sources_.disparity, i), sources_.blur);
        return;
      case Quantity::mask:
        for (int i = 0; i < kPixelGroup; ++i) values[i] = value(sources_.mask, i);
        return;
      case Quantity::number:
        break;
    }
    for (int i = 0; i < kPixelGroup; ++i) values[i] = number;
  }

  const PixelSources<T>& sources_;
  std::int64_t first_;
  int count_;
  AlignedSamples<T, kPixelGroup * C> samples_;
};

}  // namespace scanlens
