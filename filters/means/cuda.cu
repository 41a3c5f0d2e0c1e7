// A block has a strip of the picture, as wide as its threads have samples, and goes down a band of its rows.
// Each thread keeps the sums down the columns of its own samples: a row comes in below and one goes out
// above. These are summed along the row, from the left, into shared memory. There the difference of two sums
// is that of a box, which is finished and written at once. So every row is read twice, and once more where
// the result takes the sample itself.
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

/// Blocks on a multiprocessor.
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
  Sum before[4 * kSide];
  Sum warps[4][kWarps];

  __device__ static int place(int sample) { return (sample & 3) * kSide + (sample >> 2); }
};

/// The columns of a thread's samples. Those outside the picture are zeros, as are those that no box reaches.
template <class T, int kChannels, class Sum>
class Columns {
 public:
  /// The block's samples are `first` .. `end` - 1 of each row of the picture, whether they are there or not.
  __device__ Columns(const View<const T>& rows, int first, int end) : rows_(rows), first_(first), end_(end) {}

  /// Sums rows `low` .. `high`. Neighbours read neighbours here, and exchange sums at the end.
  __device__ void begin(int low, int high, StripMemory<Sum>& memory) {
    const int thread = static_cast<int>(threadIdx.x);
    Sum sums[kFours][4] = {};
    const T* row = rows_.row(low) + first_ + 4 * thread;
    bool there[kFours];
#pragma unroll
    for (int i = 0; i < kFours; ++i) there[i] = is_there(first_ + 4 * (thread + i * kThreads));
    if constexpr (sizeof(T) == 1 && kChannels != 4) {
      // Two bytes of a word at a time, in 16 bits each, as many rows as these can hold.
      constexpr int kMost = 256;
      for (; low <= high; low += kMost) {
        unsigned even[kFours] = {}, odd[kFours] = {};
        const int end = min(high + 1, low + kMost);
#pragma unroll 4
        for (int y = low; y < end; ++y, row += rows_.pitch)
#pragma unroll
          for (int i = 0; i < kFours; ++i) {
            const std::uint32_t word = load_four(row + 4 * i * kThreads, there[i]).word;
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
      for (int y = low; y <= high; ++y, row += rows_.pitch)
#pragma unroll
        for (int i = 0; i < kFours; ++i) {
          const Four<T> four = load_four(row + 4 * i * kThreads, there[i]);
#pragma unroll
          for (int k = 0; k < 4; ++k) sums[i][k] += term<Sum, kChannels>(four, k);
        }
    }
#pragma unroll
    for (int i = 0; i < kFours; ++i)
#pragma unroll
      for (int k = 0; k < 4; ++k) memory.before[4 * (thread + i * kThreads) + k] = sums[i][k];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kOwnSamples; ++i) sums_[i] = memory.before[thread * kOwnSamples + i];
    __syncthreads();
  }

  /// The sums over the rows around one, and from there on around those below it: `in` comes in next, `out`
  /// goes out.
  __device__ void start(int in, int out) {
    const int own = first_ + static_cast<int>(threadIdx.x) * kOwnSamples;
#pragma unroll
    for (int i = 0; i < kFours; ++i) there_[i] = is_there(own + 4 * i);
    in_at_ = rows_.row(in) + own;
    out_at_ = rows_.row(out) + own;
    rows_in_ = static_cast<int>(rows_.height) - in;
    rows_out_ = -out;
  }
  __device__ void read() {
    const bool comes = rows_in_-- > 0, goes = rows_out_-- <= 0;
#pragma unroll
    for (int i = 0; i < kFours; ++i) {
      in_[i] = load_four(in_at_ + 4 * i, comes && there_[i]);
      out_[i] = load_four(out_at_ + 4 * i, goes && there_[i]);
    }
    in_at_ += rows_.pitch;
    out_at_ += rows_.pitch;
  }
  __device__ void move_on() {
#pragma unroll
    for (int i = 0; i < kFours; ++i)
#pragma unroll
      for (int k = 0; k < 4; ++k)
        sums_[4 * i + k] += term<Sum, kChannels>(in_[i], k) - term<Sum, kChannels>(out_[i], k);
  }
  __device__ Sum sum(int i) const {
    return sums_[i];
  }
  /// True if a box of the block reaches samples of this warp.
  __device__ bool is_reached() const {
    return first_ + static_cast<int>(threadIdx.x) / kWarp * (kWarp * kOwnSamples) < end_;
  }

 private:
  __device__ bool is_there(int sample) const {
    return sample >= 0 && sample < end_ && sample < static_cast<int>(rows_.row_samples());
  }

  const View<const T>& rows_;
  int first_, end_;
  const T *in_at_, *out_at_;
  int rows_in_, rows_out_;  ///< rows until none comes in, until one goes out
  bool there_[kFours];
  Sum sums_[kOwnSamples];
  Four<T> in_[kFours], out_[kFours];
};

template <class Sum>
__device__ Sum sum_upto(Sum value, int distance) {
  if constexpr (std::is_same_v<Sum, std::uint32_t>) return add_before(value, distance);
  const Sum other = shuffle_up(value, distance);
  return static_cast<int>(threadIdx.x) % kWarp >= distance ? value + other : value;
}

/// Leaves the sums before each sample, of this thread's columns and all before them.
template <int kChannels, class Sum, class Columns>
__device__ void sum_along(StripMemory<Sum>& memory, const Columns& columns) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarp, warp = thread / kWarp;
  const bool is_reached = columns.is_reached();
  Sum own[kChannels] = {};
  if (is_reached) {
#pragma unroll
    for (int i = 0; i < kOwnSamples; ++i) own[i % kChannels] += columns.sum(i);
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      Sum upto = own[c];
#pragma unroll
      for (int distance = 1; distance < kWarp; distance *= 2) upto = sum_upto(upto, distance);
      if (lane == kWarp - 1) memory.warps[c][warp] = upto;
      own[c] = upto - own[c];
    }
  }
  __syncthreads();
  if (is_reached) {
#pragma unroll
    for (int c = 0; c < kChannels; ++c) own[c] += warp_total(lane < warp ? memory.warps[c][lane] : Sum{0});
#pragma unroll
    for (int i = 0; i < kOwnSamples; ++i) {
      memory.before[i % 4 * StripMemory<Sum>::kSide + thread * kFours + i / 4] = own[i % kChannels];
      own[i % kChannels] += columns.sum(i);
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

  /// The columns of the box around pixel x; at least one where the last four samples end behind the picture.
  __device__ int columns_at(int x) const {
    return max(min(x + radius, width - 1) - max(x - radius, 0) + 1, 1);
  }
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

/// `kTo`: the finish, or kAnyFinish where it is not known when the kernel is compiled.
constexpr int kAnyFinish = -1;
template <class T, int kChannels, class Sum, int kTo>
__global__ void __launch_bounds__(kThreads, kBlocks<Sum>)
    boxes_kernel(const __grid_constant__ StripTask<T, Sum> task) {
  __shared__ StripMemory<Sum> memory;
  const BoxTask<T, Sum>& boxes = task.boxes;
  const Strip<kChannels> strip(task);
  const int radius = strip.radius, thread = static_cast<int>(threadIdx.x);
  Finish finish = boxes.finish;
  if (kTo != kAnyFinish) finish.to = static_cast<Finish::To>(kTo);
  const bool takes_own = kChannels == 4 || finish.to != Finish::To::mean;
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

  // One pixel more than boxes reach: sums before it are those up to the last one.
  Columns<T, kChannels, Sum> columns(boxes.rows, strip.begin * kChannels,
                                     (strip.right + radius + 1) * kChannels);
  columns.begin(max(strip.top - radius, 0), min(strip.top + radius, strip.height - 1), memory);
  columns.start(strip.top + radius + 1, strip.top - radius);
  const int left = strip.left * kChannels + 4 * thread, right = strip.right * kChannels;
  const T* own_at = boxes.rows.row(strip.top) + left;
  T* out_at = boxes.out.row(strip.top - boxes.first) + left;
  Divisor<T, Sum> inside(static_cast<Sum>(1));
  int rows_before = 0;
  for (int y = strip.top; y < strip.bottom; ++y, own_at += boxes.rows.pitch, out_at += boxes.out.pitch) {
    if (y + 1 < strip.bottom) columns.read();
    Four<T> own[kFours];
#pragma unroll
    for (int i = 0; i < kFours; ++i)
      own[i] = load_four(own_at + 4 * i * kThreads, takes_own && left + 4 * i * kThreads < right);
    const int rows = strip.rows_at(y);
    if (rows != rows_before)
      inside = Divisor<T, Sum>(static_cast<Sum>(2 * radius + 1) * static_cast<Sum>(rows));
    rows_before = rows;
    sum_along<kChannels>(memory, columns);
#pragma unroll
    for (int i = 0; i < kFours; ++i) {
      const int at = left + 4 * i * kThreads;
      if (at >= right) break;
      Sum sums[4];
#pragma unroll
      for (int k = 0; k < 4; ++k)
        sums[k] = memory.before[high_at[k] + i * kThreads] - memory.before[low_at[k] + i * kThreads];
      const Four<T> made = finish_four(finish, strip, at, rows, inside, sums, own[i]);
      *reinterpret_cast<decltype(made.word)*>(out_at + 4 * i * kThreads) = made.word;
    }
    columns.move_on();
  }
}

template <class T, int kChannels, class Sum, int kTo>
void launch_to(Context& context, const dim3& grid, const StripTask<T, Sum>& task) {
  SCANLENS_CUDA_CHECK(
      launch_kernel(boxes_kernel<T, kChannels, Sum, kTo>, grid, dim3(kThreads), 0, stream_of(context), task));
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
  using To = Finish::To;
  if constexpr (sizeof(Sum) == 8 || kChannels == 4) {
    launch_to<T, kChannels, Sum, kAnyFinish>(context, grid, task);
  } else if (task.boxes.finish.to == To::mean) {
    launch_to<T, kChannels, Sum, static_cast<int>(To::mean)>(context, grid, task);
  } else if (task.boxes.finish.to == To::flat) {
    launch_to<T, kChannels, Sum, static_cast<int>(To::flat)>(context, grid, task);
  } else {
    launch_to<T, kChannels, Sum, static_cast<int>(To::sharp)>(context, grid, task);
  }
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
