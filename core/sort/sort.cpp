#include "core/sort.h"

#include "core/runtime/dispatch.h"
#include "core/sort/checks.h"

namespace scanlens {

template <class Key>
void compiled::sort_keys(Context& context, std::span<const Key> in, std::span<Key> out,
                         const SortOptions& options) {
  const auto task = sort_task("sort_keys", in, out, options);
  if (task.count > 0) SCANLENS_DISPATCH(context, radix_sort, task);
}

template <class Key, class Value>
void compiled::sort_pairs(Context& context, std::span<const Key> keys_in, std::span<const Value> values_in,
                          std::span<Key> keys_out, std::span<Value> values_out, const SortOptions& options) {
  const auto task = sort_task("sort_pairs", keys_in, values_in, keys_out, values_out, options);
  if (task.count > 0) SCANLENS_DISPATCH(context, radix_sort, task);
}

SCANLENS_INSTANTIATE_PUBLIC_SORTS(compiled::sort_keys, compiled::sort_pairs)

}  // namespace scanlens
