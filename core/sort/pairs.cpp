#include "core/runtime/dispatch.h"
#include "core/sort.h"
#include "core/sort/checks.h"
#include "core/sort/cpu.h"

namespace scanlens {

template <class Key, class Value>
void compiled::sort_pairs(Context& context, std::span<const Key> keys_in, std::span<const Value> values_in,
                          std::span<Key> keys_out, std::span<Value> values_out, const SortOptions& options) {
  const auto task = sort_task("sort_pairs", keys_in, values_in, keys_out, values_out, options);
  if (task.count > 0) SCANLENS_DISPATCH(context, radix_sort, task);
}

#define SCANLENS_INSTANTIATE_PAIRS(Key)                                                              \
  template void compiled::sort_pairs(Context&, std::span<const Key>, std::span<const std::uint32_t>, \
                                     std::span<Key>, std::span<std::uint32_t>, const SortOptions&);  \
  template void compiled::sort_pairs(Context&, std::span<const Key>, std::span<const std::uint64_t>, \
                                     std::span<Key>, std::span<std::uint64_t>, const SortOptions&);
SCANLENS_FOR_EACH_SORTED_KEY(SCANLENS_INSTANTIATE_PAIRS)

namespace cpu {
SCANLENS_INSTANTIATE_PAIR_SORTS(radix_sort)
}

}  // namespace scanlens
