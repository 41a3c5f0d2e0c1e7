// The scan algorithms on the CPU. A block is what one oneTBB task scans; arrays of several blocks are
// completed by the recursion over the block sums that CUDA uses (blocks.cuh), except where said.
//
//   naive           the steps of Hillis and Steele over the whole array: log2 n passes through memory
//   work_efficient  Blelloch's tree in a block, which is larger than a first-level cache
//   conflict_free   the same, padded: where a GPU has memory banks, a cache has sets, and strides of a power
//                   of two meet in few of them; a line of padding every 4 KiB spreads them. It does not pay:
//                   in a block this small, finding the addresses takes longer than the conflicts
//   vectorized      the tree over the sums of eight neighbouring elements
//   warp_shuffle    a SIMD register of four lanes in place of a warp: shuffled and added in log2 4 steps; a
//                   running total goes from register to register
//   look_back       a single pass: a block is summed, looks back, and is scanned while still in the cache
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "core/textbook/scan_algorithms/backends.h"

namespace scanlens::cpu {
namespace {

constexpr std::int64_t kBlock = std::int64_t{1} << 14;  // elements: 64 KiB

/// Calls work(b, first element, number of elements) for every block of an array.
template <class Work>
void for_each_block(std::int64_t count, Work work) {
  tbb::parallel_for(std::int64_t{0}, (count + kBlock - 1) / kBlock, [&](std::int64_t block) {
    const std::int64_t first = block * kBlock;
    work(block, first, std::min(kBlock, count - first));
  });
}

/// `scan_block(kind, in, out, count)` scans up to kBlock elements and returns their sum.
/// Source: GPU Gems 3, section 39.2.4.
template <class T, class ScanBlock>
void scan_by_blocks(Context& context, ScanKind kind, const T* in, T* out, std::int64_t count,
                    ScanBlock scan_block) {
  const std::int64_t blocks = (count + kBlock - 1) / kBlock;
  Workspace workspace(context);
  T* sums = workspace.take<T>(blocks);
  for_each_block(count, [&](std::int64_t block, std::int64_t first, std::int64_t n) {
    sums[block] = scan_block(kind, in + first, out + first, n);
  });
  if (blocks == 1) return;
  scan_by_blocks<T>(context, ScanKind::exclusive, sums, sums, blocks, scan_block);
  for_each_block(count, [&](std::int64_t block, std::int64_t first, std::int64_t n) {
    const T increment = sums[block];
    for (std::int64_t i = 0; i < n; ++i) out[first + i] += increment;
  });
}

template <class T>
void naive(Context& context, ScanKind kind, const T* in, T* out, std::int64_t count) {
  const auto for_each_range = [count](auto work) {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, count, kBlock),
                      [&](const auto& range) { work(range.begin(), range.end()); });
  };
  Workspace workspace(context);
  T *from = workspace.take<T>(count), *to = workspace.take<T>(count);

  for_each_range(
      [&](std::int64_t first, std::int64_t last) { std::copy(in + first, in + last, to + first); });
  for (std::int64_t d = 1; d < count; d *= 2) {
    std::swap(from, to);
    for_each_range([&](std::int64_t first, std::int64_t last) {
      std::int64_t i = first;
      for (; i < std::min(d, last); ++i) to[i] = from[i];
      for (; i < last; ++i) to[i] = from[i - d] + from[i];
    });
  }
  const std::int64_t shift = kind == ScanKind::exclusive ? 1 : 0;
  out[0] = shift ? T{0} : to[0];
  for_each_range([&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = std::max<std::int64_t>(first, 1); i < last; ++i) out[i] = to[i - shift];
  });
}

struct Unpadded {
  static constexpr std::int64_t address(std::int64_t leaf) { return leaf; }
};
struct Padded {
  static constexpr int kLineBits = 4, kPageBits = 10;  // log2 of the elements in a cache line and in 4 KiB
  static constexpr std::int64_t address(std::int64_t leaf) { return leaf + (leaf >> kPageBits << kLineBits); }
};

/// Replaces the leaves, a power of two of them, by their exclusive sums and returns the sum of all. Source:
/// algorithms 3 and 4 of GPU Gems 3, section 39.2.2.
template <class Layout, class T>
T tree_scan(T* tree, std::int64_t leaves) {
  for (std::int64_t d = 1; d < leaves; d *= 2)
    for (std::int64_t right = 2 * d - 1; right < leaves; right += 2 * d)
      tree[Layout::address(right)] += tree[Layout::address(right - d)];

  const T total = tree[Layout::address(leaves - 1)];
  tree[Layout::address(leaves - 1)] = T{0};

  for (std::int64_t d = leaves / 2; d > 0; d /= 2)
    for (std::int64_t right = 2 * d - 1; right < leaves; right += 2 * d) {
      const T left = tree[Layout::address(right - d)];
      tree[Layout::address(right - d)] = tree[Layout::address(right)];
      tree[Layout::address(right)] += left;
    }
  return total;
}

/// Scans `count` elements with what is before them already summed up; returns the sum with theirs.
template <class T>
T scan_sequentially(ScanKind kind, const T* in, T* out, std::int64_t count, T before) {
  T running = before;
  for (std::int64_t i = 0; i < count; ++i) {
    const T item = in[i];  // out may be in
    out[i] = kind == ScanKind::inclusive ? running + item : running;
    running += item;
  }
  return running;
}

/// A tree with a leaf for every kItems elements, padded with zeros to a power of two.
template <class Layout, std::int64_t kItems, class T>
T scan_block_by_tree(ScanKind kind, const T* in, T* out, std::int64_t count) {
  T tree[Layout::address(kBlock / kItems)];
  std::int64_t leaves = 1;
  while (leaves * kItems < count) leaves *= 2;
  for (std::int64_t leaf = 0; leaf < leaves; ++leaf) {
    T sum{0};
    for (std::int64_t i = leaf * kItems; i < std::min((leaf + 1) * kItems, count); ++i) sum += in[i];
    tree[Layout::address(leaf)] = sum;
  }
  const T total = tree_scan<Layout>(tree, leaves);
  for (std::int64_t leaf = 0; leaf * kItems < count; ++leaf)
    scan_sequentially(kind, in + leaf * kItems, out + leaf * kItems, std::min(kItems, count - leaf * kItems),
                      tree[Layout::address(leaf)]);
  return total;
}

template <class T>
T scan_block_by_shuffles(ScanKind kind, const T* in, T* out, std::int64_t count) {
  constexpr int kLanes = 4;
  using Register [[gnu::vector_size(kLanes * sizeof(T))]] = T;
  const Register zero{};
  T running{0};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Register lanes;
    std::memcpy(&lanes, in + i, sizeof lanes);
    // Lanes move up; indices from 4 on name the zeros that move in.
    lanes += __builtin_shufflevector(lanes, zero, 4, 0, 1, 2);
    lanes += __builtin_shufflevector(lanes, zero, 4, 5, 0, 1);
    const Register sums =
        running + (kind == ScanKind::inclusive ? lanes : __builtin_shufflevector(lanes, zero, 4, 0, 1, 2));
    running += lanes[kLanes - 1];
    std::memcpy(out + i, &sums, sizeof sums);
  }
  return scan_sequentially(kind, in + i, out + i, count - i, running);
}

template <class T>
void look_back(Context& context, ScanKind kind, const T* in, T* out, std::int64_t count) {
  using State = TileState<T>;
  Workspace workspace(context);
  const std::int64_t blocks = (count + kBlock - 1) / kBlock;
  std::uint64_t* states = workspace.take<std::uint64_t>(blocks);
  std::fill_n(states, blocks, State{}.word());
  const auto read = [&](std::int64_t tile) {
    return State::of(std::atomic_ref(states[tile]).load(std::memory_order_relaxed));
  };
  const auto publish = [&](std::int64_t tile, State state) {
    std::atomic_ref(states[tile]).store(state.word(), std::memory_order_relaxed);
  };

  // Tiles are taken by ticket: those before one's own are done, or in the hands of a thread that is running.
  std::atomic<std::int64_t> next{0};
  for_each_block(count, [&](auto...) {
    const std::int64_t tile = next.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t first = tile * kBlock, n = std::min(kBlock, count - first);
    T total{0};
    for (std::int64_t i = 0; i < n; ++i) total += in[first + i];
    publish(tile, {State::total, total});

    T before{0};
    for (std::int64_t t = tile - 1; t >= 0;) {
      const State state = read(t);
      if (state.flag == State::empty) {
        std::this_thread::yield();
        continue;
      }
      before += state.value;
      if (state.flag == State::prefix) break;
      --t;
    }
    publish(tile, {State::prefix, before + total});
    scan_sequentially(kind, in + first, out + first, n, before);
  });
}

}  // namespace

template <class T>
void scan_by(Context& context, ScanAlgorithm algorithm, ScanKind kind, const T* in, T* out,
             std::int64_t count) {
  const auto by_blocks = [&](auto scan_block) {
    scan_by_blocks<T>(context, kind, in, out, count, scan_block);
  };
  switch (algorithm) {
    case ScanAlgorithm::naive:
      return naive(context, kind, in, out, count);
    case ScanAlgorithm::work_efficient:
      return by_blocks(scan_block_by_tree<Unpadded, 1, T>);
    case ScanAlgorithm::conflict_free:
      return by_blocks(scan_block_by_tree<Padded, 1, T>);
    case ScanAlgorithm::vectorized:
      return by_blocks(scan_block_by_tree<Unpadded, 8, T>);
    case ScanAlgorithm::warp_shuffle:
      return by_blocks(scan_block_by_shuffles<T>);
    case ScanAlgorithm::look_back:
      return look_back(context, kind, in, out, count);
    case ScanAlgorithm::automatic:
      break;
  }
}

template void scan_by(Context&, ScanAlgorithm, ScanKind, const std::uint32_t*, std::uint32_t*, std::int64_t);
template void scan_by(Context&, ScanAlgorithm, ScanKind, const float*, float*, std::int64_t);

}  // namespace scanlens::cpu
