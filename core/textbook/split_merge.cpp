#include "core/runtime/dispatch.h"
#include "core/sort/checks.h"
#include "core/textbook/backends.h"
#include "core/textbook/split_merge_sort.h"

namespace scanlens {
namespace {

template <class Bits, class Value>
void sort(const char* call, Context& context, const SortTask<Bits, Value>& task) {
  SCANLENS_REQUIRE(task.count <= kMostSplitMerge,
                   fmt::format("{}: takes up to 2^30 elements, not {}", call, task.count));
  if (task.count > 0) SCANLENS_DISPATCH(context, split_merge_sort, task);
}

}  // namespace

template <NumberInLibrary Key>
void split_merge_sort_keys(Context& context, std::span<const Key> in, std::span<Key> out,
                           const SortOptions& options) {
  constexpr const char* kCall = "split_merge_sort_keys";
  sort(kCall, context, sort_task(kCall, in, out, options));
}

template <class Key, class Value>
requires NumberInLibrary<Key> && PairSortInLibrary<Key, Value>
void split_merge_sort_pairs(Context& context, std::span<const Key> keys_in, std::span<const Value> values_in,
                            std::span<Key> keys_out, std::span<Value> values_out,
                            const SortOptions& options) {
  constexpr const char* kCall = "split_merge_sort_pairs";
  sort(kCall, context, sort_task(kCall, keys_in, values_in, keys_out, values_out, options));
}

#define SCANLENS_INSTANTIATE(Key) \
  template void split_merge_sort_keys(Context&, std::span<const Key>, std::span<Key>, const SortOptions&);
SCANLENS_FOR_EACH_SORTED_KEY(SCANLENS_INSTANTIATE)
#define SCANLENS_INSTANTIATE_PAIRS(Key)                                                                \
  template void split_merge_sort_pairs(Context&, std::span<const Key>, std::span<const std::uint32_t>, \
                                       std::span<Key>, std::span<std::uint32_t>, const SortOptions&);  \
  template void split_merge_sort_pairs(Context&, std::span<const Key>, std::span<const std::uint64_t>, \
                                       std::span<Key>, std::span<std::uint64_t>, const SortOptions&);
SCANLENS_FOR_EACH_SORTED_KEY(SCANLENS_INSTANTIATE_PAIRS)

}  // namespace scanlens
