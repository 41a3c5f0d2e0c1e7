// A lane's part of a row of a stripe: its samples as they are or looked up, and their sums
// (core/sat/cuda/stripes.cuh).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "core/cuda/warp.cuh"

namespace scanlens::gpu {

/// A lane's samples of a row of bytes, four per word, and their sums.
template <class S>
class StripeBytes {
 public:
  StripeBytes() = default;
  /// Reads the samples of lane `lane` of the row, counted over all halves.
  __device__ StripeBytes(const std::byte (&row)[S::kValues], int lane) {
    if constexpr (S::kLaneWords == 4) {
      const uint4 all = reinterpret_cast<const uint4*>(row)[lane];
      words_[0] = all.x, words_[1] = all.y, words_[2] = all.z, words_[3] = all.w;
    } else {
#pragma unroll
      for (int i = 0; i < S::kLaneWords; ++i)
        words_[i] = reinterpret_cast<const std::uint32_t*>(row)[lane * S::kLaneWords + i];
    }
  }
  __device__ const std::uint32_t (&words() const)[S::kLaneWords] {
    return words_;
  }

  /// Sums each channel: channels 0 and 1 into the halves of sums[0], 2 and 3 into those of sums[1]. The sums
  /// of a stripe's whole row are less than 2^16.
  static_assert(S::kLut || S::kValues / S::kChannels * 255 < 1 << 16);
  __device__ void sum(std::uint32_t (&sums)[S::kSums]) const {
#pragma unroll
    for (std::uint32_t& each : sums) each = 0;
    if constexpr (kC == 4) {
#pragma unroll
      for (std::uint32_t word : words_) {
        sums[0] += __byte_perm(word, 0, 0x4140);
        sums[1] += __byte_perm(word, 0, 0x4342);
      }
    } else {
      if constexpr (kC == 3) {
#pragma unroll
        for (int i = 0; i < S::kLaneWords; ++i) sums[0] = __dp4a(words_[i], mask(i, 1), sums[0]);
        sums[0] <<= 16;
      }
#pragma unroll
      for (int i = 0; i < S::kLaneWords; ++i) {
        sums[0] = __dp4a(words_[i], mask(i, 0), sums[0]);
        if constexpr (kC == 3) sums[1] = __dp4a(words_[i], mask(i, 2), sums[1]);
      }
    }
  }

  /// Adds to `columns` the sums of the row up to each of the lane's samples. They begin from `in_row`, the
  /// sums before the lane.
  __device__ void add_to(std::uint32_t (&columns)[S::kLaneValues],
                         std::uint32_t (&in_row)[S::kChannels]) const {
#pragma unroll
    for (int w = 0; w < S::kLaneWords; ++w) {
      std::uint32_t after[kC];
#pragma unroll
      for (int c = 0; c < kC; ++c) after[c] = in_row[c];
#pragma unroll
      for (int v = 4 * w; v < 4 * w + 4; ++v) {
        after[v % kC] = __dp4a(words_[w], mask_upto(v), in_row[v % kC]);
        columns[v] += after[v % kC];
      }
#pragma unroll
      for (int c = 0; c < kC; ++c) in_row[c] = after[c];
    }
  }

  /// Unpacks the channels that sum() packs.
  __device__ static void unpack(const std::uint32_t (&sums)[S::kSums],
                                std::uint32_t (&channels)[S::kChannels]) {
    if constexpr (kC == 1) {
      channels[0] = sums[0];
    } else {
      channels[0] = sums[0] & 0xFFFF;
      channels[1] = sums[0] >> 16;
      channels[2] = sums[1] & 0xFFFF;
      if constexpr (kC == 4) channels[3] = sums[1] >> 16;
    }
  }

 private:
  static constexpr int kC = S::kChannels;

  /// Returns a word with a 1 in each byte that is a sample of channel c in word w.
  static constexpr std::uint32_t mask(int w, int c) {
    std::uint32_t mask = 0;
    for (int i = 0; i < 4; ++i)
      if ((4 * w + i) % kC == c) mask |= 1u << (8 * i);
    return mask;
  }
  /// Returns the mask of sample v's word and channel, without the samples after v.
  static constexpr std::uint32_t mask_upto(int v) {
    return mask(v / 4, v % kC) & static_cast<std::uint32_t>((std::uint64_t{1} << (v % 4 * 8 + 8)) - 1);
  }

  std::uint32_t words_[S::kLaneWords];
};

/// A lane's samples of a row, looked up, and their sums. It has the calls of StripeBytes.
template <class S>
class StripeTerms {
 public:
  StripeTerms() = default;
  __device__ StripeTerms(const std::byte (&row)[S::kValues], int lane,
                         const std::uint32_t (&lut)[256][kWarp]) {
    const StripeBytes<S> bytes(row, lane);
    const auto* entries = reinterpret_cast<const std::byte*>(&lut[0][threadIdx.x % kWarp]);
#pragma unroll
    for (int v = 0; v < S::kLaneValues; ++v) {
      constexpr int kEntryBits = 7;  // entries lie 2^kEntryBits bytes apart
      static_assert(sizeof(lut[0]) == 1 << kEntryBits);
      const std::uint32_t word = bytes.words()[v / 4];
      const int shift = v % 4 * 8 - kEntryBits;
      const std::uint32_t offset = (shift < 0 ? word << -shift : word >> shift) & 0xFFu << kEntryBits;
      upto_[v] = *reinterpret_cast<const std::uint32_t*>(entries + offset);
      if (v >= kC) upto_[v] += upto_[v - kC];
    }
  }

  __device__ void sum(std::uint32_t (&sums)[S::kSums]) const {
#pragma unroll
    for (int c = 0; c < kC; ++c) sums[c] = upto_[S::kLaneValues - kC + c];
  }
  __device__ void add_to(std::uint32_t (&columns)[S::kLaneValues],
                         const std::uint32_t (&in_row)[S::kChannels]) const {
#pragma unroll
    for (int v = 0; v < S::kLaneValues; ++v) columns[v] += in_row[v % kC] + upto_[v];
  }
  __device__ static void unpack(const std::uint32_t (&sums)[S::kSums],
                                std::uint32_t (&channels)[S::kChannels]) {
#pragma unroll
    for (int c = 0; c < kC; ++c) channels[c] = sums[c];
  }

 private:
  static constexpr int kC = S::kChannels;
  static_assert(S::kLaneValues % kC == 0);

  std::uint32_t upto_[S::kLaneValues];  ///< for each of the lane's terms the sum of its channel up to it
};

}  // namespace scanlens::gpu
