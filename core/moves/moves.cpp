// The calls of gather, scatter, differences, searches and merges, and the steps on the CPU.
#include "core/moves/moves.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "core/cpu/interruption.h"
#include "core/runtime/array_checks.h"
#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"
#include "core/segments.h"
#include "core/sort.h"

namespace scanlens {
namespace cpu {

template <class Step>
void for_each_step(Context&, std::int64_t count, Step step) {
  constexpr std::int64_t kGrain = 1 << 12;
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, count, kGrain), [=](const auto& range) {
    Interruption::poll();
    for (std::int64_t i = range.begin(); i < range.end(); ++i) step(i);
  });
}

}  // namespace cpu

template <class Unit, class Index>
void compiled::gather(Context& context, std::span<const Unit> in, std::span<const Index> places,
                      std::span<Unit> out) {
  require_same_length("gather", {"places", places}, {"out", out});
  require_same_length("gather", {"in", in}, {"in", in});
  require_apart("gather", {"in", in}, {"out", out});
  require_apart("gather", {"places", places}, {"out", out});
  if (!out.empty())
    SCANLENS_DISPATCH(context, for_each_step, std::ssize(out),
                      GatherStep<Unit, Index>{in.data(), places.data(), out.data(), in.size()});
}

template <class Unit, class Index>
void compiled::scatter(Context& context, std::span<const Unit> in, std::span<const Index> places,
                       std::span<Unit> out) {
  require_same_length("scatter", {"in", in}, {"places", places});
  require_same_length("scatter", {"out", out}, {"out", out});
  require_apart("scatter", {"in", in}, {"out", out});
  require_apart("scatter", {"places", places}, {"out", out});
  if (!in.empty())
    SCANLENS_DISPATCH(context, for_each_step, std::ssize(in),
                      ScatterStep<Unit, Index>{in.data(), places.data(), out.data(), out.size()});
}

template <class T>
void compiled::adjacent_difference(Context& context, std::span<const T> in, std::span<T> out) {
  require_same_length("adjacent_difference", {"in", in}, {"out", out});
  require_apart("adjacent_difference", {"in", in}, {"out", out});
  if (!in.empty())
    SCANLENS_DISPATCH(context, for_each_step, std::ssize(in), DifferenceStep<T>{in.data(), out.data()});
}

template <class T>
void compiled::find_places(Context& context, const char* call, bool upper, std::span<const T> sorted,
                           std::span<const T> values, std::span<std::int64_t> places) {
  require_same_length(call, {"values", values}, {"places", places});
  require_same_length(call, {"sorted", sorted}, {"sorted", sorted});
  require_apart(call, {"sorted", sorted}, {"places", places});
  require_apart(call, {"values", values}, {"places", places});
  const std::int64_t n = std::ssize(sorted), count = std::ssize(values);
  if (count == 0) return;
  if (upper)
    SCANLENS_DISPATCH(context, for_each_step, count,
                      SearchStep<true, T>{sorted.data(), n, values.data(), places.data()});
  else
    SCANLENS_DISPATCH(context, for_each_step, count,
                      SearchStep<false, T>{sorted.data(), n, values.data(), places.data()});
}

template <class T>
void compiled::merge_keys(Context& context, std::span<const T> a, std::span<const T> b, std::span<T> out) {
  require_same_length("merge_keys", {"a", a}, {"a", a});
  require_same_length("merge_keys", {"b", b}, {"b", b});
  require_same_length("merge_keys", {"out", out}, {"out", out});
  SCANLENS_REQUIRE(out.size() == a.size() + b.size(),
                   fmt::format("merge_keys: `out` has {} elements, but `a` and `b` have {} together",
                               out.size(), a.size() + b.size()));
  require_apart("merge_keys", {"a", a}, {"out", out});
  require_apart("merge_keys", {"b", b}, {"out", out});
  if (!out.empty())
    SCANLENS_DISPATCH(context, for_each_step,
                      (std::ssize(out) + MergeStep<T>::kMerged - 1) / MergeStep<T>::kMerged,
                      MergeStep<T>{a.data(), std::ssize(a), b.data(), std::ssize(b), out.data()});
}

#define SCANLENS_INSTANTIATE_MOVES(Index, ...)                                                    \
  template void compiled::gather(Context&, std::span<const __VA_ARGS__>, std::span<const Index>,  \
                                 std::span<__VA_ARGS__>);                                         \
  template void compiled::scatter(Context&, std::span<const __VA_ARGS__>, std::span<const Index>, \
                                  std::span<__VA_ARGS__>);
#define SCANLENS_INSTANTIATE_UNIT(...)                   \
  SCANLENS_INSTANTIATE_MOVES(std::uint32_t, __VA_ARGS__) \
  SCANLENS_INSTANTIATE_MOVES(std::uint64_t, __VA_ARGS__)
SCANLENS_MOVED_UNITS(SCANLENS_INSTANTIATE_UNIT)
#define SCANLENS_INSTANTIATE_SEARCH(T)                                                                     \
  template void compiled::find_places(Context&, const char*, bool, std::span<const T>, std::span<const T>, \
                                      std::span<std::int64_t>);                                            \
  template void compiled::merge_keys(Context&, std::span<const T>, std::span<const T>, std::span<T>);
SCANLENS_INSTANTIATE_SEARCH(std::int32_t)
SCANLENS_INSTANTIATE_SEARCH(std::uint32_t)
SCANLENS_INSTANTIATE_SEARCH(std::int64_t)
SCANLENS_INSTANTIATE_SEARCH(std::uint64_t)
SCANLENS_INSTANTIATE_SEARCH(float)
SCANLENS_INSTANTIATE_SEARCH(double)
template void compiled::adjacent_difference(Context&, std::span<const std::uint32_t>,
                                            std::span<std::uint32_t>);
template void compiled::adjacent_difference(Context&, std::span<const std::uint64_t>,
                                            std::span<std::uint64_t>);
template void compiled::adjacent_difference(Context&, std::span<const float>, std::span<float>);
template void compiled::adjacent_difference(Context&, std::span<const double>, std::span<double>);

}  // namespace scanlens
