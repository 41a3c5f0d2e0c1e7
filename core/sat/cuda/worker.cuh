// The worker warps of a summed-area table's block: they load, measure and finish tiles.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/sat/backends.h"
#include "core/sat/cuda/lanes.cuh"
#include "core/sat/cuda/tile.cuh"

namespace scanlens::gpu {

/// The work of one of the worker warps.
template <class Tile, bool kLut, bool kSquared>
class SatWorker {
 public:
  using T = typename Tile::T;
  using S = typename Tile::S;

  /// Works on tiles of `height` rows, `rows` per warp; the last warps may have fewer.
  __device__ SatWorker(const SatTask<T, S>& task, typename Tile::Shared& shared, int height, int rows)
      : task_(task),
        shared_(shared),
        height_(height),
        rows_(rows),
        warp_(static_cast<int>(threadIdx.x) / kWarp),
        lane_(static_cast<int>(threadIdx.x) % kWarp),
        pitch_(task.image.pitch * static_cast<std::int64_t>(sizeof(T))) {}

  /// Prefetches the warp's rows of a tile into the L2. The call may stand before await_previous_kernel():
  /// what that kernel still writes updates them there.
  __device__ void prefetch(const SatPosition& position) const {
    const LaneRow row = lane_row(position);
#if __CUDA_ARCH__ >= 900
    if (const int whole = row.used & ~15; whole > 0)
      asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(row.from), "r"(whole) : "memory");
#endif
  }

  /// Starts to load the warp's rows of a tile into a slot of its ring.
  __device__ void load(const SatPosition& position, int slot) const {
    Barrier& loaded = shared_.loaded[warp_][slot];
    __syncwarp();  // all lanes are through with what the slot held
#if __CUDA_ARCH__ >= 900
    const auto [from, skip, used] = lane_row(position);
    std::byte* to = shared_.rings[warp_] + slot * Tile::kSlotBytes + lane_ * Tile::kRowBytes;
    // Lane i has row i copied in whole 16-byte pieces. From pieces that reach beyond the image it copies the
    // row's bytes by itself.
    const auto* image = reinterpret_cast<const std::byte*>(task_.image.data);
    const std::byte* image_end = image + task_.image.extent() * static_cast<std::int64_t>(sizeof(T));
    int begin = 0, end = (used + 15) & ~15;
    if (used > 0 && from < image) {
      for (int i = skip; i < min(used, 16); ++i) to[i] = from[i];
      begin = 16;
    }
    if (used > 0 && from + end > image_end) {
      end -= 16;
      for (int i = max(end, skip); i < used; ++i) to[i] = from[i];
    }
    const unsigned copied = end > begin ? static_cast<unsigned>(end - begin) : 0;
    Barrier::written_before_copy();
    const unsigned all = __reduce_add_sync(kAllLanes, copied);
    __syncwarp();  // what lanes copied by themselves is there before the arrival
    if (lane_ == 0) loaded.arrive_expecting(all);
    if (copied > 0) loaded.copy(to + begin, from + begin, copied);
#else
    load_pieces(position, shared_.rings[warp_] + slot * Tile::kSlotBytes);
    loaded.arrive_copied();
    __syncwarp();
#if __CUDA_ARCH__ < 800
    if (lane_ == 0) loaded.arrive();
#endif
#endif
  }

  /// Sums the warp's rows of a tile, into `rows`, and its part of each column, into `of_columns`.
  template <class RowSum>
  __device__ void measure(const SatPosition& position, int slot, RowSum* rows, S* of_columns) const {
    S columns[kLaneValues] = {};
    std::uint32_t pairs[2 * Pack::kWords] = {};  // sums of columns of bytes, two per word
    const std::byte* from = shared_.rings[warp_] + slot * Tile::kSlotBytes;
    int skip = misalignment(first_row(position));
    const int rows_here = rows_of(position);
#pragma unroll 1
    for (int row = 0; row < rows_here; row += kBatch) {
      S totals[kBatch * kOut] = {};
#pragma unroll
      for (int j = 0; j < kBatch; ++j) {
        Pack pack = next_pack(from, skip);
        const bool counts = j == 0 || row + j < rows_here;
        if constexpr (kBytes) {
          if (!counts) pack = Pack{};
#pragma unroll
          for (int w = 0; w < Pack::kWords; ++w) {
            pairs[2 * w] += __byte_perm(pack.words[w], 0, 0x4240);
            pairs[2 * w + 1] += __byte_perm(pack.words[w], 0, 0x4341);
#pragma unroll
            for (int c = 0; c < kOut; ++c)
              if (channel_mask(w, c))
                totals[j * kOut + c] = __dp4a(pack.words[w], channel_mask(w, c), totals[j * kOut + c]);
          }
        } else {
          S values[kLaneValues];
          terms(pack, values);
#pragma unroll
          for (int i = 0; i < kLaneValues; ++i) {
            if (!counts) values[i] = 0;
            columns[i] += values[i];
            totals[j * kOut + i % kOut] += values[i];
          }
        }
      }
      warp_total_each<kInPairs>(totals);
      S mine = totals[0];
#pragma unroll
      for (int i = 1; i < kBatch * kOut; ++i) mine = lane_ == i ? totals[i] : mine;
      if (lane_ < min(kBatch, rows_here - row) * kOut) rows[row * kOut + lane_] = static_cast<RowSum>(mine);
    }
    if constexpr (kBytes)
#pragma unroll
      for (int i = 0; i < kLaneValues; ++i)
        columns[i] = pairs[i / 4 * 2 + i % 2] >> (i % 4 / 2 * 16) & 0xFFFF;
    if (kBulk) await_reads();  // of a row staged there
    __syncwarp();
#pragma unroll
    for (int i = 0; i < kLaneValues; i += kPerChunk) put16(&of_columns[lane_ * kLaneValues + i], &columns[i]);
  }

  /// The sums from which the warp's rows of a tile begin.
  struct Given {
    const S* up;           ///< for each column the sum of the tiles above
    const S* columns;      ///< of the warps above in the tile
    const S* left;         ///< for each row of the warp the sum of the tiles to the left
    S corner[Tile::kOut];  ///< of left(y) over all rows above the warp's
  };

  /// Writes the warp's rows of the table. `stage` has room for a row, and may be given.columns.
  __device__ void finish(const SatPosition& position, int slot, const Given& given, S* stage) const {
    S sums[kLaneValues];  // the row of the table above the warp's first one
    S before[kOut] = {};
#pragma unroll
    for (int i = 0; i < kLaneValues; i += kPerChunk) {
      S up[kPerChunk], columns[kPerChunk];
      get16(up, &given.up[lane_ * kLaneValues + i]);
      get16(columns, &given.columns[lane_ * kLaneValues + i]);
#pragma unroll
      for (int j = 0; j < kPerChunk; ++j) sums[i + j] = before[(i + j) % kOut] += up[j] + columns[j];
    }
    warp_before(before, lane_);
#pragma unroll
    for (int i = 0; i < kLaneValues; ++i) sums[i] += before[i % kOut] + given.corner[i % kOut];
    if (task_.above == Above::sums) add_given_row(position, sums);

    const int rows = rows_of(position);
    const std::int64_t pixels = rest(position);
    const std::byte* from = shared_.rings[warp_] + slot * Tile::kSlotBytes;
    int skip = misalignment(first_row(position));
    const S* left = given.left;
    S* to = task_.table.row(position.image, first_y(position)) + first_x(position) * task_.table.step;
    const auto off_boundary = [](std::int64_t count) {
      return count * static_cast<int>(sizeof(S)) % 16 != 0;
    };
    const bool whole = pixels >= Tile::kWidth && misalignment(to) == 0 && !off_boundary(task_.table.pitch) &&
                       (task_.table.step == kOut || !off_boundary(task_.table.plane));
#pragma unroll 1
    for (int row = 0; row < rows; row += kBatch) {
      S within[kBatch][kLaneValues], along[kBatch * kOut];
#pragma unroll
      for (int j = 0; j < kBatch; ++j) {
        sums_within(next_pack(from, skip), within[j]);
#pragma unroll
        for (int c = 0; c < kOut; ++c) along[j * kOut + c] = within[j][kLaneValues - kOut + c];
      }
      warp_before_each<kInPairs>(along, lane_);
#pragma unroll
      for (int j = 0; j < kBatch; ++j) {
#pragma unroll
        for (int c = 0; c < kOut; ++c) along[j * kOut + c] += *left++;
#pragma unroll
        for (int i = 0; i < kLaneValues; ++i) sums[i] += along[j * kOut + i % kOut] + within[j][i];
        if (row + j < rows) store(to, sums, pixels, whole, stage);
        to += task_.table.pitch;
      }
    }
    if (task_.zeros_left || task_.above == Above::zeros) store_borders(position, rows);
  }

 private:
  using Pack = typename Tile::Pack;
  static constexpr int kOut = Tile::kOut, kLaneValues = Tile::kLaneValues;
  static constexpr int kPixelBytes = Tile::kIn * static_cast<int>(sizeof(T));
  static constexpr int kPerChunk = 16 / sizeof(S);
  static constexpr int kBatch = Tile::kBatch;
  // Rows of RGB are written by the lanes' own stores: waiting for the copy engine's reads costs them more.
#if __CUDA_ARCH__ >= 900
  static constexpr bool kBulk = kLaneValues / kPerChunk % 2 == 0;
#else
  static constexpr bool kBulk = false;
#endif
  static constexpr bool kBytes = std::is_same_v<T, std::uint8_t> && std::is_same_v<S, std::uint32_t> &&
                                 !kLut && !kSquared && Tile::kIn == kOut;
  static constexpr bool kInPairs = kBytes && Tile::kWidth * 255 < 65536;

  __device__ std::int64_t first_x(const SatPosition& position) const {
    return static_cast<std::int64_t>(position.column) * Tile::kWidth;
  }
  __device__ std::int64_t first_y(const SatPosition& position) const {
    return static_cast<std::int64_t>(position.row) * height_ + warp_ * rows_;
  }
  /// Returns how many pixels a row has from the tile on.
  __device__ std::int64_t rest(const SatPosition& position) const {
    return task_.image.width - first_x(position);
  }
  /// Returns how many of the warp's rows lie in the image.
  __device__ int rows_of(const SatPosition& position) const {
    const int rows = min(rows_, height_ - warp_ * rows_);
    return static_cast<int>(max(std::int64_t{0}, min(std::int64_t{rows}, task_.height - first_y(position))));
  }
  /// A lane's row of the warp's rows, from the 16-byte boundary before it on: the row begins after `skip`
  /// bytes and ends after `used`, which is 0 for lanes without a row.
  struct LaneRow {
    const std::byte* from;
    int skip, used;
  };
  __device__ LaneRow lane_row(const SatPosition& position) const {
    const auto bytes = static_cast<int>(min(std::int64_t{Tile::kWidth}, rest(position))) * kPixelBytes;
    const std::byte* from = first_row(position) + lane_ * pitch_;
    const int skip = misalignment(from);
    return {from - skip, skip, lane_ < rows_of(position) && bytes > 0 ? skip + bytes : 0};
  }
  __device__ const std::byte* first_row(const SatPosition& position) const {
    return reinterpret_cast<const std::byte*>(task_.image.data) +
           (position.image * task_.height + first_y(position)) * pitch_ + first_x(position) * kPixelBytes;
  }

  /// Copies the warp's rows in pieces of 16 bytes, each by the next lane; pieces that reach beyond the image
  /// byte by byte. Before Hopper, which has the copy engine do it.
  __device__ void load_pieces(const SatPosition& position, std::byte* to) const {
    constexpr int kPieces = Tile::kRowBytes / 16;  // of a row, at most
    const auto* image = reinterpret_cast<const std::byte*>(task_.image.data);
    const std::byte* image_end = image + task_.image.extent() * static_cast<std::int64_t>(sizeof(T));
    const auto bytes = static_cast<int>(min(std::int64_t{Tile::kWidth}, rest(position))) * kPixelBytes;
    const int rows = bytes > 0 ? rows_of(position) : 0;
    const std::byte* first = first_row(position);
#pragma unroll 2
    for (int piece = lane_; piece < rows * kPieces; piece += kWarp) {
      const int row = piece / kPieces, begin = (piece - row * kPieces) * 16;
      const std::byte* from = first + row * pitch_;
      const int skip = misalignment(from), used = skip + bytes;
      from -= skip;
      if (begin >= used) continue;
      std::byte* row_to = to + row * Tile::kRowBytes;
      if (from + begin >= image && from + begin + 16 <= image_end)
        Barrier::copy_16(row_to + begin, from + begin);
      else
        for (int i = max(begin, skip); i < min(begin + 16, used); ++i) row_to[i] = from[i];
    }
  }

  /// Loads the lane's samples of the row at `row`, which begins `skip` bytes behind a 16-byte boundary, and
  /// moves both on to the next row.
  __device__ Pack next_pack(const std::byte*& row, int& skip) const {
    const Pack pack = load_pack<Tile>(row, skip, lane_);
    row += Tile::kRowBytes;
    skip = (skip + static_cast<int>(pitch_)) & 15;
    return pack;
  }

  __device__ void terms(const Pack& pack, S (&values)[kLaneValues]) const {
    terms_of<Tile, kSquared>(pack, task_.terms,
                             !kLut            ? nullptr
                             : sizeof(T) == 1 ? shared_.lut
                                              : task_.terms.lut,
                             values);
  }

  /// Returns a word with a 1 in each byte that is a sample of channel `c` in word `w` of a pack.
  __device__ static constexpr std::uint32_t channel_mask(int w, int c) {
    std::uint32_t mask = 0;
    for (int b = 0; b < 4; ++b)
      if ((4 * w + b) % kOut == c) mask |= 1u << 8 * b;
    return mask;
  }

  /// Computes, for each channel, the sums of the lane's pixels up to each of them.
  __device__ void sums_within(const Pack& pack, S (&sums)[kLaneValues]) const {
    if constexpr (kBytes) {
      // A dot product with a single 1 takes a byte out of its word and adds it, in one instruction.
#pragma unroll
      for (int i = 0; i < kLaneValues; ++i)
        sums[i] = __dp4a(pack.words[i / 4], 1u << i % 4 * 8, i < kOut ? 0u : sums[i - kOut]);
    } else {
      terms(pack, sums);
#pragma unroll
      for (int i = kOut; i < kLaneValues; ++i) sums[i] += sums[i - kOut];
    }
  }

  /// Adds the table's row above the image.
  __device__ void add_given_row(const SatPosition& position, S (&sums)[kLaneValues]) const {
#pragma unroll
    for (int i = 0; i < kLaneValues; ++i)
      if (const std::int64_t x = lane_ * Tile::kPixels + i / kOut; x < rest(position))
        sums[i] += task_.table.at(0, first_x(position) + x, -1, i % kOut);
  }

  /// Writes a row. `whole` says that all of the warp's pixels exist and rows begin on 16-byte boundaries.
  __device__ void store(S* to, const S (&values)[kLaneValues], std::int64_t pixels, bool whole,
                        S* stage) const {
    if (kBulk) await_reads();
    __syncwarp();
    const bool planar = task_.table.step != kOut;
    if (planar) {
#pragma unroll
      for (int c = 0; c < kOut; ++c) {
        S of_channel[Tile::kPixels];
#pragma unroll
        for (int p = 0; p < Tile::kPixels; ++p) of_channel[p] = values[p * kOut + c];
        put_row(stage + c * Tile::kWidth, of_channel, lane_);
      }
    } else {
      put_row(stage, values, lane_);
    }
    if (whole && kBulk) {
      Barrier::written_before_copy();
      __syncwarp();
      if (lane_ == 0) {
        constexpr int kRowBytes = Tile::kWidth * static_cast<int>(sizeof(S));
        if (planar)
          for (int c = 0; c < kOut; ++c)
            copy_out(to + c * task_.table.plane, stage + c * Tile::kWidth, kRowBytes);
        else
          copy_out(to, stage, kRowBytes * kOut);
        commit_copies();
      }
      return;
    }
    __syncwarp();
    const auto each = static_cast<int>(min(std::int64_t{Tile::kWidth}, pixels));
    if (whole && !planar) {
#pragma unroll
      for (int i = 0; i < kLaneValues / kPerChunk; ++i)
        __stcs(reinterpret_cast<uint4*>(to) + i * kWarp + lane_,
               reinterpret_cast<const uint4*>(stage)[i * kWarp + lane_]);
      return;
    }
    const auto copy = [&](S* to_row, const S* from, int count) {
#pragma unroll 4
      for (int i = lane_; i < count; i += kWarp) __stcs(to_row + i, from[i]);
    };
    if (planar)
      for (int c = 0; c < kOut; ++c) copy(to + c * task_.table.plane, stage + c * Tile::kWidth, each);
    else
      copy(to, stage, each * kOut);
  }

  /// Writes the zeros left of the warp's rows and above the tile's columns, if asked for.
  __device__ void store_borders(const SatPosition& position, int rows) const {
    const bool left = task_.zeros_left && position.column == 0;
    if (left && lane_ < rows)
      for (int c = 0; c < kOut; ++c) task_.table.at(position.image, -1, first_y(position) + lane_, c) = 0;
    if (task_.above != Above::zeros || position.row > 0) return;
    const int first = left ? -1 : 0;
    for (int x = first + warp_ * kWarp + lane_; x < Tile::kWidth; x += Tile::kWarps * kWarp)
      for (int c = 0; c < kOut; ++c)
        if (x < rest(position)) task_.table.at(position.image, first_x(position) + x, -1, c) = 0;
  }

  const SatTask<T, S>& task_;
  typename Tile::Shared& shared_;
  int height_, rows_;
  int warp_, lane_;
  std::int64_t pitch_;  ///< in bytes
};

}  // namespace scanlens::gpu
