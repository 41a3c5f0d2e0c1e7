// Radix sort as the backends see it: keys are bits whose unsigned order, once encoded, is the order asked
// for.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/context.h"
#include "core/sort.h"
#include "core/view.h"

namespace scanlens {

/// Turns keys of one type into unsigned integers that sort as the keys do, and back: the bits of a negative
/// key are flipped by `negative`, then those of any key by `flip`. One pair of constants serves each type and
/// direction, so that a kernel is compiled for the width of the keys only.
template <class Bits>
struct KeyOrder {
  Bits negative = 0;
  Bits flip = 0;

  static constexpr int kSignBit = sizeof(Bits) * 8 - 1;

  SCANLENS_HOST_DEVICE Bits encode(Bits key) const {
    return static_cast<Bits>(key ^ negative_part(key) ^ flip);
  }
  /// `negative` spares the sign bit, so that it tells here what it told there.
  SCANLENS_HOST_DEVICE Bits decode(Bits encoded) const {
    const auto key = static_cast<Bits>(encoded ^ flip);
    return static_cast<Bits>(key ^ negative_part(key));
  }
  SCANLENS_HOST_DEVICE bool changes_keys() const { return negative != 0 || flip != 0; }

 private:
  SCANLENS_HOST_DEVICE Bits negative_part(Bits key) const {
    return static_cast<Bits>((Bits{0} - (key >> kSignBit)) & negative);
  }
};

/// Stands for the type of the values of a sort without values.
struct NoValue {};
template <class Value>
constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;

/// The arrays to sort, checked: count is positive, an output is its own input or apart from all else.
template <class Bits, class Value>
struct SortTask {
  const Bits* keys_in;
  const Value* values_in;
  Bits* keys_out;
  Value* values_out;
  std::int64_t count;
  KeyOrder<Bits> order;
  int first_bit;
  int last_bit;

  int bits() const { return last_bit - first_bit; }
};

/// The places that the passes over one array read and write: they alternate between `out` and `spare` such
/// that the last one ends in `out`. The first reads `in`.
template <class T>
struct PassBuffers {
  const T* in = nullptr;
  T* out = nullptr;
  T* spare = nullptr;
  int passes = 0;

  T* target(int pass) const { return (passes - 1 - pass) % 2 == 0 ? out : spare; }
  const T* source(int pass) const { return pass == 0 ? in : target(pass - 1); }

  /// True if the first pass writes where it reads: in place, with an odd number of passes.
  bool first_overwrites() const { return passes > 0 && source(0) == target(0); }
};

namespace cpu {
template <class Bits, class Value>
void radix_sort(Context& context, const SortTask<Bits, Value>& task);
}
namespace gpu {
template <class Bits, class Value>
void radix_sort(Context& context, const SortTask<Bits, Value>& task);
}

#define SCANLENS_INSTANTIATE_KEY_SORTS(function)                             \
  template void function(Context&, const SortTask<std::uint32_t, NoValue>&); \
  template void function(Context&, const SortTask<std::uint64_t, NoValue>&);
#define SCANLENS_INSTANTIATE_PAIR_SORTS(function)                                  \
  template void function(Context&, const SortTask<std::uint32_t, std::uint32_t>&); \
  template void function(Context&, const SortTask<std::uint32_t, std::uint64_t>&); \
  template void function(Context&, const SortTask<std::uint64_t, std::uint32_t>&); \
  template void function(Context&, const SortTask<std::uint64_t, std::uint64_t>&);

}  // namespace scanlens
