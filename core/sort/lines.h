// Sorts of lines along an axis, for the checked public functions.
#pragma once

#include <cstdint>
#include <span>

#include "core/array.h"
#include "core/context.h"

namespace scanlens {

/// The first `k` of each line go to `out`, where the same axis has k elements, and their places to `places`,
/// unless it is empty.
template <class Key>
struct LinesToSort {
  std::span<const Key> in;
  Axis axis;
  std::int64_t k;
  bool descending;
  std::span<Key> out;
  std::span<std::int64_t> places;

  std::int64_t lines() const { return axis.outer * axis.inner; }
};

/// Two sorts of all elements: by key, then by line. Either backend can; CUDA does.
template <class Key>
void sort_lines_by_pairs(Context& context, const LinesToSort<Key>& task);

namespace cpu {
template <class Key>
void sort_lines(Context& context, const LinesToSort<Key>& task);
}

}  // namespace scanlens
