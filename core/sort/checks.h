// Checks of a sort's arguments, and the task made from them.
#pragma once

#include <type_traits>

#include "core/array.h"
#include "core/half.h"
#include "core/runtime/array_checks.h"
#include "core/runtime/checks.h"
#include "core/sort/backends.h"

namespace scanlens {

template <class Key>
using BitsOf = UnsignedOf<sizeof(Key)>;

/// See KeyOrder. Two's complement sorts as unsigned once the sign bit is flipped; of a negative float, which
/// is a sign and a magnitude, all other bits as well.
template <class Key>
KeyOrder<BitsOf<Key>> order_of(bool descending) {
  using Bits = BitsOf<Key>;
  constexpr auto kSign = static_cast<Bits>(Bits{1} << KeyOrder<Bits>::kSignBit);
  constexpr bool kIsFloat = std::is_floating_point_v<CombinedIn<Key>>;
  KeyOrder<Bits> order;
  if (kIsFloat) order.negative = static_cast<Bits>(~kSign);
  if (kIsFloat || std::is_signed_v<Key>) order.flip = kSign;
  if (descending) order.flip = static_cast<Bits>(~order.flip);
  return order;
}

/// The backends move and compare bits; they never read a key as a number.
template <class Key>
const BitsOf<Key>* bits_of(std::span<const Key> keys) {
  return reinterpret_cast<const BitsOf<Key>*>(keys.data());
}
template <class Key>
BitsOf<Key>* bits_of(std::span<Key> keys) {
  return reinterpret_cast<BitsOf<Key>*>(keys.data());
}

template <class Key, class Value>
void take_options(const char* call, const SortOptions& options, SortTask<BitsOf<Key>, Value>& task) {
  constexpr int kBits = sizeof(Key) * 8;
  task.order = order_of<Key>(options.descending);
  task.first_bit = options.first_bit;
  task.last_bit = options.last_bit == 0 ? kBits : options.last_bit;
  SCANLENS_REQUIRE(0 <= task.first_bit && task.first_bit < task.last_bit && task.last_bit <= kBits,
                   fmt::format("{}: bits {} to {} are not a range within the {} of a key", call,
                               options.first_bit, options.last_bit, kBits));
}

template <class Key>
SortTask<BitsOf<Key>, NoValue> sort_task(const char* call, std::span<const Key> in, std::span<Key> out,
                                         const SortOptions& options) {
  require_same_length(call, {"in", in}, {"out", out});
  require_apart_or_same(call, {"in", in}, {"out", out});
  SortTask<BitsOf<Key>, NoValue> task{};
  task.keys_in = bits_of(in);
  task.keys_out = bits_of(out);
  task.count = static_cast<std::int64_t>(in.size());
  take_options<Key>(call, options, task);
  return task;
}

template <class Key, class Value>
SortTask<BitsOf<Key>, Value> sort_task(const char* call, std::span<const Key> keys_in,
                                       std::span<const Value> values_in, std::span<Key> keys_out,
                                       std::span<Value> values_out, const SortOptions& options) {
  const ArrayArgument in{"keys_in", keys_in}, out{"keys_out", keys_out};
  const ArrayArgument with_in{"values_in", values_in}, with_out{"values_out", values_out};
  require_same_length(call, in, out);
  require_same_length(call, in, with_in);
  require_same_length(call, in, with_out);
  require_apart_or_same(call, in, out);
  require_apart_or_same(call, with_in, with_out);
  require_apart(call, in, with_out);
  require_apart(call, with_in, out);
  require_apart(call, out, with_out);
  SortTask<BitsOf<Key>, Value> task{};
  task.keys_in = bits_of(keys_in);
  task.values_in = values_in.data();
  task.keys_out = bits_of(keys_out);
  task.values_out = values_out.data();
  task.count = static_cast<std::int64_t>(keys_in.size());
  take_options<Key>(call, options, task);
  return task;
}

#define SCANLENS_FOR_EACH_SORTED_KEY(X) \
  X(std::uint32_t) X(std::int32_t) X(float) X(std::uint64_t) X(std::int64_t) X(double)
#define SCANLENS_FOR_EACH_NARROW_KEY(X) \
  X(std::uint8_t) X(std::int8_t) X(std::uint16_t) X(std::int16_t) X(Half) X(BFloat16)

}  // namespace scanlens
