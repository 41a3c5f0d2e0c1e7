// The steps around segmented scans on CUDA: each a kernel that goes over an array once.
#include <algorithm>

#include "core/cuda/launch.cuh"
#include "core/segments/backends.h"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kMarks = 4;  // of a thread, written together

/// Blocks that go over `work` threads' work, several times each if there is much.
unsigned blocks_for(Context& context, std::int64_t work) {
  constexpr int kBlocksAtOnce = 8;  // of a multiprocessor
  const std::int64_t most = std::int64_t{kBlocksAtOnce} * traits_of(context).multiprocessors;
  return static_cast<unsigned>(std::clamp<std::int64_t>((work + kThreads - 1) / kThreads, 1, most));
}

template <class Body>
__device__ void for_work(std::int64_t work, const Body& body) {
  const std::int64_t step = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < work; i += step) body(i);
}

/// Marks the elements that differ from the one before, or from the one behind. The marks are workspace, which
/// is cut at multiples of kMarks.
template <bool kEnds, class Key>
__global__ void __launch_bounds__(kThreads)
    mark_kernel(const Key* keys, std::int64_t n, std::uint8_t* marks) {
  let_next_kernel_begin();
  await_previous_kernel();
  for_work((n + kMarks - 1) / kMarks, [=](std::int64_t four) {
    const std::int64_t first = four * kMarks;
    constexpr int kBefore = kEnds ? 0 : 1;
    Key own[kMarks + 1];  // and the neighbour
#pragma unroll
    for (int i = 0; i <= kMarks; ++i) {
      const std::int64_t at = first + i - kBefore;
      own[i] = keys[at < 0 ? 0 : at < n ? at : n - 1];
    }
    std::uint32_t marked = 0;  // a byte each
#pragma unroll
    for (int i = 0; i < kMarks; ++i)
      if (own[i] != own[i + 1] || first + i == (kEnds ? n - 1 : std::int64_t{0})) marked |= 1u << 8 * i;
    if (first + kMarks <= n) {
      reinterpret_cast<std::uint32_t*>(marks)[four] = marked;
    } else {
      for (int i = 0; first + i < n; ++i) marks[first + i] = static_cast<std::uint8_t>(marked >> 8 * i);
    }
  });
}

__global__ void __launch_bounds__(kThreads)
    mark_offsets_kernel(const std::int64_t* offsets, std::int64_t segments, std::int64_t n,
                        std::uint8_t* heads) {
  let_next_kernel_begin();
  await_previous_kernel();
  for_work(segments, [=](std::int64_t s) {  // neighbours may mark the same element
    if (offsets[s] >= 0 && offsets[s] < n) heads[offsets[s]] = 1;
  });
}

__global__ void __launch_bounds__(kThreads)
    number_kernel(std::int64_t n, std::uint64_t first, std::uint64_t* numbers) {
  let_next_kernel_begin();
  await_previous_kernel();
  for_work(n, [=](std::int64_t i) { numbers[i] = static_cast<std::uint64_t>(i) + first; });
}

__global__ void __launch_bounds__(kThreads)
    lengths_kernel(const std::uint64_t* ends, const std::uint64_t* count, std::int64_t* lengths) {
  let_next_kernel_begin();
  await_previous_kernel();
  for_work(static_cast<std::int64_t>(*count), [=](std::int64_t k) {
    lengths[k] = static_cast<std::int64_t>(ends[k] - (k == 0 ? 0 : ends[k - 1]));
  });
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    totals_kernel(const T* scanned, const std::int64_t* offsets, std::int64_t segments, std::int64_t n,
                  T none, T* out) {
  let_next_kernel_begin();
  await_previous_kernel();
  for_work(segments, [=](std::int64_t s) {
    const std::int64_t end = offsets[s + 1];
    out[s] = has_end(offsets[s], end, n) ? scanned[end - 1] : none;
  });
}

template <bool kEnds, class Key>
void mark(Context& context, const Key* keys, std::int64_t n, std::uint8_t* marks) {
  launch_early(context, mark_kernel<kEnds, Key>, Blocks::independent,
               blocks_for(context, (n + kMarks - 1) / kMarks), kThreads, SharedBytes{}, keys, n, marks);
}

}  // namespace

template <class Key>
void mark_heads(Context& context, const Key* keys, std::int64_t n, std::uint8_t* heads) {
  mark<false>(context, keys, n, heads);
}
template <class Key>
void mark_ends(Context& context, const Key* keys, std::int64_t n, std::uint8_t* ends) {
  mark<true>(context, keys, n, ends);
}
template void mark_heads(Context&, const std::uint32_t*, std::int64_t, std::uint8_t*);
template void mark_heads(Context&, const std::uint64_t*, std::int64_t, std::uint8_t*);
template void mark_ends(Context&, const std::uint32_t*, std::int64_t, std::uint8_t*);
template void mark_ends(Context&, const std::uint64_t*, std::int64_t, std::uint8_t*);

void mark_offsets(Context& context, const std::int64_t* offsets, std::int64_t segments, std::int64_t n,
                  std::uint8_t* heads) {
  SCANLENS_CUDA_CHECK(cudaMemsetAsync(heads, 0, static_cast<std::size_t>(n), stream_of(context)));
  launch_early(context, mark_offsets_kernel, Blocks::independent, blocks_for(context, segments), kThreads,
               SharedBytes{}, offsets, segments, n, heads);
}

void number_elements(Context& context, std::int64_t n, std::uint64_t first, std::uint64_t* numbers) {
  launch_early(context, number_kernel, Blocks::independent, blocks_for(context, n), kThreads, SharedBytes{},
               n, first, numbers);
}

void take_lengths(Context& context, const std::uint64_t* ends, const std::uint64_t* count, std::int64_t n,
                  std::int64_t* lengths) {
  launch_early(context, lengths_kernel, Blocks::independent, blocks_for(context, n), kThreads, SharedBytes{},
               ends, count, lengths);
}

template <class T>
void take_totals(Context& context, const T* scanned, const std::int64_t* offsets, std::int64_t segments,
                 std::int64_t n, T none, T* out) {
  launch_early(context, totals_kernel<T>, Blocks::independent, blocks_for(context, segments), kThreads,
               SharedBytes{}, scanned, offsets, segments, n, none, out);
}
template void take_totals(Context&, const std::uint32_t*, const std::int64_t*, std::int64_t, std::int64_t,
                          std::uint32_t, std::uint32_t*);
template void take_totals(Context&, const std::uint64_t*, const std::int64_t*, std::int64_t, std::int64_t,
                          std::uint64_t, std::uint64_t*);

}  // namespace scanlens::gpu
