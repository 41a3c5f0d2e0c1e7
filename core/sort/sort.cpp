#include "core/sort.h"

#include <limits>
#include <type_traits>

#include "core/runtime/array_checks.h"
#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"
#include "core/sort/backends.h"

namespace scanlens {
namespace {

template <class Key>
using BitsOf = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;

/// See KeyOrder. Two's complement sorts as unsigned once the sign bit is flipped; of a negative float, which
/// is a sign and a magnitude, all other bits as well.
template <class Key>
KeyOrder<BitsOf<Key>> order_of(bool descending) {
  using Bits = BitsOf<Key>;
  constexpr Bits kSign = Bits{1} << KeyOrder<Bits>::kSignBit;
  KeyOrder<Bits> order;
  if (std::is_floating_point_v<Key>) order.negative = static_cast<Bits>(~kSign);
  if (std::is_signed_v<Key>) order.flip = kSign;
  if (descending) order.flip = static_cast<Bits>(~order.flip);
  return order;
}

template <class Key, class Value>
void sort(const char* call, Context& context, SortTask<BitsOf<Key>, Value> task, const SortOptions& options) {
  constexpr int kBits = sizeof(Key) * 8;
  task.order = order_of<Key>(options.descending);
  task.first_bit = options.first_bit;
  task.last_bit = options.last_bit == 0 ? kBits : options.last_bit;
  SCANLENS_REQUIRE(0 <= task.first_bit && task.first_bit < task.last_bit && task.last_bit <= kBits,
                   fmt::format("{}: bits {} to {} are no range within the {} of a key", call,
                               options.first_bit, options.last_bit, kBits));
  const bool readable = options.algorithm == SortAlgorithm::split_merge;
  SCANLENS_REQUIRE(!readable || task.count <= kMostSplitMerge,
                   fmt::format("{}: split_merge takes up to 2^30 elements, not {}", call, task.count));
  if (task.count == 0) return;
  if (readable)
    SCANLENS_DISPATCH(context, split_merge_sort, task);
  else
    SCANLENS_DISPATCH(context, radix_sort, task);
}

/// The backends move and compare bits, and look at no key as the number that it is.
template <class Key>
const BitsOf<Key>* bits_of(std::span<const Key> keys) {
  return reinterpret_cast<const BitsOf<Key>*>(keys.data());
}
template <class Key>
BitsOf<Key>* bits_of(std::span<Key> keys) {
  return reinterpret_cast<BitsOf<Key>*>(keys.data());
}

}  // namespace

template <class Key>
void compiled::sort_keys(Context& context, std::span<const Key> in, std::span<Key> out,
                         const SortOptions& options) {
  constexpr const char* kCall = "sort_keys";
  require_same_length(kCall, {"in", in}, {"out", out});
  require_apart_or_same(kCall, {"in", in}, {"out", out});
  SortTask<BitsOf<Key>, NoValue> task{};
  task.keys_in = bits_of(in);
  task.keys_out = bits_of(out);
  task.count = static_cast<std::int64_t>(in.size());
  sort<Key>(kCall, context, task, options);
}

template <class Key, class Value>
void compiled::sort_pairs(Context& context, std::span<const Key> keys_in, std::span<const Value> values_in,
                          std::span<Key> keys_out, std::span<Value> values_out, const SortOptions& options) {
  constexpr const char* kCall = "sort_pairs";
  const ArrayArgument in{"keys_in", keys_in}, out{"keys_out", keys_out};
  const ArrayArgument with_in{"values_in", values_in}, with_out{"values_out", values_out};
  require_same_length(kCall, in, out);
  require_same_length(kCall, in, with_in);
  require_same_length(kCall, in, with_out);
  require_apart_or_same(kCall, in, out);
  require_apart_or_same(kCall, with_in, with_out);
  require_apart(kCall, in, with_out);
  require_apart(kCall, with_in, out);
  require_apart(kCall, out, with_out);
  SortTask<BitsOf<Key>, Value> task{};
  task.keys_in = bits_of(keys_in);
  task.values_in = values_in.data();
  task.keys_out = bits_of(keys_out);
  task.values_out = values_out.data();
  task.count = static_cast<std::int64_t>(keys_in.size());
  sort<Key>(kCall, context, task, options);
}

#define SCANLENS_INSTANTIATE_KEY(Key)                                                                    \
  template void compiled::sort_keys(Context&, std::span<const Key>, std::span<Key>, const SortOptions&); \
  template void compiled::sort_pairs(Context&, std::span<const Key>, std::span<const std::uint32_t>,     \
                                     std::span<Key>, std::span<std::uint32_t>, const SortOptions&);      \
  template void compiled::sort_pairs(Context&, std::span<const Key>, std::span<const std::uint64_t>,     \
                                     std::span<Key>, std::span<std::uint64_t>, const SortOptions&);
SCANLENS_INSTANTIATE_KEY(std::uint32_t)
SCANLENS_INSTANTIATE_KEY(std::int32_t)
SCANLENS_INSTANTIATE_KEY(float)
SCANLENS_INSTANTIATE_KEY(std::uint64_t)

}  // namespace scanlens
