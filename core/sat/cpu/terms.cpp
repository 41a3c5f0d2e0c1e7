// Terms by vectors, through Highway: every function is compiled for several instruction sets, and the best
// that the processor has is chosen when it is first called.
#ifndef __clang__         // which takes no second target for a function, as the pragma below would be
#define HWY_WANT_AVX3_DL  // for its look-up of bytes
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/sat/cpu/terms.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include "core/sat/cpu/terms.h"

HWY_BEFORE_NAMESPACE();
#if HWY_TARGET <= HWY_AVX3_DL
#pragma GCC target("avx512vnni,avx512vbmi")  // what that target is sure to have; Highway 1.0 does not say so
#endif
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void LookUp(const std::uint16_t* lut, const std::uint8_t* in, std::int64_t count, int channels,
            std::uint16_t* out) {
  std::int64_t i = 0;
#if HWY_TARGET <= HWY_AVX3_DL
  // The table stays in registers, its low and its high bytes by themselves: 128 a pair of vectors.
  const auto bytes = [&](int part, int first) {
    const hn::ScalableTag<std::uint8_t> d;
    const auto places =
        hn::Add(hn::Add(hn::Iota(d, 0), hn::Iota(d, 0)), hn::Set(d, static_cast<std::uint8_t>(part)));
    return _mm512_permutex2var_epi8(_mm512_loadu_si512(lut + first), places.raw,
                                    _mm512_loadu_si512(lut + first + 32));
  };
  __m512i table[2][4];
  for (int part = 0; part < 2; ++part)
    for (int k = 0; k < 4; ++k) table[part][k] = bytes(part, 64 * k);
  const __mmask64 looked_up = channels == 4 ? 0x7777777777777777 : ~__mmask64{0};
  // Vectors are interleaved within blocks of 16 bytes.
  const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
  for (; i + 64 <= count; i += 64) {
    const __m512i codes = _mm512_permutexvar_epi64(order, _mm512_loadu_si512(in + i));
    const __mmask64 upper = _mm512_movepi8_mask(codes);
    __m512i found[2] = {codes, _mm512_setzero_si512()};
    for (int part = 0; part < 2; ++part)
      found[part] = _mm512_mask_mov_epi8(
          found[part], looked_up,
          _mm512_mask_blend_epi8(upper, _mm512_permutex2var_epi8(table[part][0], codes, table[part][1]),
                                 _mm512_permutex2var_epi8(table[part][2], codes, table[part][3])));
    _mm512_storeu_si512(out + i, _mm512_unpacklo_epi8(found[0], found[1]));
    _mm512_storeu_si512(out + i + 32, _mm512_unpackhi_epi8(found[0], found[1]));
  }
#endif
  if (channels != 4)
    for (; i < count; ++i) out[i] = lut[in[i]];
  for (; i < count; i += 4) {
    for (int c = 0; c < 3; ++c) out[i + c] = lut[in[i + c]];
    out[i + 3] = in[i + 3];
  }
}

/// Three samples and a one, for each pixel.
template <class T>
void cover(const T* in, std::int64_t pixels, T* out) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::Full128<T> d;
  const hn::Full128<std::uint8_t> bytes;
  constexpr std::int64_t kSamples = 16 / sizeof(T), kPixels = kSamples / 4;
  alignas(16) std::uint8_t places[16];  // past 127 is nowhere
  alignas(16) T ones[kSamples];
  for (int k = 0; k < kSamples; ++k) {
    ones[k] = k % 4 == 3;
    for (std::size_t byte = 0; byte < sizeof(T); ++byte)
      places[k * sizeof(T) + byte] =
          static_cast<std::uint8_t>(k % 4 == 3 ? 255 : (k / 4 * 3 + k % 4) * sizeof(T) + byte);
  }
  const auto from = hn::Load(bytes, places);
  const auto one = hn::Load(d, ones);
  for (; i * 3 + kSamples <= pixels * 3; i += kPixels) {
    const auto samples = hn::BitCast(bytes, hn::LoadU(d, in + i * 3));
    hn::StoreU(hn::Or(hn::BitCast(d, hn::TableLookupBytesOr0(samples, from)), one), d, out + i * 4);
  }
#endif
  for (; i < pixels; ++i) {
    for (int c = 0; c < 3; ++c) out[i * 4 + c] = in[i * 3 + c];
    out[i * 4 + 3] = 1;
  }
}

constexpr auto& CoverU8 = cover<std::uint8_t>;
constexpr auto& CoverU16 = cover<std::uint16_t>;

template <class T>
void take(const T* in, std::int64_t pixels, int channels, int channel, T* out) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= pixels; i += lanes) {
    hn::Vec<decltype(d)> first, second, third, fourth = hn::Zero(d);
    if (channels == 3)
      hn::LoadInterleaved3(d, in + i * 3, first, second, third);
    else
      hn::LoadInterleaved4(d, in + i * 4, first, second, third, fourth);
    hn::StoreU(channel == 0 ? first : channel == 1 ? second : channel == 2 ? third : fourth, d, out + i);
  }
  for (; i < pixels; ++i) out[i] = in[i * channels + channel];
}

constexpr auto& TakeU8 = take<std::uint8_t>;
constexpr auto& TakeU16 = take<std::uint16_t>;

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens::cpu {

HWY_EXPORT(LookUp);
HWY_EXPORT(CoverU8);
HWY_EXPORT(CoverU16);
HWY_EXPORT(TakeU8);
HWY_EXPORT(TakeU16);

void look_up(const std::uint16_t* lut, const std::uint8_t* in, std::int64_t count, int channels,
             std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(LookUp)(lut, in, count, channels, out);
}
void add_coverage(const std::uint8_t* in, std::int64_t pixels, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(CoverU8)(in, pixels, out);
}
void add_coverage(const std::uint16_t* in, std::int64_t pixels, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(CoverU16)(in, pixels, out);
}
void take_channel(const std::uint8_t* in, std::int64_t pixels, int channels, int channel, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(TakeU8)(in, pixels, channels, channel, out);
}
void take_channel(const std::uint16_t* in, std::int64_t pixels, int channels, int channel,
                  std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(TakeU16)(in, pixels, channels, channel, out);
}

}  // namespace scanlens::cpu
#endif  // HWY_ONCE
