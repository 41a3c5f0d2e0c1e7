// sort_axis and top_k of core/sort.h.
#include "core/sort/lines.h"

#include <algorithm>
#include <bit>

#include "core/rows/checked.h"
#include "core/runtime/dispatch.h"
#include "core/segments/backends.h"
#include "core/sort.h"
#include "core/sort/cpu.h"
#include "core/sort/lines_cpu.h"
#include "core/strided.h"

namespace scanlens {
namespace {

template <class T>
std::span<T> take(Workspace& workspace, std::int64_t n) {
  return {workspace.take<T>(n), static_cast<std::size_t>(n)};
}

}  // namespace

template <class Key>
void sort_lines_by_pairs(Context& context, const LinesToSort<Key>& task) {
  const auto [outer, length, inner] = task.axis;
  const std::int64_t lines = task.lines(), k = task.k, n = std::ssize(task.in);
  Workspace workspace(context);
  std::span<const Key> dense = task.in;  // line by line
  if (inner > 1) {
    const std::span<Key> packed = take<Key>(workspace, n);
    pack(context, Strided<const Key>{task.in.data(), 3, {outer, inner, length}, {length * inner, 1, inner}},
         packed);
    dense = packed;
  }
  const auto numbers = take<std::uint64_t>(workspace, n), order = take<std::uint64_t>(workspace, n);
  const std::span<Key> sorted = take<Key>(workspace, n);
  SCANLENS_DISPATCH(context, number_elements, n, std::uint64_t{0}, numbers.data());
  sort_pairs(context, dense, numbers, sorted, order, {.descending = task.descending});
  if (lines > 1) {
    // The number of each element's line, from the lower half of the numbers 0 … lines - 1.
    const auto line = take<std::uint32_t>(workspace, n), by_key = take<std::uint32_t>(workspace, n);
    const auto* const halves = reinterpret_cast<const std::uint32_t*>(numbers.data());
    pack(context, Strided<const std::uint32_t>{halves, 2, {lines, length}, {2, 0}}, line);
    gather(context, line, order, by_key);
    const int bits = std::bit_width(static_cast<std::uint64_t>(lines - 1));
    sort_pairs(context, by_key, order, by_key, order, {.last_bit = std::max(1, bits)});
  }
  const auto firsts = take<std::uint64_t>(workspace, lines * k);
  pack(context, Strided<const std::uint64_t>{order.data(), 2, {lines, k}, {length, 1}}, firsts);
  const auto put = [&]<class T>(std::span<const T> from, std::span<T> to) {
    const std::span<T> found = take<T>(workspace, lines * k);
    gather(context, from, firsts, found);
    pack(context, Strided<const T>{found.data(), 3, {outer, k, inner}, {k * inner, 1, k}}, to);
  };
  put(dense, task.out);
  if (task.places.empty()) return;
  const auto along = take<std::int64_t>(workspace, n);
  pack(context,
       Strided<const std::int64_t>{
           reinterpret_cast<const std::int64_t*>(numbers.data()), 2, {lines, length}, {0, 1}},
       along);
  put(std::span<const std::int64_t>(along), task.places);
}

template <class Key>
void compiled::sort_lines(Context& context, const char* call, std::span<const Key> in, const Axis& axis,
                          std::int64_t k, bool descending, std::span<Key> out,
                          std::span<std::int64_t> places) {
  require_axis(call, axis, std::ssize(in));
  SCANLENS_REQUIRE(0 <= k && k <= axis.length,
                   fmt::format("{}: {} elements of each line of {} were asked for; give `k` of 0 to {}", call,
                               k, axis.length, axis.length));
  require_axis(call, Axis{axis.outer, k, axis.inner}, std::ssize(out), "out");
  if (!places.empty()) require_same_length(call, {"out", out}, {"places", places});
  if (k == axis.length)
    require_apart_or_same(call, {"in", in}, {"out", out});
  else
    require_apart(call, {"in", in}, {"out", out});
  require_apart(call, {"in", in}, {"places", places});
  require_apart(call, {"out", out}, {"places", places});
  if (out.empty()) return;
  SCANLENS_REQUIRE(!context.on_cuda() || axis.outer * axis.inner <= UINT32_MAX,
                   fmt::format("{}: takes fewer than 2^32 lines on CUDA; sort parts of the array", call));
  const LinesToSort<Key> task{in, axis, k, descending, out, places};
  if (context.on_cuda())
    sort_lines_by_pairs(context, task);
  else
    cpu::sort_lines(context, task);
}

#define SCANLENS_INSTANTIATE(Key)                                                                            \
  template void sort_lines_by_pairs(Context&, const LinesToSort<Key>&);                                      \
  template void compiled::sort_lines(Context&, const char*, std::span<const Key>, const Axis&, std::int64_t, \
                                     bool, std::span<Key>, std::span<std::int64_t>);
SCANLENS_FOR_EACH_SORTED_KEY(SCANLENS_INSTANTIATE)
SCANLENS_FOR_EACH_NARROW_KEY(SCANLENS_INSTANTIATE)

}  // namespace scanlens
