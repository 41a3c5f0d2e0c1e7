// Means over squares on CUDA, both ways in one kernel: one pass of whole boxes of 16-bit codes, without
// alpha. Included by filters/blur/columns.cu only.
//
// A block has a strip of the picture, as wide as its threads have samples, and goes down a band of its rows.
// Each thread keeps the sums down the columns of its own samples: a row comes in below and one goes out
// above. The means down columns are summed along the row, from the left, into shared memory. There the
// difference of two sums is a box along the row, whose mean is finished and written at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/cuda/warp.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "filters/blur/codes.h"
#include "filters/blur/kernel.h"

namespace scanlens::gpu {

constexpr int kSquareThreads = 256;
constexpr int kSquareWarps = kSquareThreads / kWarp;
constexpr int kSquareBlocks = 3;  ///< on a multiprocessor
constexpr int kFours = 3;         ///< of a thread: whole pixels of one or three channels
constexpr int kOwnSamples = 4 * kFours;
constexpr int kBlockSamples = kSquareThreads * kOwnSamples;

template <class T>
struct SquareTask {
  View<const T> rows;
  std::int64_t first;  ///< the row of `rows` that row 0 of `out` belongs to
  View<T> out;
  int down, along;  ///< radii
  Finish finish;
  int strip;  ///< pixels of a row that a block makes, a multiple of 4
  int band;   ///< rows that it makes
};

/// Four samples that are loaded and stored at once.
template <class T>
struct Four {
  static constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  using Word = std::conditional_t<sizeof(T) == 1, std::uint32_t, std::uint64_t>;

  Word word = 0;

  /// Returns the samples at an address; zeros if they are not `there`.
  __device__ static Four load(const T* from, bool there) {
    Four four;
    if (there) four.word = *reinterpret_cast<const Word*>(from);
    return four;
  }
  __device__ void store(T* to) const { *reinterpret_cast<Word*>(to) = word; }
  __device__ T at(int i) const { return static_cast<T>(word >> i * kBits); }
  __device__ void set(int i, T value) { word |= static_cast<Word>(value) << i * kBits; }
};

/// A whole number near 0 as the nearest int, halves to even, by an addition: conversions are slow.
__device__ inline int nearest(float value) {
  constexpr float kOnes = 12582912.f;  // 1.5 * 2^23, whose neighbours are 1 away
  return __float_as_int(value + kOnes) - __float_as_int(kOnes);
}

/// The columns of a thread's samples, as far as there are such.
template <class T>
class SquareColumns {
 public:
  __device__ SquareColumns(const View<const T>& rows, int first)
      : rows_(rows), first_(rows.data + first), fours_((static_cast<int>(rows.row_samples()) - first) / 4) {}

  /// Sums rows `low` .. `high`.
  __device__ void begin(std::int64_t low, std::int64_t high) {
    if constexpr (sizeof(T) == 1) {
      // Two bytes of a word at a time, in 16 bits each, as many rows as these can hold.
      constexpr std::int64_t kMost = 256;
      while (low <= high) {
        unsigned even[kFours] = {}, odd[kFours] = {};
        const std::int64_t end = min(high + 1, low + kMost);
#pragma unroll 4
        for (; low < end; ++low) {
#pragma unroll
          for (int i = 0; i < kFours; ++i) {
            const std::uint32_t word = load(first_ + low * rows_.pitch, i).word;
            even[i] += word & 0x00FF00FFu;
            odd[i] += word >> 8 & 0x00FF00FFu;
          }
        }
#pragma unroll
        for (int i = 0; i < kFours; ++i) {
          sums_[4 * i] += static_cast<int>(even[i] & 0xFFFFu);
          sums_[4 * i + 1] += static_cast<int>(odd[i] & 0xFFFFu);
          sums_[4 * i + 2] += static_cast<int>(even[i] >> 16);
          sums_[4 * i + 3] += static_cast<int>(odd[i] >> 16);
        }
      }
    } else {
#pragma unroll 4
      for (std::int64_t y = low; y <= high; ++y)
#pragma unroll
        for (int i = 0; i < kFours; ++i) {
          const Four<T> four = load(first_ + y * rows_.pitch, i);
#pragma unroll
          for (int k = 0; k < 4; ++k) sums_[4 * i + k] += four.at(k);
        }
    }
  }

  /// Reads the rows that come in and go out next, where there are such.
  __device__ void read(std::int64_t in, std::int64_t out) {
    const T *const in_row = first_ + in * rows_.pitch, *const out_row = first_ + out * rows_.pitch;
    const int in_fours = in < rows_.height ? fours_ : 0, out_fours = out >= 0 ? fours_ : 0;
#pragma unroll
    for (int i = 0; i < kFours; ++i) {
      in_[i] = Four<T>::load(in_row + 4 * i, i < in_fours);
      out_[i] = Four<T>::load(out_row + 4 * i, i < out_fours);
    }
  }
  __device__ void move_on() {
#pragma unroll
    for (int i = 0; i < kFours; ++i)
#pragma unroll
      for (int k = 0; k < 4; ++k)
        sums_[4 * i + k] += static_cast<int>(in_[i].at(k)) - static_cast<int>(out_[i].at(k));
  }

  /// The code of the mean of `count` samples.
  __device__ int mean(int i, int count, float inverse) const {
    constexpr int kScale = sizeof(T) == 1 ? 257 : 1;  // as Codes::encode() has it
    return nearest(static_cast<float>(sums_[i] * kScale - count * 32768) * inverse);
  }

 private:
  __device__ Four<T> load(const T* row, int i) const {
    return Four<T>::load(row + 4 * i, i < fours_);
  }

  const View<const T>& rows_;
  const T* first_;
  int fours_;
  int sums_[kOwnSamples] = {};
  Four<T> in_[kFours], out_[kFours];
};

/// Sums of codes of each channel before the samples of a block's row, four samples side by side: thus lanes
/// that have four neighbours each meet in no bank.
struct SquareMemory {
  static constexpr int kSide = kBlockSamples / 4 + 4;
  int before[4 * kSide];
  unsigned warps[3][kSquareWarps];

  __device__ static int place(int sample) { return (sample & 3) * kSide + (sample >> 2); }
};

/// Leaves the sums before each sample, of this thread's codes and all before them.
template <int kChannels>
__device__ void sum_along(SquareMemory& memory, const int (&codes)[kOwnSamples]) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarp, warp = thread / kWarp;
  unsigned own[kChannels] = {}, upto[kChannels];
#pragma unroll
  for (int i = 0; i < kOwnSamples; ++i) own[i % kChannels] += static_cast<unsigned>(codes[i]);
#pragma unroll
  for (int c = 0; c < kChannels; ++c) {
    upto[c] = own[c];
#pragma unroll
    for (int distance = 1; distance < kWarp; distance *= 2) upto[c] = add_before(upto[c], distance);
    if (lane == kWarp - 1) memory.warps[c][warp] = upto[c];
  }
  __syncthreads();
#pragma unroll
  for (int c = 0; c < kChannels; ++c)
    own[c] = upto[c] - own[c] + warp_total(lane < warp ? memory.warps[c][lane] : 0u);
#pragma unroll
  for (int i = 0; i < kOwnSamples; ++i) {
    memory.before[i % 4 * SquareMemory::kSide + thread * kFours + i / 4] =
        static_cast<int>(own[i % kChannels]);
    own[i % kChannels] += static_cast<unsigned>(codes[i]);
  }
  __syncthreads();
}

/// The result for a sample; `sum` is that of the codes around it.
template <Finish::To kTo, class T>
__device__ T finished(int sum, float inverse, const Finish& finish, T own) {
  const auto code = static_cast<std::int16_t>(nearest(static_cast<float>(sum) * inverse));
  return Codes<T, false>::finished(code, Finish{kTo, finish.value}, own);
}

template <class T, int kChannels, Finish::To kTo>
__global__ void __launch_bounds__(kSquareThreads, kSquareBlocks)
    squares_kernel(const __grid_constant__ SquareTask<T> task) {
  __shared__ SquareMemory memory;
  const int thread = static_cast<int>(threadIdx.x);
  const int width = static_cast<int>(task.rows.width), samples = width * kChannels;
  const std::int64_t height = task.rows.height;
  const BoxPass down{task.down}, along{task.along};
  const int left = static_cast<int>(blockIdx.x) * task.strip;
  const int begin = max(0, left - along.inner) / 4 * 4 * kChannels;  // the first sample of the block's rows
  const int first = left * kChannels, end = min(samples, first + task.strip * kChannels);  // of its results
  const std::int64_t top = task.first + blockIdx.y * static_cast<std::int64_t>(task.band);
  const std::int64_t bottom = min(top + task.band, task.first + task.out.height);
  const float inside_down = 1.f / static_cast<float>(2 * down.inner + 1);
  const float inside_along = 1.f / static_cast<float>(2 * along.inner + 1);
  // The ends of the boxes around this thread's first four results; those of the next four are as far on as
  // the block has threads.
  const int low = -along.inner * kChannels, high = (along.inner + 1) * kChannels;
  int low_at[4], high_at[4];
  for (int k = 0; k < 4; ++k) {
    low_at[k] = SquareMemory::place(first - begin + 4 * thread + k + low);
    high_at[k] = SquareMemory::place(first - begin + 4 * thread + k + high);
    // Otherwise the compiler finds them anew for each row.
    asm volatile("" : "+r"(low_at[k]), "+r"(high_at[k]));
  }

  constexpr int kApart = 4 * kSquareThreads;  // samples between two fours of a thread
  SquareColumns<T> columns(task.rows, begin + thread * kOwnSamples);
  if (top < bottom) columns.begin(max(top - down.inner, std::int64_t{0}), min(top + down.inner, height - 1));
  for (std::int64_t y = top; y < bottom; ++y) {
    if (y + 1 < bottom) columns.read(y + down.inner + 1, y - down.inner);
    const T* const own_at = task.rows.row(y) + first + 4 * thread;
    T* const out_at = task.out.row(y - task.first) + first + 4 * thread;
    Four<T> own[kFours];
#pragma unroll
    for (int i = 0; i < kFours; ++i)
      own[i] = Four<T>::load(own_at + i * kApart, first + 4 * thread + i * kApart < end);

    const int count = down.weight(y, height);
    const float inverse = count > 2 * down.inner ? inside_down : 1.f / static_cast<float>(count);
    int codes[kOwnSamples];
#pragma unroll
    for (int i = 0; i < kOwnSamples; ++i) codes[i] = columns.mean(i, count, inverse);
    sum_along<kChannels>(memory, codes);

#pragma unroll
    for (int i = 0; i < kFours; ++i) {
      const int at = first + 4 * thread + i * kApart;
      if (at >= end) break;
      if (at + low >= 0 && at + 3 + high - kChannels < samples) {
        Four<T> made;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const int sum =
              memory.before[high_at[k] + i * kSquareThreads] - memory.before[low_at[k] + i * kSquareThreads];
          made.set(k, finished<kTo>(sum, inside_along, task.finish, own[i].at(k)));
        }
        made.store(out_at + i * kApart);
        continue;
      }
#pragma unroll 1
      for (int k = 0; k < 4; ++k) {
        const int x = (at + k) / kChannels, c = (at + k) % kChannels;
        const int from = max(x - along.inner, 0), to = min(x + along.inner, width - 1) + 1;
        const int sum = memory.before[SquareMemory::place(to * kChannels + c - begin)] -
                        memory.before[SquareMemory::place(from * kChannels + c - begin)];
        out_at[i * kApart + k] =
            finished<kTo>(sum, 1.f / static_cast<float>(to - from), task.finish, own_at[i * kApart + k]);
      }
    }
    if (y + 1 < bottom) columns.move_on();
  }
}

/// Pixels of a row that a block makes; 0 if its threads do not have enough samples.
inline int square_strip(std::int64_t width, int channels, int radius) {
  constexpr std::int64_t kLeast = 256;  // else most of what a block sums lies outside of its strip
  const std::int64_t most = (kBlockSamples - 4) / channels;
  const auto in_fours = [](std::int64_t pixels) { return static_cast<int>((pixels + 3) / 4 * 4); };
  if (width <= most) return in_fours(width);
  const std::int64_t most_strip = (most - 3 - 2 * std::int64_t{radius}) / 4 * 4;
  if (most_strip < kLeast) return 0;
  const std::int64_t strips = (width + most_strip - 1) / most_strip;
  return in_fours((width + strips - 1) / strips);
}

/// True if rows begin where four samples can be loaded at once.
template <class T>
bool stands_in_fours(const View<T>& view) {
  return reinterpret_cast<std::uintptr_t>(view.data) % (4 * sizeof(T)) == 0 && view.pitch % 4 == 0;
}

/// True if squares_kernel does it.
template <class T>
bool is_square_task(const Boxes& boxes, const View<const T>& rows, const View<T>& out) {
  // A power of two as the weight of all samples changes no bit of a mean.
  const auto plain = [](const BoxPass& box) { return box.edge == 0 && (box.whole & (box.whole - 1)) == 0; };
  return boxes.passes == 1 && plain(boxes.down) && plain(boxes.along) && rows.channels != 4 &&
         rows.row_samples() % 4 == 0 && square_strip(rows.width, rows.channels, boxes.along.inner) > 0 &&
         stands_in_fours(rows) && stands_in_fours(out) && !overlap(rows, out);
}

template <class T, int kChannels, Finish::To kTo>
void launch_squares(Context& context, SquareTask<T> task) {
  task.strip = square_strip(task.rows.width, kChannels, task.along);
  const std::int64_t strips = (task.rows.width + task.strip - 1) / task.strip;
  const std::int64_t blocks = std::int64_t{kSquareBlocks} * traits_of(context).multiprocessors;
  const std::int64_t most_bands = std::max<std::int64_t>(1, blocks / strips);
  task.band = static_cast<int>((task.out.height + most_bands - 1) / most_bands);
  const dim3 grid(static_cast<unsigned>(strips),
                  static_cast<unsigned>((task.out.height + task.band - 1) / task.band));
  SCANLENS_CUDA_CHECK(launch_kernel(squares_kernel<T, kChannels, kTo>, grid, dim3(kSquareThreads), 0,
                                    stream_of(context), task));
}

/// Makes the rows of the task, whose codes are integers of 16 bits.
template <class T, int kChannels>
void make_squares(Context& context, const SquareTask<T>& task) {
  const DeviceGuard guard(context);
  using To = Finish::To;
  if (task.finish.to == To::flat)
    launch_squares<T, kChannels, To::flat>(context, task);
  else if (task.finish.to == To::sharp)
    launch_squares<T, kChannels, To::sharp>(context, task);
  else
    launch_squares<T, kChannels, To::mean>(context, task);
}
template <class T>
void make_squares(Context& context, const SquareTask<T>& task) {
  task.rows.channels == 1 ? make_squares<T, 1>(context, task) : make_squares<T, 3>(context, task);
}

}  // namespace scanlens::gpu
