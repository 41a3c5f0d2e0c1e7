// Every function is compiled for several instruction sets, and the best that the processor has is chosen when
// it is first called. All give the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filters/blur/passes_cpu.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "filters/blur/codes.h"
#include "filters/blur/passes_cpu.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// The work on one vector of sums.
template <class Code>
class Step {
 public:
  using Sum = typename CodeSums<Code>::Sum;
  using Real = typename CodeSums<Code>::Real;
  static constexpr hn::CappedTag<Sum, kRows> kSums{};
  static constexpr hn::Rebind<Code, decltype(kSums)> kCodes{};
  static constexpr hn::Rebind<Real, decltype(kSums)> kReals{};
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(kSums));

  Step(const BoxPass& box, bool whole)
      : near_(hn::Set(kSums, static_cast<Sum>(box.whole - box.edge))),
        far_(hn::Set(kSums, static_cast<Sum>(box.edge))),
        whole_(whole) {}

  /// Moves sums on by one sample: adds those that come, at the distances inner and inner + 1, and takes away
  /// those that go.
  HWY_INLINE hn::Vec<decltype(kSums)> move(Sum* sums, const Code* near_in, const Code* far_in,
                                           const Code* near_out, const Code* far_out) const {
    const auto near = hn::Sub(load(near_in), load(near_out)), far = hn::Sub(load(far_in), load(far_out));
    const auto change = hn::Add(hn::Mul(near, near_), hn::Mul(far, far_));
    const auto next = hn::Add(hn::Load(kSums, sums), change);
    hn::Store(next, kSums, sums);
    return next;
  }

  HWY_INLINE void store_mean(hn::Vec<decltype(kSums)> sums, Real inverse, Code* out) const {
    const auto inverses = hn::Set(kReals, inverse);
    if constexpr (std::is_same_v<Code, std::int16_t>) {
      // Added to this, a number rounds to a whole one, and the lowest bits are those of that.
      constexpr float kSteps = 0x1.8p23f;
      const hn::RebindToUnsigned<decltype(kSums)> bits;
      const auto mean = hn::Add(hn::Mul(hn::ConvertTo(kReals, sums), inverses), hn::Set(kReals, kSteps));
      const hn::Rebind<std::uint16_t, decltype(bits)> narrow;
      hn::StoreU(hn::BitCast(kCodes, hn::TruncateTo(narrow, hn::BitCast(bits, mean))), kCodes, out);
    } else {
      const auto mean = hn::Mul(sums, inverses);
      hn::StoreU(hn::DemoteTo(kCodes, whole_ ? hn::Round(mean) : mean), kCodes, out);
    }
  }

 private:
  static HWY_INLINE hn::Vec<decltype(kSums)> load(const Code* codes) {
    return hn::PromoteTo(kSums, hn::LoadU(kCodes, codes));
  }

  hn::Vec<decltype(kSums)> near_, far_;
  bool whole_;
};

/// A pass over one strip.
template <class Code>
class PassOver {
 public:
  using S = Step<Code>;
  using Sum = typename S::Sum;
  using Real = typename S::Real;

  explicit PassOver(const StripPass<Code>& pass)
      : pass_(pass), box_(pass.box), n_(pass.length), lines_(pass.lines) {}

  void run() {
    const std::int64_t inside = std::min<std::int64_t>(box_.inner + 2, n_),
                       behind = std::max(inside, n_ - box_.inner - 1);
    for (std::int64_t i = -box_.inner - 1; i < inside; ++i) move_by_border(i);
    if (inside < behind) move_inside(inside, behind);
    for (std::int64_t i = behind; i < n_; ++i) move_by_border(i);
  }

 private:
  Real inverse(std::int64_t i) const { return Real{1} / static_cast<Real>(box_.weight(i, n_)); }

  /// Sample j of channel c, or zeros where it lies outside.
  const Code* at(std::int64_t j, int c) const {
    static constexpr Code kZeros[kMostLines] = {};
    return j >= 0 && j < n_ ? pass_.in + (j * pass_.channels + c) * lines_ : kZeros;
  }

  /// From sample i - 1 to sample i; no sample stands before 0.
  void move_by_border(std::int64_t i) {
    const S step(box_, pass_.whole);
    for (int c = 0; c < pass_.channels; ++c) {
      const Code *const near_in = at(i + box_.inner, c), *const far_in = at(i + box_.inner + 1, c);
      const Code *const near_out = at(i - box_.inner - 1, c), *const far_out = at(i - box_.inner - 2, c);
      for (int k = 0; k < lines_; k += S::kLanes) {
        const auto sums =
            step.move(sums_ + c * lines_ + k, near_in + k, far_in + k, near_out + k, far_out + k);
        if (i >= 0) step.store_mean(sums, inverse(i), pass_.out + (i * pass_.channels + c) * lines_ + k);
      }
    }
  }

  /// From sample begin - 1 to sample end - 1, while no border is in reach.
  void move_inside(std::int64_t begin, std::int64_t end) {
    const S step(box_, pass_.whole);
    const Real inverse = this->inverse(begin);
    const std::int64_t channels = pass_.channels, sample = channels * lines_, inner = box_.inner * sample;
    const Code* in = pass_.in + begin * sample;
    Code* out = pass_.out + begin * sample;
    for (std::int64_t i = begin; i < end; ++i)
      for (Sum* sums = sums_; sums < sums_ + sample; sums += S::kLanes, in += S::kLanes, out += S::kLanes)
        step.store_mean(
            step.move(sums, in + inner, in + inner + sample, in - inner - sample, in - inner - 2 * sample),
            inverse, out);
  }

  const StripPass<Code> pass_;
  const BoxPass box_;
  const std::int64_t n_;
  const int lines_;
  alignas(64) Sum sums_[4 * kMostLines] = {};
};

template <class Code>
void pass_over(const StripPass<Code>& pass) {
  PassOver<Code>(pass).run();
}

template <class T, class Code>
void encode_all(const View<const T>& image, std::int64_t first, std::int64_t count, Code* strip) {
  constexpr bool kOfAlpha = std::is_same_v<T, std::uint16_t> && std::is_same_v<Code, float>;
  constexpr std::int64_t kAhead = 16;
  for (std::int64_t y = 0; y < image.height; ++y, strip += kColumns) {
    const T* const row = image.row(y) + first;
    hwy::Prefetch(row + kAhead * image.pitch);
    if (image.channels == 4) {
      if constexpr (kOfAlpha || !std::is_same_v<T, std::uint16_t>)
        for (std::int64_t i = 0; i < count; ++i)
          strip[i] = Codes<T, true>::encode(row + i / 4 * 4, static_cast<int>(i % 4));
    } else if constexpr (!kOfAlpha) {
      if (count == kColumns)
        for (int i = 0; i < kColumns; ++i) strip[i] = Codes<T, false>::encode(row, i);
      else
        for (int i = 0; i < count; ++i) strip[i] = Codes<T, false>::encode(row, i);
    }
  }
}

template <class Code>
void store_all(const Code* strip, const View<Code>& rows) {
  const hn::CappedTag<Code, kColumns> d;
  for (std::int64_t y = 0; y < rows.height; ++y, strip += kColumns)
    for (std::int64_t x = 0; x < kColumns; x += static_cast<std::int64_t>(hn::Lanes(d)))
      hn::Stream(hn::LoadU(d, strip + x), d, rows.row(y) + x);
  hwy::FlushStream();
}

constexpr int kTile = 8;

#if HWY_TARGET != HWY_SCALAR
using Tile16 = hn::FixedTag<std::int16_t, kTile>;

/// Columns of 8 rows of 8 codes become rows.
HWY_INLINE void transpose_tile(const std::int16_t* const* from, std::int16_t* to, std::int64_t pitch) {
  const Tile16 d;
  const hn::Repartition<std::int32_t, Tile16> d32;
  const hn::Repartition<std::int64_t, Tile16> d64;
  hn::Vec<Tile16> a[kTile], b[kTile];
  for (int i = 0; i < kTile; ++i) a[i] = hn::LoadU(d, from[i]);
  for (int i = 0; i < kTile; i += 2) {
    b[i] = hn::InterleaveLower(d, a[i], a[i + 1]);
    b[i + 1] = hn::InterleaveUpper(d, a[i], a[i + 1]);
  }
  for (int i = 0; i < kTile; i += 4)
    for (int k = 0; k < 2; ++k) {
      const auto even = hn::BitCast(d32, b[i + k]), odd = hn::BitCast(d32, b[i + 2 + k]);
      a[i + 2 * k] = hn::BitCast(d, hn::InterleaveLower(d32, even, odd));
      a[i + 2 * k + 1] = hn::BitCast(d, hn::InterleaveUpper(d32, even, odd));
    }
  for (int k = 0; k < 4; ++k) {
    const auto upper = hn::BitCast(d64, a[k]), lower = hn::BitCast(d64, a[4 + k]);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, upper, lower)), d, to + 2 * k * pitch);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, upper, lower)), d, to + (2 * k + 1) * pitch);
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

/// to[j * to_pitch + i] = from[i * from_pitch + j] for `rows` of `columns`.
template <class Code>
void transpose_part(const Code* from, std::int64_t from_pitch, std::int64_t rows, std::int64_t columns,
                    Code* to, std::int64_t to_pitch) {
  std::int64_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<Code, std::int16_t>)
    if (rows == kTile)
      for (; done + kTile <= columns; done += kTile) {
        const Code* lines[kTile];
        for (int i = 0; i < kTile; ++i) lines[i] = from + i * from_pitch + done;
        transpose_tile(lines, to + done * to_pitch, to_pitch);
      }
#endif
  for (std::int64_t j = done; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i) to[j * to_pitch + i] = from[i * from_pitch + j];
}

constexpr std::int64_t kPiece = 64;  // codes of a row that are taken at once

template <class Code>
void load_all(const View<const Code>& rows, Code* strip) {
  for (std::int64_t x = 0; x < rows.width; x += kPiece)
    for (std::int64_t y = 0; y < rows.height; y += kTile)
      transpose_part(rows.row(y) + x, rows.pitch, std::min<std::int64_t>(kTile, rows.height - y),
                     std::min(kPiece, rows.width - x), strip + x * kRows + y, kRows);
}

/// body(i) for every i below count, with a loop of its own where that is a whole piece.
template <class Body>
HWY_INLINE void for_piece(std::int64_t count, const Body& body) {
  if (count == kPiece)
    for (int i = 0; i < kPiece; ++i) body(i);
  else
    for (int i = 0; i < count; ++i) body(i);
}

template <class T, class Code>
void finish_piece(const Code* codes, const T* own, int channels, std::int64_t count, T* out) {
  constexpr bool kOfAlpha = std::is_same_v<T, std::uint16_t> && std::is_same_v<Code, float>;
  if (channels == 4) {
    if constexpr (kOfAlpha || !std::is_same_v<T, std::uint16_t>)
      for (std::int64_t i = 0; i < count; i += 4) Codes<T, true>::pixel(codes + i, own + i, out + i);
  } else if constexpr (!kOfAlpha) {
    for_piece(count, [&](int i) HWY_ATTR { out[i] = Codes<T, false>::sample(codes[i]); });
  }
}

template <class T, class Code>
void finish_all(const Code* strip, const View<const T>& own, const View<T>& out) {
  const std::int64_t samples = out.row_samples();
  Code codes[kTile][kPiece];
  for (std::int64_t y = 0; y < out.height; y += kTile) {
    const std::int64_t rows = std::min<std::int64_t>(kTile, out.height - y);
    for (std::int64_t x = 0; x < samples; x += kPiece) {
      const std::int64_t count = std::min(kPiece, samples - x);
      const Code* const from = strip + x * kRows + y;
      for (std::int64_t i = 0; i < count; i += kTile)
        transpose_part(from + i * kRows, kRows, std::min<std::int64_t>(kTile, count - i), rows, codes[0] + i,
                       kPiece);
      for (std::int64_t i = 0; i < rows; ++i)
        finish_piece<T, Code>(codes[i], own.row(y + i) + x, out.channels, count, out.row(y + i) + x);
    }
  }
}

#define SCANLENS_DEFINE_SAMPLES(name, T, Code)        \
  constexpr auto& encode##name = encode_all<T, Code>; \
  constexpr auto& finish##name = finish_all<T, Code>;
SCANLENS_FOR_EACH_BLUR_SAMPLE(SCANLENS_DEFINE_SAMPLES)
#undef SCANLENS_DEFINE_SAMPLES

#define SCANLENS_DEFINE_CODES(name, Code)        \
  constexpr auto& pass##name = pass_over<Code>;  \
  constexpr auto& store##name = store_all<Code>; \
  constexpr auto& load##name = load_all<Code>;
SCANLENS_FOR_EACH_BLUR_CODE(SCANLENS_DEFINE_CODES)
#undef SCANLENS_DEFINE_CODES

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

#define SCANLENS_DEFINE_SAMPLES(name, T, Code)                                                    \
  HWY_EXPORT(encode##name);                                                                       \
  HWY_EXPORT(finish##name);                                                                       \
  template <>                                                                                     \
  void encode_columns(View<const T> image, std::int64_t first, std::int64_t count, Code* strip) { \
    HWY_DYNAMIC_DISPATCH(encode##name)(image, first, count, strip);                               \
  }                                                                                               \
  template <>                                                                                     \
  void finish_rows(const Code* strip, View<const T> own, View<T> out) {                           \
    HWY_DYNAMIC_DISPATCH(finish##name)(strip, own, out);                                          \
  }
SCANLENS_FOR_EACH_BLUR_SAMPLE(SCANLENS_DEFINE_SAMPLES)
#undef SCANLENS_DEFINE_SAMPLES

#define SCANLENS_DEFINE_CODES(name, Code)                  \
  HWY_EXPORT(pass##name);                                  \
  HWY_EXPORT(store##name);                                 \
  HWY_EXPORT(load##name);                                  \
  template <>                                              \
  void run_pass(const StripPass<Code>& pass) {             \
    HWY_DYNAMIC_DISPATCH(pass##name)(pass);                \
  }                                                        \
  template <>                                              \
  void store_columns(const Code* strip, View<Code> rows) { \
    HWY_DYNAMIC_DISPATCH(store##name)(strip, rows);        \
  }                                                        \
  template <>                                              \
  void load_rows(View<const Code> rows, Code* strip) {     \
    HWY_DYNAMIC_DISPATCH(load##name)(rows, strip);         \
  }
SCANLENS_FOR_EACH_BLUR_CODE(SCANLENS_DEFINE_CODES)
#undef SCANLENS_DEFINE_CODES

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
