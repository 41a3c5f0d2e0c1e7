// From an image's pixels to rows of terms, for summed-area tables on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/sat/backends.h"
#include "core/sat/cpu/rows.h"
#include "core/sat/terms.h"

namespace scanlens::cpu {

/// out[i] = lut[in[i]]; the table has 256 entries. Of four channels the last stays as it is.
void look_up(const std::uint16_t* lut, const std::uint8_t* in, std::int64_t count, int channels,
             std::uint16_t* out);

/// A fourth channel of ones is added to three.
void add_coverage(const std::uint8_t* in, std::int64_t pixels, std::uint8_t* out);
void add_coverage(const std::uint16_t* in, std::int64_t pixels, std::uint16_t* out);

/// One channel of interleaved ones, 3 or 4.
void take_channel(const std::uint8_t* in, std::int64_t pixels, int channels, int channel, std::uint8_t* out);
void take_channel(const std::uint16_t* in, std::int64_t pixels, int channels, int channel,
                  std::uint16_t* out);

/// The rows of terms of one table: of interleaved channels, or one row for each plane.
template <class T, class S, class Out, bool kSquared>
class SatTerms {
 public:
  SatTerms(const SatTask<T, S>& task, const TablePlaces<Out>& places)
      : task_(task),
        planes_(places.plane == 1 ? 1 : task.channels),
        interleaved_(places.plane == 1 ? task.channels : 1) {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      short_ = task.terms.lut && interleaved_ == task.channels;
      for (int i = 0; short_ && i < 256; ++i) {
        lut_[i] = static_cast<std::uint16_t>(task.terms.lut[i]);
        short_ = lut_[i] == task.terms.lut[i];
      }
    }
  }

  int planes() const { return planes_; }
  int interleaved() const { return interleaved_; }
  std::int64_t length() const { return task_.image.width * interleaved_; }  ///< of a row of one plane

  /// True if the terms are the image's samples themselves.
  bool direct() const {
    return (std::is_integral_v<T> || std::is_floating_point_v<Out>)&&!kSquared && !task_.terms.lut &&
           !task_.terms.weigh_by_alpha && task_.image.channels == interleaved_;
  }

  /// body(in, pitch, first, length, ahead): the terms first … first + length - 1 of each of `count` rows from
  /// row y of image b on, until all have been seen; the rows lie `pitch` elements apart. They are of a small
  /// type that holds them. Meanwhile memory is to bring the rows `ahead` (0: none); if `ahead` is passed on,
  /// the body sees to it, as many elements from `in`. More than kSatRows rows are taken only where the terms
  /// are direct.
  template <class Body>
  void visit(std::int64_t b, std::int64_t y, int count, int plane, std::int64_t ahead,
             const Body& body) const {
    const Rows rows{.pixels = task_.image.row(b * task_.height + y),
                    .count = count,
                    .plane = plane,
                    .ahead = plane == 0 ? ahead * task_.image.pitch : 0};
    constexpr bool kSamples = !kSquared && (std::is_integral_v<T> || std::is_floating_point_v<Out>);
    if constexpr (kSamples)
      if (direct()) return body(rows.pixels, task_.image.pitch, std::int64_t{0}, length(), rows.ahead);
    if constexpr (std::is_floating_point_v<Out> || kSquared) {
      visit_strips<Out>(rows, body);
    } else if (task_.terms.weigh_by_alpha || task_.terms.packed) {
      visit_strips<Out>(rows, body);
    } else if constexpr (std::is_floating_point_v<T>) {
      visit_strips<std::uint32_t>(rows, body);
    } else if (short_) {
      visit_strips<std::uint16_t>(rows, body);
    } else if (task_.terms.lut) {
      visit_strips<std::uint32_t>(rows, body);
    } else {
      visit_strips<T>(rows, body);
    }
  }

 private:
  struct Rows {
    const T* pixels;  ///< of the first
    int count;
    int plane;
    std::int64_t ahead;
  };

  static constexpr std::int64_t kStrip = 512;  ///< pixels, whose terms fit the first-level cache

  template <class Term, class Body>
  void visit_strips(const Rows& rows, const Body& body) const {
    constexpr std::int64_t kPitch = kStrip * 4;
    alignas(64) Term strips[kSatRows * kPitch];
    const int channels = task_.image.channels;
    for (std::int64_t x = 0; x < task_.image.width; x += kStrip) {
      const std::int64_t count = std::min(kStrip, task_.image.width - x);
      for (int r = 0; r < rows.count; ++r) {
        const T* const pixels = rows.pixels + r * task_.image.pitch + x * channels;
        constexpr std::int64_t kLine = 64 / sizeof(T);
        for (std::int64_t i = 0; rows.ahead != 0 && i < count * channels; i += kLine)
          __builtin_prefetch(pixels + rows.ahead + i);
        expand(pixels, count, rows.plane, strips + r * kPitch);
      }
      body(std::as_const(strips), kPitch, x * interleaved_, count * interleaved_, std::int64_t{0});
    }
  }

  /// Not inlined: bodies that are visited alike share it.
  template <class Term>
  [[gnu::noinline]] void expand(const T* pixels, std::int64_t count, int plane, Term* out) const {
    if constexpr (sizeof(Term) == 2 && sizeof(T) == 1) return expand_short(pixels, count, out);
    const int channels = task_.image.channels;
    if constexpr (std::is_same_v<Term, T> && std::is_integral_v<T> && sizeof(T) <= 2) {
      if (interleaved_ == 4) return add_coverage(pixels, count, out);
      if (plane < channels) return take_channel(pixels, count, channels, plane, out);
    }
    using One = std::integral_constant<int, 1>;
    using Three = std::integral_constant<int, 3>;
    using Four = std::integral_constant<int, 4>;
    const auto with = [&]<int kChannels, int kInterleaved>(std::integral_constant<int, kChannels>,
                                                           std::integral_constant<int, kInterleaved>) {
      expand_pixels<kChannels, kInterleaved>(pixels, count, plane, out);
    };
    if (channels == 1) return with(One(), One());
    if (channels == 3 && interleaved_ == 1) return with(Three(), One());
    if (channels == 3 && interleaved_ == 3) return with(Three(), Three());
    if (channels == 3) return with(Three(), Four());
    if (interleaved_ == 1) return with(Four(), One());
    with(Four(), Four());
  }

  /// By a table of 16-bit entries.
  void expand_short(const std::uint8_t* pixels, std::int64_t count, std::uint16_t* out) const {
    const int channels = task_.image.channels;
    if (channels == 3 && interleaved_ == 4) {
      alignas(64) std::uint16_t colors[kStrip * 3];
      look_up(lut_, pixels, count * 3, 3, colors);
      return add_coverage(colors, count, out);
    }
    look_up(lut_, pixels, count * channels, channels, out);
  }

  template <int kChannels, int kInterleaved, class Term>
  void expand_pixels(const T* pixels, std::int64_t count, int plane, Term* out) const {
    const Terms terms = task_.terms;  // the compiler then knows that `out` does not change them
    const int first = kInterleaved > 1 ? 0 : plane;
    for (std::int64_t i = 0; i < count; ++i, pixels += kChannels, out += kInterleaved)
      for (int c = 0; c < kInterleaved; ++c) {
        const auto value = static_cast<Out>(term<S>(pixels, kChannels, first + c, terms));
        out[c] = static_cast<Term>(kSquared ? value * value : value);
      }
  }

  const SatTask<T, S>& task_;
  int planes_;
  int interleaved_;
  bool short_ = false;  ///< `lut_` serves
  std::uint16_t lut_[256];
};

}  // namespace scanlens::cpu
