// Column scans on CUDA in one pass, by persistent blocks that march down strips of columns.
//
// core/rows/column_plan.h says how strips, tiles, bands and rounds divide the array. Wide arrays have a strip
// for every block, and no block needs another. Else the tiles of a strip go to several blocks in turn. A
// block totals a tile and publishes its columns' totals kLag rounds before it scans and writes it. So it
// finds the totals of the tiles above ready when it gets there: of the same round from the bands above its
// own, of the round before from the other bands. It carries the running totals of its columns itself: there
// is no chain between blocks, and the order of additions is fixed. Meanwhile further tiles are being loaded
// into shared memory.
//
// Inside a block thread t works on column t mod columns, in part t / columns of the tile. In shared memory
// its elements lie kThreads apart. There no two threads of a warp meet in a bank, whatever the number of
// columns. Each warp copies what its own lanes will use, so that tiles need no barrier.
//
// A block publishes round r + kLag in its round r, and then reads rounds r and r - 1. Before that it has read
// round r - 2 of every other block of the strip. Such a block publishes round r - 2 in its own round r - 2 -
// kLag, and may still have to read round r - 3 - kLag. Words for 4 + 2 kLag rounds are enough.
#include <cuda_pipeline.h>

#include <algorithm>
#include <type_traits>

#include "core/cuda/warp.cuh"
#include "core/rows/backends.h"
#include "core/rows/column_plan.h"
#include "core/rows/column_states.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "core/scan_axis.h"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = 512;
constexpr int kLag = 2;     // rounds from totalling a tile to scanning it
constexpr int kStages = 4;  // tiles in shared memory: one being scanned, kLag totalled, the rest being loaded
constexpr int kStageBytes = 96;  // per thread and stage; less where there is less shared memory
constexpr int kMostShare = 5;    // bands whose totals a thread reads at most

/// The march of a block down a strip. All that does not change from tile to tile is computed beforehand: a
/// thread has no more than a few dozen elements of a tile, so that arithmetic on 64-bit indices would
/// outweigh the additions.
template <class In, class Out, class Op>
class March {
 public:
  using Value = CombinedIn<Out>;
  using Sum = TotalOf<Op, Value>;
  using States = ColumnStates<Value>;
  static_assert(States::kRounds >= 4 + 2 * kLag);

  struct Memory {
    Sum totals[2][kThreads];  ///< of every thread's rows, of two tiles in turn
    Sum above[2][kThreads];   ///< what a thread has read of other bands' totals, for two tiles in turn
  };
  /// Returns the bytes of shared memory for parts of `rows` rows: the Memory, and the stages behind it.
  static constexpr std::size_t bytes(int rows) {
    return sizeof(Memory) + static_cast<std::size_t>(kStages) * rows * kThreads * sizeof(In);
  }

  __device__ March(View<const In> in, View<Out> out, const ColumnPlan& plan, const ScanForm<Out>& form,
                   std::int64_t item, int band, Op op, Memory& memory)
      : plan_(plan), form_(form), op_(op), memory_(memory), band_(band) {
    const int thread = threadIdx.x;
    column_ = thread % plan.columns;
    part_ = thread / plan.columns;
    stages_ = reinterpret_cast<In*>(&memory + 1) + thread;

    const std::int64_t x0 = item % plan.strips * plan.columns;
    active_ = part_ < plan.parts && x0 + column_ < in.width;
    place_ = static_cast<int>(item % plan.at_once) * plan.columns + column_;
    band_places_ = static_cast<int>(plan.at_once) * plan.columns;

    const int tile_rows = plan.parts * plan.rows;
    tiles_ = static_cast<int>(divided_up(plan.tiles - band, plan.bands));
    const std::int64_t rows_of_last = plan.image_rows - tile_row(tiles_ - 1, tile_rows) - part_ * plan.rows;
    rows_ = active_ ? plan.rows : 0;
    rows_of_last_ =
        static_cast<int>(max(min(rows_of_last, static_cast<std::int64_t>(rows_)), std::int64_t{0}));

    // Rows are counted from the last one of the image, in reverse.
    const std::int64_t row = tile_row(0, tile_rows) + part_ * plan.rows;
    const std::int64_t y =
        item / plan.strips * plan.image_rows + (form.reverse ? plan.image_rows - 1 - row : row);
    from_ = in.row(y) + x0 + column_;
    to_ = out.row(y) + x0 + column_;
    in_pitch_ = form.reverse ? -in.pitch : in.pitch;
    out_pitch_ = form.reverse ? -out.pitch : out.pitch;
    in_step_ = static_cast<std::int64_t>(plan.bands) * tile_rows * in_pitch_;
    out_step_ = static_cast<std::int64_t>(plan.bands) * tile_rows * out_pitch_;

    const bool whole_warp = plan.columns % kWarp == 0 && x0 + (column_ | (kWarp - 1)) < in.width;
    const auto ends =
        reinterpret_cast<std::uintptr_t>(in.data) | static_cast<std::uintptr_t>(in.pitch) * sizeof(In);
    by_sixteens_ = whole_warp && ends % 16 == 0;
  }

  __device__ void run(const States& states) {
    // The total of the strip above tile k.
    Sum running = form_.begins ? static_cast<Sum>(form_.begin()) : Op::template identity<Sum>();

    int load_stage = 0, total_stage = 0, scan_stage = 0;
    for (int k = 0; k < kStages; ++k) load(k, load_stage);
    __syncthreads();  // the totals may have been in use for another strip
    __pipeline_wait_prior(kStages - kLag);
    __syncwarp();
    Tile ahead[kLag];  // tiles k, k + 1, …
#pragma unroll
    for (int k = 0; k < kLag; ++k) ahead[k] = total(k, total_stage, states);
    Share share = look(0, states);

    for (int k = 0; k < tiles_; ++k) {
      __pipeline_wait_prior(kStages - kLag - 1);
      __syncwarp();
      const Tile last = total(k + kLag, total_stage, states);
      if (plan_.bands > 1) running = op_(running, above(k, share, states));
      scan(k, scan_stage, op_(running, ahead[0].before));
      if (plan_.bands == 1) running = op_(running, ahead[0].all);
#pragma unroll
      for (int i = 0; i + 1 < kLag; ++i) ahead[i] = ahead[i + 1];
      ahead[kLag - 1] = last;
      share = look(k + 1, states);  // before the loads, behind which it would have to queue
      __syncwarp();
      load(k + kStages, load_stage);
    }
  }

 private:
  struct Tile {
    Sum before;  ///< the total of the parts above this thread's
    Sum all;     ///< the total of all parts, if there is one band
  };
  /// The states of other bands that this thread has read.
  struct Share {
    typename States::State states[kMostShare];
  };

  __device__ std::int64_t tile_row(int k, int tile_rows) const {
    return (static_cast<std::int64_t>(k) * plan_.bands + band_) * tile_rows;
  }
  /// Returns how many rows of tile k are this thread's.
  __device__ int rows(int k) const {
    return k < tiles_ - 1 ? rows_ : k == tiles_ - 1 ? rows_of_last_ : 0;
  }

  /// Returns this thread's elements of a stage, kThreads apart, and moves `stage` on to the next.
  __device__ In* take(int& stage) const {
    In* elements = stages_ + stage * plan_.rows * kThreads;
    stage = stage + 1 < kStages ? stage + 1 : 0;
    return elements;
  }

  __device__ static void copy_element(In* to, const In* from) {
    if constexpr (sizeof(In) >= 4)
      __pipeline_memcpy_async(to, from, sizeof(In));
    else
      *to = *from;
  }

  __device__ void load(int k, int& stage) {
    In* to = take(stage);
    const In* from = from_;
    const int count = rows(k);
    if (by_sixteens_) {  // several rows at once: a lane copies for others of its warp
      constexpr int kPacked = 16 / sizeof(In), kLanesPerRow = kWarp / kPacked,
                    kRowsAtOnce = kWarp / kLanesPerRow;
      const int lane = threadIdx.x % kWarp;
      const int x = lane % kLanesPerRow * kPacked - lane;
      int i = lane / kLanesPerRow;
      to += i * kThreads + x;
      from += i * in_pitch_ + x;
#pragma unroll 4
      for (; i < count; i += kRowsAtOnce, to += kRowsAtOnce * kThreads, from += kRowsAtOnce * in_pitch_)
        __pipeline_memcpy_async(to, from, 16);
    } else {
#pragma unroll 8
      for (int i = 0; i < count; ++i, to += kThreads, from += in_pitch_) copy_element(to, from);
    }
    __pipeline_commit();
    from_ += in_step_;
  }

  /// Totals tile k, and publishes the totals of its columns.
  __device__ Tile total(int k, int& stage, const States& states) {
    Tile result{Op::template identity<Sum>(), Op::template identity<Sum>()};
    const In* from = take(stage);
    if (k >= tiles_) return result;
    const int count = rows(k);
    Value own = Op::template identity<Value>();
#pragma unroll 8
    for (int i = 0; i < count; ++i) own = op_(own, static_cast<Value>(from[i * kThreads]));
    memory_.totals[k % 2][threadIdx.x] = own;
    __syncthreads();
    const Sum* part_total = memory_.totals[k % 2] + column_;
#pragma unroll 4
    for (int p = 0; p < part_; ++p, part_total += plan_.columns)
      result.before = op_(result.before, *part_total);
    if (plan_.bands == 1) {
      result.all = result.before;
#pragma unroll 4
      for (int p = part_; p < plan_.parts; ++p, part_total += plan_.columns)
        result.all = op_(result.all, *part_total);
    } else if (part_ == plan_.parts - 1 && active_) {
      states.publish(k, band_ * band_places_ + place_,
                     static_cast<Value>(op_(result.before, static_cast<Sum>(own))));
    }
    return result;
  }

  // Three kinds of tiles lie between the start of this block's tile k - 1 and its tile k. In this order: tile
  // k - 1 itself, the tiles of the bands below it in the same round, the tiles of the bands above it in round
  // k. The parts of the block read a share of them each.

  /// Calls visit(i, round, place) for the i-th of this thread's share.
  template <class Visit>
  __device__ void for_share(int k, Visit visit) const {
    const int share = (plan_.bands + plan_.parts - 1) / plan_.parts;
    const int first = part_ * share;
#pragma unroll
    for (int i = 0; i < kMostShare; ++i) {
      if (i >= share) break;
      const int after = band_ + first + i;
      const bool same_round = after >= plan_.bands;
      const int round = same_round ? k : k - 1;
      const int band = same_round ? after - plan_.bands : after;
      if (first + i < plan_.bands && round >= 0 && active_) visit(i, round, band * band_places_ + place_);
    }
  }

  __device__ Share look(int k, const States& states) const {
    Share share{};
    if (plan_.bands > 1 && k < tiles_)
      for_share(k, [&](int i, int round, int place) { share.states[i] = states.load(round, place); });
    return share;
  }

  /// Returns the total of all tiles from this block's tile k - 1 to before its tile k.
  __device__ Sum above(int k, const Share& share, const States& states) {
    Sum mine = Op::template identity<Sum>();
    for_share(k, [&](int i, int round, int place) {
      mine = op_(mine, static_cast<Sum>(states.wait(share.states[i], round, place)));
    });
    memory_.above[k % 2][threadIdx.x] = mine;
    __syncthreads();
    const Sum* part_read = memory_.above[k % 2] + column_;
    Sum sum = Op::template identity<Sum>();
#pragma unroll 4
    for (int p = 0; p < plan_.parts; ++p, part_read += plan_.columns) sum = op_(sum, *part_read);
    return sum;
  }

  __device__ void scan(int k, int& stage, Sum before) {
    const In* from = take(stage);
    Out* to = to_;
    const int count = rows(k);
    Value running = static_cast<Value>(before);
#pragma unroll 8
    for (int i = 0; i < count; ++i, to += out_pitch_) {
      const Value next = op_(running, static_cast<Value>(from[i * kThreads]));
      *to = static_cast<Out>(form_.inclusive ? next : running);
      running = next;
    }
    to_ += out_step_;
  }

  const ColumnPlan& plan_;
  const ScanForm<Out>& form_;
  Op op_;
  Memory& memory_;
  In* stages_;
  int band_, part_, column_;
  int tiles_;  ///< of this block
  int rows_, rows_of_last_;
  int place_, band_places_;  ///< of this column among a round's values, and from band to band
  bool active_;
  bool by_sixteens_;  ///< all of the warp's columns are in the view, and begin on 16-byte boundaries
  const In* from_;    ///< the tile to load next
  Out* to_;           ///< the tile to write next
  std::int64_t in_pitch_, out_pitch_, in_step_, out_step_;
};

template <class In, class Out, class Op>
__global__ void __launch_bounds__(kThreads, 1)
    scan_columns_kernel(View<const In> in, View<Out> out, const __grid_constant__ ColumnPlan plan,
                        const __grid_constant__ ScanForm<Out> form, Op op, std::byte* exchange) {
  using March = March<In, Out, Op>;
  extern __shared__ __align__(16) unsigned char shared[];
  auto& memory = *reinterpret_cast<typename March::Memory*>(shared);
  const int band = static_cast<int>(blockIdx.x / plan.at_once);
  const typename March::States states(exchange, static_cast<int>(plan.bands * plan.at_once) * plan.columns,
                                      static_cast<unsigned>(plan.rounds));
  if (band < plan.bands)
    for (std::int64_t item = blockIdx.x % plan.at_once; item < plan.items; item += plan.at_once)
      March(in, out, plan, form, item, band, op, memory).run(states);
  __syncthreads();
  if (plan.bands > 1 && threadIdx.x == 0) states.finish(static_cast<unsigned>(plan.rounds));
}

}  // namespace

template <class In, class Out, class Op>
void scan_columns(Context& context, View<const In> in, View<Out> out, std::int64_t images,
                  const ScanForm<Out>& form, Op op) {
  using March = March<In, Out, Op>;
  constexpr auto kernel = scan_columns_kernel<In, Out, Op>;
  const cudaStream_t stream = stream_of(context);
  int most_rows = kStageBytes / static_cast<int>(std::max(sizeof(In), std::size_t{4}));
  while (March::bytes(most_rows) > static_cast<std::size_t>(traits_of(context).shared_bytes)) --most_rows;

  using States = typename March::States;
  const int blocks = std::min(traits_of(context).multiprocessors, States::kMostBlocks);
  const ColumnPlan plan = plan_columns(in.width, in.height, images, (sizeof(In) + sizeof(Out)) / 2,
                                       {.blocks = blocks,
                                        .threads = kThreads,
                                        .rows = most_rows,
                                        .bands_per_part = kMostShare,
                                        .round_values = static_cast<std::int64_t>(States::kMostValues)});

  // The limit is always the same, because it belongs to the kernel and other threads may be launching it.
  SCANLENS_CUDA_CHECK(set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(March::bytes(most_rows))));
  cudaLaunchAttribute cooperative = {};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  // All blocks run, even those without a band, so that their tags stay equal.
  config.gridDim = static_cast<unsigned>(plan.bands > 1 ? blocks : plan.at_once);
  config.blockDim = kThreads;
  config.dynamicSmemBytes = March::bytes(plan.rows);
  config.stream = stream;
  config.attrs = &cooperative;
  config.numAttrs = plan.bands > 1 ? 1 : 0;  // blocks that wait for one another have to run at once
  std::byte* exchange = meeting_memory(context, kColumnExchange, States::kBytes);
  SCANLENS_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, in, out, plan, form, op, exchange));
}

#define SCANLENS_INSTANTIATE(name, In, Out, Op) \
  template void scan_columns(Context&, View<const In>, View<Out>, std::int64_t, const ScanForm<Out>&, Op);
SCANLENS_AXIS_SCANS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
