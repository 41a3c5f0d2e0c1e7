// CSR matrix times vector in equal shares, whatever the rows.
//
// Number the stored values, and after the last value of each row the row's end: the end of row r is item r +
// row_begin[r + 1]. These numbers ascend, so a search finds the rows and values of any range of items. Ranges
// of as many items cost equally much, however long, short or empty the rows are.
//
//   1. search_shares_kernel finds the row in which every share begins.
//   2. multiply_shares_kernel has one block per share. The products of its values go to shared memory, by
//      loads as wide and as many in flight as can be. Then
//      - where all rows are short, each thread adds up one row after the other;
//      - else a segmented scan does: row ends become bits, one for each item; each thread adds up kItems
//        items, and knows from the bits where rows end; what is left over is summed across threads.
//      What is left over at the end of the share is its carry.
//   3. add_carries_kernel adds to each row that several shares worked on the carries of all but the last.
// No sum depends on which block or thread comes first: the bits are the same every run.
//
// Sources: Merrill and Garland, "Merge-based Parallel Sparse Matrix-Vector Multiplication", SC 2016, section
// 4 (equal shares of rows and values together); Blelloch, Heroux and Zagha, "Segmented Operations for Sparse
// Matrix Computation on Vector Multiprocessors", 1993 (the product as a segmented scan); Greathouse and Daga,
// "Efficient Sparse Matrix-Vector Multiplication on GPUs using the CSR Storage Format", SC 2014 (short rows
// added up from shared memory).
#include <cstdint>

#include "core/cuda/warp.cuh"
#include "core/operators.h"
#include "core/runtime/cuda_check.cuh"
#include "core/sparse/backends.h"
#include "core/sparse/share.cuh"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = kShareThreads;
constexpr int kWarps = kThreads / kWarp;
constexpr int kBlocksPerMultiprocessor = 10;  // 48 registers per thread: loads in flight count for more
constexpr int kShort = 32;                    // values of a row that a thread adds up by itself

/// Writes share_row[i], how many rows end before share i, for one more share than there are. Each step looks
/// at three places at once, because it is the steps' latency that takes the time.
template <class T>
__global__ void __launch_bounds__(kThreads) search_shares_kernel(ShareMatrix<T> a, std::uint32_t* share_row) {
  const std::int64_t share = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (share > a.shares()) return;
  const std::int64_t item = min(share * Share<T>::kCount, a.items());
  std::int64_t least = 0, most = a.rows;
  while (least < most) {
    const std::int64_t quarter = (most - least) / 4;
    const std::int64_t low = least + quarter, middle = low + quarter, high = middle + quarter;
    const bool ends_low = a.end_item(low) < item, ends_middle = a.end_item(middle) < item,
               ends_high = a.end_item(high) < item;
    most = ends_high ? most : ends_middle ? high : ends_low ? middle : low;
    least = ends_high ? high + 1 : ends_middle ? middle + 1 : ends_low ? low + 1 : least;
  }
  share_row[share] = static_cast<std::uint32_t>(least);
}

/// True if every row that this thread would add up is short.
template <class T>
__device__ bool all_short(const ShareExtent<T>& extent, const ShareRows<T>& rows) {
  bool all = true;
  for (int row = threadIdx.x; row <= extent.rows; row += kThreads)
    all &= rows.last(row) - rows.first(row) <= kShort;
  return all;
}

/// Each thread adds up rows. The sum of the row that is left open is the carry.
template <class T>
__device__ void add_rows(const ShareExtent<T>& extent, const ShareRows<T>& rows, const T* products, T* y,
                         T* carry) {
#pragma unroll 1
  for (int row = threadIdx.x; row <= extent.rows; row += kThreads) {
    const int last = rows.last(row);
    T sum = 0;
#pragma unroll 4
    for (int slot = rows.first(row); slot < last; ++slot) sum += products[Share<T>::place(slot)];
    (row < extent.rows ? y[extent.first_row + row] : *carry) = sum;
  }
}

/// The words that every warp leaves for the other warps.
template <class T>
struct Exchange {
  int rows[kWarps];  ///< how many rows end in it
  T left[kWarps];    ///< the sum of the products after the last of these ends
};

/// Number of rows of the share that end before this thread's items; `own` rows end in them.
template <class T>
__device__ int rows_before(int own, Exchange<T>& exchange) {
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const int upto = warp_inclusive_scan(own, Sum());
  if (lane == kWarp - 1) exchange.rows[warp] = upto;
  __syncthreads();
  int before = upto - own;
#pragma unroll
  for (int w = 0; w < kWarps - 1; ++w)
    if (w < warp) before += exchange.rows[w];
  return before;
}

/// The segmented scan of what threads have left over: `left` is this thread's, and `starts` says that a row
/// ends in the thread, so that `left` begins a new sum. Returns the sum that comes in from the threads
/// before; `upto` becomes the one that goes out. Reads exchange.rows.
template <class T>
__device__ T carry_in(T left, bool starts, Exchange<T>& exchange, T& upto) {
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const unsigned starts_upto = __ballot_sync(kAllLanes, starts) & (kAllLanes >> (kWarp - 1 - lane));
  const int segment =
      starts_upto ? kWarp - 1 - __clz(starts_upto) : 0;  // the lane with which this one's sum begins
#pragma unroll
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const T before = shuffle_up(left, distance);
    if (lane - distance >= segment) left = before + left;
  }
  if (lane == kWarp - 1) exchange.left[warp] = left;
  __syncthreads();

  T into_warp = 0;
#pragma unroll
  for (int w = 0; w < kWarps - 1; ++w)
    if (w < warp) into_warp = exchange.rows[w] > 0 ? exchange.left[w] : into_warp + exchange.left[w];
  upto = starts_upto ? left : into_warp + left;
  const T before = shuffle_up(upto, 1);
  return lane > 0 ? before : into_warp;
}

/// A thread kItems items. `ends` is zero at first.
template <class T>
__device__ void scan_rows(const ShareExtent<T>& extent, const ShareRows<T>& rows, T* products, unsigned* ends,
                          Exchange<T>& exchange, T* y, T* carry) {
  constexpr int kItems = Share<T>::kItems;
  const int thread = threadIdx.x;

  // The bit of an item is its number in the share, counted like the slots from `skipped`.
  for (int row = thread; row < extent.rows; row += kThreads) {
    const int bit = row + rows.last(row);
    atomicOr(&ends[bit / 32], 1u << bit % 32);
  }
  __syncthreads();
  const int first_item = thread * kItems;
  const unsigned own_ends = ends[first_item / 32] >> first_item % 32 & ((1u << kItems) - 1);

  // The order of the products follows from the bits alone, so that no load has to wait for another.
  const int first_row = rows_before(__popc(own_ends), exchange);
  T items[kItems];
  int slot = first_item - first_row;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    items[i] = products[Share<T>::place(slot)];
    if (!(own_ends >> i & 1)) ++slot;
  }
  __syncthreads();  // all products are in registers; sums take their place

  T left = 0;
  T* sum = products + first_row;
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    if (own_ends >> i & 1) {
      *sum++ = left;
      left = 0;
    } else {
      left += items[i];
    }
  T upto;
  const T before = carry_in(left, own_ends != 0, exchange, upto);
  if (own_ends != 0) products[first_row] += before;
  if (thread == kThreads - 1) *carry = upto;
  __syncthreads();
  for (int row = thread; row < extent.rows; row += kThreads) y[extent.first_row + row] = products[row];
}

template <class T>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    multiply_shares_kernel(ShareMatrix<T> a, const T* __restrict__ x, T* __restrict__ y,
                           const std::uint32_t* __restrict__ share_row, T* __restrict__ carries) {
  constexpr int kWords = Share<T>::kSlots / 32;
  __shared__ T products[Share<T>::place(Share<T>::kSlots)];
  __shared__ std::uint32_t begins[ShareRows<T>::kBegins];
  __shared__ unsigned ends[kWords];
  __shared__ Exchange<T> exchange;
  static_assert(kWords <= kThreads);

  const ShareExtent<T> extent(a, share_row, blockIdx.x);
  const ShareRows<T> rows(a, extent, begins);
  const ShareValues<T> values(a, extent);
  if (threadIdx.x < kWords) ends[threadIdx.x] = 0;
  values.multiply(extent, x, products);
  rows.wait();
  __syncthreads();

  if (__syncthreads_and(all_short(extent, rows)))
    add_rows(extent, rows, products, y, carries + blockIdx.x);
  else
    scan_rows(extent, rows, products, ends, exchange, y, carries + blockIdx.x);
}

/// One thread for each share: it looks at the row that the share leaves open. If it is the first to do so, it
/// adds the carries of all shares up to the one that ends the row. It adds a few by itself, many with its
/// warp.
template <class T>
__global__ void __launch_bounds__(kThreads)
    add_carries_kernel(ShareMatrix<T> a, T* y, const std::uint32_t* share_row, const T* carries) {
  constexpr std::int64_t kFew = 16;
  const std::int64_t share = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  std::int64_t row = a.rows, last = share;  // the share in which the row ends, which has written it
  if (share < a.shares()) {
    row = share_row[share + 1];
    const bool first = share == 0 || share_row[share] != row;
    if (first && row < a.rows) last = a.end_item(row) / Share<T>::kCount;
  }

  const bool many = last - share > kFew;
  if (last > share && !many) {
    T sum = 0;
    for (std::int64_t i = share; i < last; ++i) sum += carries[i];
    y[row] += sum;
  }
  for (unsigned lanes = __ballot_sync(kAllLanes, many); lanes != 0; lanes &= lanes - 1) {
    const int lane = threadIdx.x % kWarp, owner = __ffs(lanes) - 1;
    const std::int64_t stop = shuffle(last, owner);
    T sum = 0;
#pragma unroll 8
    for (std::int64_t i = shuffle(share, owner) + lane; i < stop; i += kWarp) sum += carries[i];
    sum = warp_reduce(sum, Sum());
    const std::int64_t long_row = shuffle(row, owner);
    if (lane == 0) y[long_row] += sum;
  }
}

bool aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}

}  // namespace

template <class T>
void spmv(Context& context, const CsrMatrix<T>& matrix, std::span<const T> x, std::span<T> y) {
  const cudaStream_t stream = stream_of(context);
  if (matrix.values.empty()) {  // there may be no x to look at either
    SCANLENS_CUDA_CHECK(cudaMemsetAsync(y.data(), 0, y.size_bytes(), stream));
    return;
  }
  const ShareMatrix<T> a{
      matrix.row_begin.data(),   matrix.columns.data(),
      matrix.values.data(),      matrix.rows,
      std::ssize(matrix.values), aligned(matrix.columns.data()) && aligned(matrix.values.data())};
  const std::int64_t shares = a.shares();
  const auto blocks = [](std::int64_t threads) {
    return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  };
  Workspace workspace(context);
  auto* share_row = workspace.take<std::uint32_t>(shares + 1);
  auto* carries = workspace.take<T>(shares);

  SCANLENS_CUDA_CHECK(
      launch_kernel(search_shares_kernel<T>, blocks(shares + 1), kThreads, 0, stream, a, share_row));
  SCANLENS_CUDA_CHECK(launch_kernel(multiply_shares_kernel<T>, static_cast<unsigned>(shares), kThreads, 0,
                                    stream, a, x.data(), y.data(), share_row, carries));
  if (shares == 1) return;  // nothing is carried
  SCANLENS_CUDA_CHECK(launch_kernel(add_carries_kernel<T>, blocks(shares), kThreads, 0, stream, a, y.data(),
                                    share_row, carries));
}

template void spmv(Context&, const CsrMatrix<float>&, std::span<const float>, std::span<float>);
template void spmv(Context&, const CsrMatrix<double>&, std::span<const double>, std::span<double>);

}  // namespace scanlens::gpu
