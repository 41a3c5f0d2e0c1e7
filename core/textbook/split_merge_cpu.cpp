// The split-and-merge sort of GPU Gems 3, to read, on the CPU: chunks are sorted bit by bit, then merged two
// by two. Source: GPU Gems 3, section 39.3.3.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <type_traits>

#include "core/textbook/backends.h"

namespace scanlens::cpu {
namespace {

constexpr std::int64_t kChunk = 4096;

template <class Bits, class Value>
struct Arrays {
  Bits* keys;
  Value* values;
};

template <class Bits, class Value>
void move(Arrays<const Bits, const Value> from, std::int64_t i, Arrays<Bits, Value> to, std::int64_t place) {
  to.keys[place] = from.keys[i];
  if constexpr (kHasValues<Value>) to.values[place] = from.values[i];
}

/// The split: all keys whose bit is 0 before all whose bit is 1, otherwise in their order. The exclusive scan
/// of the inverted bits, f, is the place of a key whose bit is 0; that of another is i - f + the number of
/// zeros.
template <class Bits, class Value>
void split(Arrays<const Bits, const Value> from, Arrays<Bits, Value> to, std::int64_t count,
           const KeyOrder<Bits>& order, int bit) {
  const auto is_one = [&](std::int64_t i) { return (order.encode(from.keys[i]) >> bit & 1) != 0; };
  std::int64_t zeros = 0;
  for (std::int64_t i = 0; i < count; ++i) zeros += !is_one(i);
  std::int64_t f = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    move(from, i, to, is_one(i) ? i - f + zeros : f);
    f += !is_one(i);
  }
}

/// The runs [first, middle) and [middle, last); of equal keys those of the first run go first.
template <class Bits, class Value, class Part>
void merge(Arrays<const Bits, const Value> from, Arrays<Bits, Value> to, std::int64_t first,
           std::int64_t middle, std::int64_t last, Part part) {
  std::int64_t a = first, b = middle;
  for (std::int64_t place = first; place < last; ++place) {
    const bool take_a = b == last || (a < middle && part(from.keys[a]) <= part(from.keys[b]));
    move(from, take_a ? a++ : b++, to, place);
  }
}

}  // namespace

template <class Bits, class Value>
void split_merge_sort(Context& context, const SortTask<Bits, Value>& task) {
  const auto at = [](auto* values, std::int64_t i) { return kHasValues<Value> ? values + i : nullptr; };
  const auto part = [&](Bits key) {
    return static_cast<Bits>(task.order.encode(key) << (KeyOrder<Bits>::kSignBit + 1 - task.last_bit)) >>
           (KeyOrder<Bits>::kSignBit + 1 - task.bits());
  };
  int merges = 0;
  while (kChunk << merges < task.count) ++merges;

  Workspace workspace(context);
  PassBuffers<Bits> keys{nullptr, task.keys_out, workspace.take<Bits>(task.count), merges + 1};
  PassBuffers<Value> values{nullptr, task.values_out,
                            kHasValues<Value> ? workspace.take<Value>(task.count) : nullptr, merges + 1};

  // The splits of a chunk alternate between the two arrays, so that the last one ends where the merges start.
  const std::int64_t chunks = (task.count + kChunk - 1) / kChunk;
  tbb::parallel_for(std::int64_t{0}, chunks, [&](std::int64_t chunk) {
    const std::int64_t first = chunk * kChunk, count = std::min(kChunk, task.count - first);
    Arrays<Bits, Value> to{keys.target(0) + first, at(values.target(0), first)};
    Arrays<Bits, Value> other{(to.keys == keys.out + first ? keys.spare : keys.out) + first, nullptr};
    if constexpr (kHasValues<Value>)
      other.values = (to.keys == keys.out + first ? values.spare : values.out) + first;
    if (task.bits() % 2 == 1) std::swap(to, other);
    // `to` is where the splits are to start from: an even number of them comes back to it.
    if (task.keys_in + first != to.keys) std::copy_n(task.keys_in + first, count, to.keys);
    if constexpr (kHasValues<Value>)
      if (task.values_in + first != to.values) std::copy_n(task.values_in + first, count, to.values);
    for (int bit = task.first_bit; bit < task.last_bit; ++bit) {
      split<Bits, Value>({to.keys, to.values}, other, count, task.order, bit);
      std::swap(to, other);
    }
  });

  for (int m = 1; m <= merges; ++m) {
    const std::int64_t run = kChunk << (m - 1);
    const std::int64_t pairs = (task.count + 2 * run - 1) / (2 * run);
    tbb::parallel_for(std::int64_t{0}, pairs, [&](std::int64_t pair) {
      const std::int64_t first = pair * 2 * run;
      merge<Bits, Value>({keys.source(m), values.source(m)}, {keys.target(m), values.target(m)}, first,
                         std::min(first + run, task.count), std::min(first + 2 * run, task.count), part);
    });
  }
}

SCANLENS_INSTANTIATE_KEY_SORTS(split_merge_sort)
SCANLENS_INSTANTIATE_PAIR_SORTS(split_merge_sort)

}  // namespace scanlens::cpu
