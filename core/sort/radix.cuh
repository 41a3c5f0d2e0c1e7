// Chooses the radix sort on CUDA: one block for what it can hold, onesweep beyond.
#pragma once

#include "core/sort/onesweep.cuh"
#include "core/sort/small.cuh"

namespace scanlens::gpu {

/// The cut of arrays of elements, each a key and its value. Measured on an H200: registers for whole elements
/// without spilling matter more than threads; for pairs, which are written in two streams, long runs matter
/// more than several blocks side by side.
template <int element_bytes, bool pairs>
struct Tiles;
template <>
struct Tiles<4, false> {
  using Large = SortTuning<256, 32, 3>;
  using Small = Large;
};
template <>
struct Tiles<8, false> {
  using Large = SortTuning<384, 22, 2>;
  using Small = SortTuning<384, 14, 2>;
};
template <>
struct Tiles<8, true> {
  using Large = SortTuning<768, 20, 1>;
  using Small = SortTuning<384, 14, 2>;
};
template <>
struct Tiles<12, true> {
  using Large = SortTuning<512, 24, 1>;
  using Small = SortTuning<384, 9, 2>;
};
template <>
struct Tiles<16, true> {
  using Large = SortTuning<512, 20, 1>;
  using Small = SortTuning<384, 7, 2>;
};

template <class Bits, class Value>
using TilesOf = Tiles<sizeof(Bits) + (kHasValues<Value> ? sizeof(Value) : 0), kHasValues<Value>>;

/// True if one block of `kItems` elements per thread can hold the task, and has done it.
template <int kItems, class Bits, class Value>
bool sorted_by_one_block(Context& context, const SortTask<Bits, Value>& task, std::size_t shared_memory) {
  using Memory = SmallMemory<Bits, Value, kItems>;
  if (task.count > Memory::kTile || sizeof(Memory) > shared_memory) return false;
  sort_small<kItems>(context, task);
  return true;
}

template <class Bits, class Value>
void radix_sort(Context& context, const SortTask<Bits, Value>& task) {
  using Sizes = TilesOf<Bits, Value>;
  using Large = typename Sizes::Large;
  using Small = typename Sizes::Small;  // fits the 64 KB of shared memory that any device has
  static_assert(sizeof(PassMemory<Small, Bits, Value>) <= 64 * 1024);

  const auto shared_memory = static_cast<std::size_t>(traits_of(context).shared_bytes);
  if (sorted_by_one_block<4>(context, task, shared_memory)) return;
  if (sorted_by_one_block<8>(context, task, shared_memory)) return;
  if (sorted_by_one_block<16>(context, task, shared_memory)) return;

  // Large tiles pay once there is one for every multiprocessor.
  const bool many = task.count >= std::int64_t{Large::kTile} * traits_of(context).multiprocessors;
  if (many && sizeof(PassMemory<Large, Bits, Value>) <= shared_memory)
    onesweep<Large>(context, task);
  else
    onesweep<Small>(context, task);
}

}  // namespace scanlens::gpu
