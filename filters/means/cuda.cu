// A block has a strip of the picture, as wide as its threads have samples, and goes down a band of its rows.
// Each thread keeps the sums down the columns of its own samples: a row comes in below and one goes out
// above. These are summed along the row, from the left, into shared memory. There the difference of two sums
// is that of a box, which is finished and written at once. So every row is read twice, and once more where
// the result takes the sample itself. Two rows go together, so that threads wait for each other half as
// often.
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/cuda/warp.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "filters/means/backends.h"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarp;
constexpr int kFours = 3;  ///< of a thread: whole pixels of 1, 3 and 4 channels
constexpr int kOwnSamples = 4 * kFours;
constexpr int kBlockSamples = kThreads * kOwnSamples;

/// Rows that go together, and blocks on a multiprocessor.
template <class Sum>
constexpr int kRows = sizeof(Sum) == 4 ? 2 : 1;
template <class Sum>
constexpr int kBlocks = sizeof(Sum) == 4 ? 3 : 2;

template <class T, class Sum>
struct StripTask {
  BoxTask<T, Sum> boxes;
  int strip;  ///< pixels of a row that a block makes, a multiple of 4
  int band;   ///< rows that it makes
};

/// Four samples that are loaded and stored at once.
template <class T>
struct Four {
  static constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  using Word = std::conditional_t<sizeof(T) == 1, std::uint32_t, std::uint64_t>;

  __device__ T at(int i) const { return static_cast<T>(word >> i * kBits); }
  __device__ void set(int i, T value) { word |= static_cast<Word>(value) << i * kBits; }

  Word word = 0;
};
template <>
struct Four<float> {
  __device__ float at(int i) const { return i == 0 ? word.x : i == 1 ? word.y : i == 2 ? word.z : word.w; }
  __device__ void set(int i, float value) {
    (i == 0 ? word.x : i == 1 ? word.y : i == 2 ? word.z : word.w) = value;
  }

  float4 word = {0, 0, 0, 0};
};

/// Returns the samples at an address; zeros if they are not `there`.
template <class T>
__device__ Four<T> load_four(const T* from, bool there) {
  Four<T> four;
  if (there) four.word = *reinterpret_cast<const decltype(four.word)*>(from);
  return four;
}

/// The term of sample k: the sample, or of a pixel with alpha, colour times alpha, and alpha.
template <class Sum, int kChannels, class T>
__device__ Sum term(const Four<T>& four, int k) {
  const Sum own = static_cast<Sum>(four.at(k));
  return kChannels == 4 && k < 3 ? own * static_cast<Sum>(four.at(3)) : own;
}

/// Sums before the samples of a block's rows, of each channel. Four samples stand side by side: thus lanes
/// that have four neighbours each meet in no bank.
template <class Sum>
struct StripMemory {
  static constexpr int kSide = kBlockSamples / 4 + 4;
  Sum before[kRows<Sum>][4 * kSide];
  Sum warps[kRows<Sum>][4][kWarps];

  __device__ static int place(int sample) { return (sample & 3) * kSide + (sample >> 2); }
};

/// The columns of a thread's samples. Those outside the picture are zeros.
template <class T, int kChannels, class Sum>
class Columns {
 public:
  /// `first`: the block's first sample in a row of the picture, which may lie before it.
  __device__ Columns(const View<const T>& rows, int first)
      : rows_(rows), block_(first), first_(first + static_cast<int>(threadIdx.x) * kOwnSamples) {
    for (int i = 0; i < kFours; ++i) there_[i] = is_there(first_ + 4 * i);
  }

  /// Sums rows `low` .. `high`. Neighbours read neighbours here, and exchange sums at the end.
  __device__ void begin(std::int64_t low, std::int64_t high, StripMemory<Sum>& memory) {
    const int thread = static_cast<int>(threadIdx.x);
    Sum sums[kFours][4] = {};
    if constexpr (sizeof(T) == 1 && kChannels != 4) {
      // Two bytes of a word at a time, in 16 bits each, as many rows as these can hold.
      constexpr std::int64_t kMost = 256;
      for (; low <= high; low += kMost) {
        unsigned even[kFours] = {}, odd[kFours] = {};
        const std::int64_t end = min(high + 1, low + kMost);
#pragma unroll 4
        for (std::int64_t y = low; y < end; ++y)
#pragma unroll
          for (int i = 0; i < kFours; ++i) {
            const std::uint32_t word = beside(y, i).word;
            even[i] += word & 0x00FF00FFu;
            odd[i] += word >> 8 & 0x00FF00FFu;
          }
#pragma unroll
        for (int i = 0; i < kFours; ++i) {
          sums[i][0] += even[i] & 0xFFFFu;
          sums[i][1] += odd[i] & 0xFFFFu;
          sums[i][2] += even[i] >> 16;
          sums[i][3] += odd[i] >> 16;
        }
      }
    } else {
#pragma unroll 4
      for (std::int64_t y = low; y <= high; ++y)
#pragma unroll
        for (int i = 0; i < kFours; ++i) {
          const Four<T> four = beside(y, i);
#pragma unroll
          for (int k = 0; k < 4; ++k) sums[i][k] += term<Sum, kChannels>(four, k);
        }
    }
#pragma unroll
    for (int i = 0; i < kFours; ++i)
#pragma unroll
      for (int k = 0; k < 4; ++k) memory.before[0][4 * (thread + i * kThreads) + k] = sums[i][k];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kOwnSamples; ++i) sums_[i] = memory.before[0][thread * kOwnSamples + i];
    __syncthreads();
  }

  /// Reads the rows that come in and go out next, the first of them `in` and `out`.
  __device__ void read(std::int64_t in, std::int64_t out) {
#pragma unroll
    for (int r = 0; r < kRows<Sum>; ++r, ++in, ++out) {
      const bool comes = in < rows_.height, goes = out >= 0;
#pragma unroll
      for (int i = 0; i < kFours; ++i) {
        in_[r][i] = load_four(rows_.row(in) + first_ + 4 * i, comes && there_[i]);
        out_[r][i] = load_four(rows_.row(out) + first_ + 4 * i, goes && there_[i]);
      }
    }
  }

  /// Writes the sums of rows that go together, and moves behind them by what has been read.
  __device__ void move_on(Sum (&sums)[kRows<Sum>][kOwnSamples]) {
#pragma unroll
    for (int r = 0; r < kRows<Sum>; ++r)
#pragma unroll
      for (int i = 0; i < kFours; ++i)
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          Sum& own = sums_[4 * i + k];
          sums[r][4 * i + k] = own;
          own += term<Sum, kChannels>(in_[r][i], k) - term<Sum, kChannels>(out_[r][i], k);
        }
  }

 private:
  __device__ bool is_there(int sample) const {
    return sample >= 0 && sample < rows_.row_samples();
  }
  /// Four samples of row y, side by side with those of the next thread.
  __device__ Four<T> beside(std::int64_t y, int i) const {
    const int sample = block_ + 4 * (static_cast<int>(threadIdx.x) + i * kThreads);
    return load_four(rows_.row(y) + sample, is_there(sample));
  }

  const View<const T>& rows_;
  int block_, first_;
  bool there_[kFours];
  Sum sums_[kOwnSamples];
  Four<T> in_[kRows<Sum>][kFours], out_[kRows<Sum>][kFours];
};

template <class Sum>
__device__ Sum sum_upto(Sum value, int distance) {
  if constexpr (std::is_same_v<Sum, std::uint32_t>) return add_before(value, distance);
  const Sum other = shuffle_up(value, distance);
  return static_cast<int>(threadIdx.x) % kWarp >= distance ? value + other : value;
}

/// Leaves the sums before each sample, of this thread's columns and all before them.
template <int kChannels, class Sum>
__device__ void sum_along(StripMemory<Sum>& memory, const Sum (&sums)[kRows<Sum>][kOwnSamples]) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarp, warp = thread / kWarp;
  Sum own[kRows<Sum>][kChannels] = {};
#pragma unroll
  for (int r = 0; r < kRows<Sum>; ++r) {
#pragma unroll
    for (int i = 0; i < kOwnSamples; ++i) own[r][i % kChannels] += sums[r][i];
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      Sum upto = own[r][c];
#pragma unroll
      for (int distance = 1; distance < kWarp; distance *= 2) upto = sum_upto(upto, distance);
      if (lane == kWarp - 1) memory.warps[r][c][warp] = upto;
      own[r][c] = upto - own[r][c];
    }
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < kRows<Sum>; ++r) {
#pragma unroll
    for (int c = 0; c < kChannels; ++c)
      own[r][c] += warp_total(lane < warp ? memory.warps[r][c][lane] : Sum{0});
#pragma unroll
    for (int i = 0; i < kOwnSamples; ++i) {
      memory.before[r][i % 4 * StripMemory<Sum>::kSide + thread * kFours + i / 4] = own[r][i % kChannels];
      own[r][i % kChannels] += sums[r][i];
    }
  }
  __syncthreads();
}

/// A block's part of the picture.
template <int kChannels>
struct Strip {
  template <class Task>
  __device__ explicit Strip(const Task& task)
      : width(static_cast<int>(task.boxes.rows.width)),
        height(static_cast<int>(task.boxes.rows.height)),
        radius(static_cast<int>(task.boxes.radius)),
        left(static_cast<int>(blockIdx.x) * task.strip),
        right(min(width, left + task.strip)),
        begin((left - radius) & ~3),
        top(static_cast<int>(task.boxes.first) + static_cast<int>(blockIdx.y) * task.band),
        bottom(min(top + task.band, static_cast<int>(task.boxes.first + task.boxes.out.height))) {}

  __device__ int columns_at(int x) const { return min(x + radius, width - 1) - max(x - radius, 0) + 1; }
  __device__ int rows_at(int y) const { return min(y + radius, height - 1) - max(y - radius, 0) + 1; }
  /// True if no box around four samples of a row reaches a border to the left or right.
  __device__ bool is_inside(int at) const {
    return at >= radius * kChannels && at + 3 + radius * kChannels < width * kChannels;
  }

  int width, height, radius;
  int left, right, begin;  ///< pixels of the result; the first of the block's samples
  int top, bottom;
};

/// Makes four results from the sums over their boxes. `inside` divides where all columns are there.
template <class T, int kChannels, class Sum>
__device__ Four<T> finish_four(const Finish& finish, const Strip<kChannels>& strip, int at, int rows,
                               const Divisor<T, Sum>& inside, const Sum (&sums)[4], const Four<T>& own) {
  Four<T> made;
  if constexpr (kChannels == 4) {
    T in[4], out[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) in[k] = own.at(k);
    finish_pixel(finish, static_cast<Sum>(strip.columns_at(at / 4)) * static_cast<Sum>(rows), sums, in, out);
#pragma unroll
    for (int k = 0; k < 4; ++k) made.set(k, out[k]);
  } else if (strip.is_inside(at)) {
#pragma unroll
    for (int k = 0; k < 4; ++k) made.set(k, finished(finish, inside, sums[k], own.at(k)));
  } else {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const Divisor<T, Sum> by(static_cast<Sum>(strip.columns_at((at + k) / kChannels)) *
                               static_cast<Sum>(rows));
      made.set(k, finished(finish, by, sums[k], own.at(k)));
    }
  }
  return made;
}

template <class T, int kChannels, class Sum>
__global__ void __launch_bounds__(kThreads, kBlocks<Sum>)
    boxes_kernel(const __grid_constant__ StripTask<T, Sum> task) {
  __shared__ StripMemory<Sum> memory;
  const BoxTask<T, Sum>& boxes = task.boxes;
  const Strip<kChannels> strip(task);
  const int radius = strip.radius, thread = static_cast<int>(threadIdx.x);
  const bool takes_own = kChannels == 4 || boxes.finish.to != Finish::To::mean;
  // The ends of the boxes around this thread's first four results; those of the next four are as far on as
  // the block has threads.
  const int first = (strip.left - strip.begin) * kChannels + 4 * thread;
  int low_at[4], high_at[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    low_at[k] = StripMemory<Sum>::place(first + k - radius * kChannels);
    high_at[k] = StripMemory<Sum>::place(first + k + (radius + 1) * kChannels);
    // Otherwise the compiler finds them anew for each row.
    asm volatile("" : "+r"(low_at[k]), "+r"(high_at[k]));
  }

  Columns<T, kChannels, Sum> columns(boxes.rows, strip.begin * kChannels);
  columns.begin(max(strip.top - radius, 0), min(strip.top + radius, strip.height - 1), memory);
  columns.read(strip.top + radius + 1, strip.top - radius);
  Divisor<T, Sum> inside(static_cast<Sum>(1));
  int rows_before = 0;
  for (int y = strip.top; y < strip.bottom; y += kRows<Sum>) {
    Sum sums[kRows<Sum>][kOwnSamples];
    columns.move_on(sums);
    columns.read(y + kRows<Sum> + radius + 1, y + kRows<Sum> - radius);
    sum_along<kChannels>(memory, sums);
#pragma unroll
    for (int r = 0; r < kRows<Sum>; ++r) {
      if (y + r >= strip.bottom) break;
      const int rows = strip.rows_at(y + r);
      if (rows != rows_before)
        inside = Divisor<T, Sum>(static_cast<Sum>(2 * radius + 1) * static_cast<Sum>(rows));
      rows_before = rows;
      const T* const own_at = boxes.rows.row(y + r);
      T* const out_at = boxes.out.row(y + r - boxes.first);
#pragma unroll
      for (int i = 0; i < kFours; ++i) {
        const int at = strip.left * kChannels + 4 * (thread + i * kThreads);
        if (at >= strip.right * kChannels) break;
        const Four<T> own = load_four(own_at + at, takes_own);
        Sum of_boxes[4];
#pragma unroll
        for (int k = 0; k < 4; ++k)
          of_boxes[k] =
              memory.before[r][high_at[k] + i * kThreads] - memory.before[r][low_at[k] + i * kThreads];
        const Four<T> made = finish_four(boxes.finish, strip, at, rows, inside, of_boxes, own);
        *reinterpret_cast<decltype(made.word)*>(out_at + at) = made.word;
      }
    }
  }
}

template <class T, int kChannels, class Sum>
void launch(Context& context, StripTask<T, Sum> task) {
  const std::int64_t width = task.boxes.rows.width, height = task.boxes.out.height;
  const auto in_fours = [](std::int64_t pixels) { return static_cast<int>((pixels + 3) / 4 * 4); };
  // The block's samples begin up to 3 pixels before what boxes reach, and end 1 behind it.
  const std::int64_t most = (kBlockSamples / kChannels - 4 - 2 * task.boxes.radius) / 4 * 4;
  const std::int64_t strips = (width + most - 1) / most;
  task.strip = in_fours((width + strips - 1) / strips);
  const std::int64_t blocks = std::int64_t{kBlocks<Sum>} * traits_of(context).multiprocessors;
  const std::int64_t bands = std::max<std::int64_t>(1, blocks / strips);
  task.band = static_cast<int>((height + bands - 1) / bands);
  const dim3 grid(static_cast<unsigned>(strips), static_cast<unsigned>((height + task.band - 1) / task.band));
  SCANLENS_CUDA_CHECK(
      launch_kernel(boxes_kernel<T, kChannels, Sum>, grid, dim3(kThreads), 0, stream_of(context), task));
}

}  // namespace

template <class T, class Sum>
void sum_boxes(Context& context, const BoxTask<T, Sum>& boxes) {
  const StripTask<T, Sum> task{boxes, 0, 0};
  if (boxes.rows.channels == 1)
    launch<T, 1, Sum>(context, task);
  else if (boxes.rows.channels == 3)
    launch<T, 3, Sum>(context, task);
  else
    launch<T, 4, Sum>(context, task);
}

SCANLENS_INSTANTIATE_SUM_BOXES

}  // namespace scanlens::gpu
