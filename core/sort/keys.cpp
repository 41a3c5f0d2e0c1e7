#include "core/runtime/dispatch.h"
#include "core/sort.h"
#include "core/sort/checks.h"
#include "core/sort/cpu.h"

namespace scanlens {

template <class Key>
void compiled::sort_keys(Context& context, std::span<const Key> in, std::span<Key> out,
                         const SortOptions& options) {
  const auto task = sort_task("sort_keys", in, out, options);
  if (task.count > 0) SCANLENS_DISPATCH(context, radix_sort, task);
}

#define SCANLENS_INSTANTIATE(Key) \
  template void compiled::sort_keys(Context&, std::span<const Key>, std::span<Key>, const SortOptions&);
SCANLENS_FOR_EACH_SORTED_KEY(SCANLENS_INSTANTIATE)

namespace cpu {
SCANLENS_INSTANTIATE_KEY_SORTS(radix_sort)
}

}  // namespace scanlens
