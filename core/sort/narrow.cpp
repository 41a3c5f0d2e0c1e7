// Sorts of keys of 8 and 16 bits. The CPU sorts them as they are; CUDA as the upper bits of keys of 32.
#include "core/runtime/dispatch.h"
#include "core/sort.h"
#include "core/sort/checks.h"
#include "core/sort/cpu.h"
#include "core/strided.h"

namespace scanlens {
namespace {

#ifdef SCANLENS_WITH_CUDA
/// A key repeated to 32 bits has the order of the key in its upper bits, floats' too.
template <class Bits, class Value>
void sort_repeated(Context& context, const SortTask<Bits, Value>& task) {
  constexpr std::int64_t kTimes = sizeof(std::uint32_t) / sizeof(Bits);
  constexpr int kAbove = 32 - 8 * static_cast<int>(sizeof(Bits));
  Workspace workspace(context);
  std::uint32_t* const repeated = workspace.take<std::uint32_t>(task.count);
  auto* const parts = reinterpret_cast<Bits*>(repeated);
  const auto n = static_cast<std::size_t>(task.count);
  pack(context, Strided<const Bits>{task.keys_in, 2, {task.count, kTimes}, {1, 0}},
       std::span<Bits>(parts, n * kTimes));
  SortTask<std::uint32_t, Value> wide{};
  wide.keys_in = wide.keys_out = repeated;
  wide.values_in = task.values_in;
  wide.values_out = task.values_out;
  wide.count = task.count;
  wide.order = {std::uint32_t{task.order.negative} << kAbove, std::uint32_t{task.order.flip} << kAbove};
  wide.first_bit = task.first_bit + kAbove;
  wide.last_bit = task.last_bit + kAbove;
  SCANLENS_DISPATCH(context, radix_sort, wide);
  pack(context, Strided<const Bits>{parts, 1, {task.count}, {kTimes}}, std::span<Bits>(task.keys_out, n));
}
#endif

template <class Bits, class Value>
void sort_narrow(Context& context, const SortTask<Bits, Value>& task) {
  if (task.count == 0) return;
#ifdef SCANLENS_WITH_CUDA
  if (context.on_cuda()) return sort_repeated(context, task);
#endif
  cpu::radix_sort(context, task);
}

}  // namespace

template <class Key>
void compiled::sort_narrow_keys(Context& context, std::span<const Key> in, std::span<Key> out,
                                const SortOptions& options) {
  sort_narrow(context, sort_task("sort_keys", in, out, options));
}
template <class Key, class Value>
void compiled::sort_narrow_pairs(Context& context, std::span<const Key> keys_in,
                                 std::span<const Value> values_in, std::span<Key> keys_out,
                                 std::span<Value> values_out, const SortOptions& options) {
  sort_narrow(context, sort_task("sort_pairs", keys_in, values_in, keys_out, values_out, options));
}

#define SCANLENS_INSTANTIATE_PAIRS(Key, Value)                                                      \
  template void compiled::sort_narrow_pairs(Context&, std::span<const Key>, std::span<const Value>, \
                                            std::span<Key>, std::span<Value>, const SortOptions&);
#define SCANLENS_INSTANTIATE(Key)                                                          \
  template void compiled::sort_narrow_keys(Context&, std::span<const Key>, std::span<Key>, \
                                           const SortOptions&);                            \
  SCANLENS_INSTANTIATE_PAIRS(Key, std::uint32_t)                                           \
  SCANLENS_INSTANTIATE_PAIRS(Key, std::uint64_t)
SCANLENS_FOR_EACH_NARROW_KEY(SCANLENS_INSTANTIATE)

}  // namespace scanlens
