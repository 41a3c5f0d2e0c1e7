#include "core/segments.h"

#include <algorithm>
#include <bit>

#include "core/compact/checks.h"
#include "core/held/compactions.h"
#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"
#include "core/scan/checks.h"
#include "core/segments/backends.h"

namespace scanlens {
namespace {

using Marks = std::span<std::uint8_t>;

Marks take_marks(Workspace& workspace, std::int64_t n) {
  return {workspace.take<std::uint8_t>(n), static_cast<std::size_t>(n)};
}

/// Offsets of at least one boundary, apart from what is written.
void require_offsets(const char* call, std::span<const std::int64_t> offsets, const ArrayArgument& out) {
  SCANLENS_REQUIRE(!offsets.empty(),
                   fmt::format("{}: `offsets` is empty; give one more than segments", call));
  require_apart(call, {"offsets", offsets}, out);
}

/// Keys and values of the same length, and room for as many, all apart.
template <class Key, class T>
void require_pairs(const char* call, std::span<const Key> keys, std::span<const T> in,
                   std::span<Key> keys_out, std::span<T> out, std::uint64_t* count) {
  require_same_length(call, {"keys", keys}, {"in", in});
  require_compactable(call, {"keys", keys}, {"keys_out", keys_out}, count);
  require_compactable(call, {"in", in}, {"out", out}, count);
  require_apart(call, {"keys", keys}, {"out", out});
  require_apart(call, {"in", in}, {"keys_out", keys_out});
  require_apart(call, {"keys_out", keys_out}, {"out", out});
}

}  // namespace

void check_offsets(std::span<const std::int64_t> offsets, std::int64_t length) {
  const auto require = [&](bool holds, std::size_t k, const char* what) {
    SCANLENS_REQUIRE(holds,
                     fmt::format("`offsets`[{}] is {}, but has to be {}; give where each segment begins, "
                                 "and the length {} last",
                                 k, offsets[k], what, length));
  };
  SCANLENS_REQUIRE(!offsets.empty(), "`offsets` is empty; give one more than segments");
  require(offsets[0] == 0, 0, "0");
  for (std::size_t k = 1; k < offsets.size(); ++k)
    require(offsets[k] >= offsets[k - 1], k, "at least the one before");
  require(offsets.back() == length, offsets.size() - 1, "the length");
}

template <class Key, class T, class Op>
void compiled::scan_by_key(Context& context, const char* call, bool inclusive, std::span<const Key> keys,
                           std::span<const T> in, std::span<T> out, Op op, const ScanOptions<T>& options) {
  require_scannable(call, {"in", in}, {"keys", keys}, {"out", out});
  require_options(call, options, {"out", out}, Refused::reverse);
  const std::int64_t n = std::ssize(in);
  if (n == 0) return;
  Workspace workspace(context);
  const Marks heads = take_marks(workspace, n);
  SCANLENS_DISPATCH(context, mark_heads, keys.data(), n, heads.data());
  segmented_scan<T, Op>(context, call, inclusive, in, heads, out, op, options);
}

template <class T, class Op>
void compiled::scan_segments(Context& context, const char* call, bool inclusive, std::span<const T> in,
                             std::span<const std::int64_t> offsets, std::span<T> out, Op op,
                             const ScanOptions<T>& options) {
  require_scannable(call, {"in", in}, {"out", out});
  require_offsets(call, offsets, {"out", out});
  require_options(call, options, {"out", out}, Refused::reverse);
  require_options(call, options, {"out", out}, Refused::length);
  const std::int64_t n = std::ssize(in);
  if (n == 0) return;
  Workspace workspace(context);
  const Marks heads = take_marks(workspace, n);
  SCANLENS_DISPATCH(context, mark_offsets, offsets.data(), std::ssize(offsets) - 1, n, heads.data());
  segmented_scan<T, Op>(context, call, inclusive, in, heads, out, op, options);
}

template <class T, class Op>
void compiled::reduce_segments(Context& context, std::span<const T> in, std::span<const std::int64_t> offsets,
                               std::span<T> out, Op op) {
  const char* call = "reduce_segments";
  require_offsets(call, offsets, {"out", out});
  require_same_length(call, {"offsets", offsets.subspan(1)}, {"out", out});
  require_apart(call, {"in", in}, {"out", out});
  if (out.empty()) return;
  Workspace workspace(context);
  const std::span<T> scanned(workspace.take<T>(std::ssize(in)), in.size());
  scan_segments<T, Op>(context, call, true, in, offsets, scanned, op, {});
  using Bits = UnsignedOf<sizeof(T)>;
  SCANLENS_DISPATCH(context, take_totals, elements_as<Bits>(scanned).data(), offsets.data(), std::ssize(out),
                    std::ssize(in), std::bit_cast<Bits>(Op::template identity<T>()),
                    elements_as<Bits>(out).data());
}

template <class Key, class T, class Op>
void compiled::reduce_by_key(Context& context, std::span<const Key> keys, std::span<const T> in,
                             std::span<Key> keys_out, std::span<T> out, std::uint64_t* count, Op op) {
  const char* call = "reduce_by_key";
  require_pairs(call, keys, in, keys_out, out, count);
  const std::int64_t n = std::ssize(in);
  Workspace workspace(context);
  const Marks marks = take_marks(workspace, n);
  const std::span<T> scanned(workspace.take<T>(n), in.size());
  if (n > 0) {
    SCANLENS_DISPATCH(context, mark_heads, keys.data(), n, marks.data());
    segmented_scan<T, Op>(context, call, true, in, marks, scanned, op, {});
    SCANLENS_DISPATCH(context, mark_ends, keys.data(), n, marks.data());
  }
  using Bits = UnsignedOf<sizeof(T)>;
  compiled::compact_flagged<Bits>(context, elements_as<Bits>(std::span<const T>(scanned)), marks,
                                  elements_as<Bits>(out), count);
  compiled::compact_flagged<Key>(context, keys, marks, keys_out, count);
}

template <class Key>
void compiled::run_lengths(Context& context, std::span<const Key> in, std::span<Key> values_out,
                           std::span<std::int64_t> lengths_out, std::uint64_t* count) {
  const char* call = "run_lengths";
  require_compactable(call, {"in", in}, {"values_out", values_out}, count);
  require_compactable(call, {"in", in}, {"lengths_out", lengths_out}, count);
  require_apart(call, {"values_out", values_out}, {"lengths_out", lengths_out});
  const std::int64_t n = std::ssize(in);
  Workspace workspace(context);
  const Marks ends = take_marks(workspace, n);
  const std::span<std::uint64_t> numbers(workspace.take<std::uint64_t>(n), in.size()),
      last(workspace.take<std::uint64_t>(n), in.size());
  if (n > 0) {
    SCANLENS_DISPATCH(context, mark_ends, in.data(), n, ends.data());
    SCANLENS_DISPATCH(context, number_elements, n, std::uint64_t{1}, numbers.data());
  }
  compiled::compact_flagged<Key>(context, in, ends, values_out, count);
  if (n == 0) return;
  compiled::compact_flagged<std::uint64_t>(context, std::span<const std::uint64_t>(numbers), ends, last,
                                           count);
  SCANLENS_DISPATCH(context, take_lengths, last.data(), count, n, lengths_out.data());
}

template <class Key>
void compiled::run_starts(Context& context, std::span<const Key> in, std::span<std::uint64_t> starts_out,
                          std::uint64_t* count) {
  require_compactable("run_starts", {"in", in}, {"starts_out", starts_out}, count);
  const std::int64_t n = std::ssize(in);
  Workspace workspace(context);
  const Marks heads = take_marks(workspace, n);
  const std::span<std::uint64_t> numbers(workspace.take<std::uint64_t>(n), in.size());
  if (n > 0) {
    SCANLENS_DISPATCH(context, mark_heads, in.data(), n, heads.data());
    SCANLENS_DISPATCH(context, number_elements, n, std::uint64_t{0}, numbers.data());
  }
  compiled::compact_flagged<std::uint64_t>(context, numbers, heads, starts_out, count);
}

template <class Key, class T>
void compiled::unique_by_key(Context& context, std::span<const Key> keys, std::span<const T> in,
                             std::span<Key> keys_out, std::span<T> out, std::uint64_t* count) {
  require_pairs("unique_by_key", keys, in, keys_out, out, count);
  const std::int64_t n = std::ssize(in);
  Workspace workspace(context);
  const Marks heads = take_marks(workspace, n);
  if (n > 0) SCANLENS_DISPATCH(context, mark_heads, keys.data(), n, heads.data());
  compiled::compact_flagged<T>(context, in, heads, out, count);
  compiled::compact_flagged<Key>(context, keys, heads, keys_out, count);
}

template <class Key>
void compiled::sort_segments(Context& context, std::span<const Key> in, std::span<const std::int64_t> offsets,
                             std::span<Key> out, bool descending) {
  const char* call = "sort_segments";
  require_offsets(call, offsets, {"out", out});
  require_same_length(call, {"in", in}, {"out", out});
  require_apart_or_same(call, {"in", in}, {"out", out});
  const std::int64_t n = std::ssize(in), segments = std::ssize(offsets) - 1;
  if (n == 0) return;
  using Bits = UnsignedOf<sizeof(Key)>;
  Workspace workspace(context);
  const Marks heads = take_marks(workspace, n);
  SCANLENS_REQUIRE(std::min(segments, n) <= UINT32_MAX,
                   "sort_segments: takes fewer than 2^32 segments; sort parts of the array");
  const std::span<std::uint32_t> number(workspace.take<std::uint32_t>(n), in.size());
  const std::span<Key> sorted(workspace.take<Key>(n), in.size());
  // The segment of each element goes with the sorted keys, which then go back to their segments in this
  // order.
  SCANLENS_DISPATCH(context, mark_offsets, offsets.data(), segments, n, heads.data());
  scan<std::uint8_t, std::uint32_t, Sum>(context, call, true, heads, number, Sum(), {});
  sort_pairs<Key, std::uint32_t>(context, in, number, sorted, number, {.descending = descending});
  sort_pairs<std::uint32_t, Bits>(
      context, number, elements_as<Bits>(std::span<const Key>(sorted)), number, elements_as<Bits>(out),
      {.last_bit =
           std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::min(segments, n)))))});
}

#define SCANLENS_INSTANTIATE_KEYED(Key, T, Op)                                                               \
  template void compiled::scan_by_key(Context&, const char*, bool, std::span<const Key>, std::span<const T>, \
                                      std::span<T>, Op, const ScanOptions<T>&);                              \
  template void compiled::reduce_by_key(Context&, std::span<const Key>, std::span<const T>, std::span<Key>,  \
                                        std::span<T>, std::uint64_t*, Op);
#define SCANLENS_INSTANTIATE(name, In, T, Op)                                                          \
  SCANLENS_INSTANTIATE_KEYED(std::uint32_t, T, Op)                                                     \
  SCANLENS_INSTANTIATE_KEYED(std::uint64_t, T, Op)                                                     \
  template void compiled::scan_segments(Context&, const char*, bool, std::span<const T>,               \
                                        std::span<const std::int64_t>, std::span<T>, Op,               \
                                        const ScanOptions<T>&);                                        \
  template void compiled::reduce_segments(Context&, std::span<const T>, std::span<const std::int64_t>, \
                                          std::span<T>, Op);
SCANLENS_SEGMENTED_SCANS(SCANLENS_INSTANTIATE)

template void compiled::run_lengths(Context&, std::span<const std::uint32_t>, std::span<std::uint32_t>,
                                    std::span<std::int64_t>, std::uint64_t*);
template void compiled::run_lengths(Context&, std::span<const std::uint64_t>, std::span<std::uint64_t>,
                                    std::span<std::int64_t>, std::uint64_t*);

#define SCANLENS_INSTANTIATE_RUNS(Key)                                                         \
  template void compiled::run_starts(Context&, std::span<const Key>, std::span<std::uint64_t>, \
                                     std::uint64_t*);                                          \
  SCANLENS_INSTANTIATE_UNIQUE(Key, std::uint8_t)                                               \
  SCANLENS_INSTANTIATE_UNIQUE(Key, std::uint16_t)                                              \
  SCANLENS_INSTANTIATE_UNIQUE(Key, std::uint32_t)                                              \
  SCANLENS_INSTANTIATE_UNIQUE(Key, std::uint64_t)
#define SCANLENS_INSTANTIATE_UNIQUE(Key, T)                                                                 \
  template void compiled::unique_by_key(Context&, std::span<const Key>, std::span<const T>, std::span<Key>, \
                                        std::span<T>, std::uint64_t*);
SCANLENS_INSTANTIATE_RUNS(std::uint32_t)
SCANLENS_INSTANTIATE_RUNS(std::uint64_t)
#define SCANLENS_INSTANTIATE_SORT(Key)                                                                 \
  template void compiled::sort_segments(Context&, std::span<const Key>, std::span<const std::int64_t>, \
                                        std::span<Key>, bool);
SCANLENS_INSTANTIATE_SORT(std::int32_t)
SCANLENS_INSTANTIATE_SORT(std::uint32_t)
SCANLENS_INSTANTIATE_SORT(std::int64_t)
SCANLENS_INSTANTIATE_SORT(std::uint64_t)
SCANLENS_INSTANTIATE_SORT(float)
SCANLENS_INSTANTIATE_SORT(double)

}  // namespace scanlens
