// The text-book's versions per backend, called only by the checked public functions.
#pragma once

#include <cstdint>
#include <span>

#include "core/context.h"
#include "core/sort/backends.h"
#include "core/sparse.h"

namespace scanlens {

constexpr std::int64_t kMostSplitMerge = std::int64_t{1} << 30;

// The backends declare the same functions.
#define SCANLENS_DECLARE_TEXTBOOK                                                                  \
  template <class T>                                                                               \
  void compact_scan_scatter(Context& context, const T* in, const std::uint8_t* flags, T* out,      \
                            std::uint64_t* count, std::int64_t n);                                 \
  template <class Bits, class Value>                                                               \
  void split_merge_sort(Context& context, const SortTask<Bits, Value>& task);                      \
  template <class T>                                                                               \
  void spmv_by_rows(Context& context, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y, \
                    bool cached);

namespace cpu {
SCANLENS_DECLARE_TEXTBOOK
}
namespace gpu {
SCANLENS_DECLARE_TEXTBOOK
}

#undef SCANLENS_DECLARE_TEXTBOOK

}  // namespace scanlens
