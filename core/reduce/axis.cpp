#include "core/reduce/axis.h"

#include <algorithm>

#include "core/reduce/axis_columns.h"
#include "core/reduce/cpu.h"

namespace scanlens::cpu {
namespace {

/// Calls fold(in, length, line) for each line, whose elements lie side by side: long lines one after the
/// other, by all threads each, and short ones side by side.
template <class In, class Fold>
void for_each_line(const In* in, const Axis& axis, const Fold& fold) {
  const std::int64_t together =
      std::max<std::int64_t>(1, kFoldChunk / std::max<std::int64_t>(1, axis.length));
  const auto some = [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t o = first; o < end; ++o) fold(in + o * axis.length, axis.length, o);
  };
  if (axis.length > kFoldChunk) return some(0, axis.outer);
  for_each_index((axis.outer + together - 1) / together,
                 [&](std::int64_t k) { some(k * together, std::min(axis.outer, (k + 1) * together)); });
}

/// Columns cut into strips, and the axis into parts, so that there is work for many threads. All cuts depend
/// on the shape alone.
struct Cuts {
  static constexpr std::int64_t kWidth = 2048, kLeastRows = 64;
  Axis axis;
  std::int64_t strips, rows, parts;

  explicit Cuts(const Axis& whole) : axis(whole), strips((whole.inner + kWidth - 1) / kWidth) {
    rows = std::max(kLeastRows, kFoldChunk / std::min(kWidth, whole.inner));
    parts = std::max<std::int64_t>(1, (whole.length + rows - 1) / rows);
  }
  std::int64_t results() const { return axis.outer * axis.inner; }

  /// Calls work(rows, place) for each part of each strip: its results go to `place`, after those of all
  /// earlier parts.
  template <class T, class Work>
  void for_each(const T* in, const Work& work) const {
    for_each_index(axis.outer * parts * strips, [&](std::int64_t number) {
      const std::int64_t strip = number % strips, part = number / strips % parts, o = number / strips / parts;
      const std::int64_t x = strip * kWidth, first = part * rows;
      const Rows<T> mine{in + (o * axis.length + first) * axis.inner + x, axis.inner,
                         std::min(rows, axis.length - first), std::min(kWidth, axis.inner - x), first};
      work(mine, (part * axis.outer + o) * axis.inner + x);
    });
  }
};

template <class Out, class State>
Out result_of(const State& state) {
  if constexpr (std::is_same_v<State, CompensatedSum>)
    return state.rounded();
  else if constexpr (std::is_same_v<Out, Half> || std::is_same_v<Out, BFloat16>)
    return Out(static_cast<float>(state));
  else
    return static_cast<Out>(state);
}

template <class In, class Out, class Op>
void reduce_columns(Context& context, const In* in, const Cuts& cuts, Out* out, Op op) {
  using State = StateOf<In, Out, Op>;
  State start{};
  if constexpr (!std::is_same_v<State, CompensatedSum>) start = Op::template identity<State>();
  Workspace workspace(context);
  auto* const partials = cuts.parts > 1 ? workspace.take<State>(cuts.results() * cuts.parts) : nullptr;
  cuts.for_each(in, [&](const auto& rows, std::int64_t place) {
    alignas(64) std::byte room[Cuts::kWidth * sizeof(State)];
    State* const mine = partials ? partials + place : reinterpret_cast<State*>(room);
    std::fill_n(mine, rows.width, start);
    take_rows(rows, mine, op);
    if (!partials) std::transform(mine, mine + rows.width, out + place, result_of<Out, State>);
  });
  if (!partials) return;
  for_each_index((cuts.results() + Cuts::kWidth - 1) / Cuts::kWidth, [&](std::int64_t strip) {
    for (std::int64_t i = strip * Cuts::kWidth; i < std::min(cuts.results(), (strip + 1) * Cuts::kWidth);
         ++i) {
      State all = partials[i];
      for (std::int64_t part = 1; part < cuts.parts; ++part)
        if constexpr (std::is_same_v<State, CompensatedSum>)
          all.add(partials[part * cuts.results() + i]);
        else
          all = op(all, partials[part * cuts.results() + i]);
      out[i] = result_of<Out>(all);
    }
  });
}

}  // namespace

template <class In, class Out, class Op>
void reduce_axis(Context& context, const In* in, const Axis& axis, Out* out, Op op) {
  if (axis.outer * axis.inner == 0) return;
  if (axis.inner > 1) return reduce_columns(context, in, Cuts(axis), out, op);
  for_each_line(in, axis, [&](const In* line, std::int64_t length, std::int64_t o) {
    fold_elements(context, std::span(line, static_cast<std::size_t>(length)), make_fold<In, Out>(op),
                  out + o);
  });
}

template <class T, bool kLeast>
void locate_axis(Context& context, const T* in, const Axis& axis, std::int64_t* places) {
  const std::int64_t results = axis.outer * axis.inner;
  if (results == 0) return;
  if (axis.inner == 1)
    return for_each_line(in, axis, [&](const T* line, std::int64_t length, std::int64_t o) {
      Located<T> found;
      fold_array(context, ArraySource<T>{line}, length, PlaceFold<T, kLeast>{{}, line}, &found);
      places[o] = static_cast<std::int64_t>(found.index);
    });
  const Cuts cuts(axis);
  Workspace workspace(context);
  auto* const best = workspace.take<T>(results * cuts.parts);
  auto* const at = workspace.take<std::int64_t>(results * cuts.parts);
  cuts.for_each(in, [&](Rows<T> rows, std::int64_t state) {
    std::copy_n(rows.data, rows.width, best + state);
    std::fill_n(at + state, rows.width, rows.first);
    place_rows<T, kLeast>(rows, best + state, at + state);
  });
  for (std::int64_t part = 1; part < cuts.parts; ++part)
    for (std::int64_t i = 0; i < results; ++i) {
      const std::int64_t later = part * results + i;
      if (!LocateFold<T, kLeast>::better(best[later], best[i])) continue;
      best[i] = best[later];
      at[i] = at[later];
    }
  std::copy_n(at, results, places);
}

#define SCANLENS_INSTANTIATE(In, Out, Op) \
  template void reduce_axis(Context&, const In*, const Axis&, Out*, Op);
SCANLENS_AXIS_REDUCTIONS(SCANLENS_INSTANTIATE)
#define SCANLENS_INSTANTIATE_LOCATE(T, name)                                          \
  template void locate_axis<T, true>(Context&, const T*, const Axis&, std::int64_t*); \
  template void locate_axis<T, false>(Context&, const T*, const Axis&, std::int64_t*);
SCANLENS_FOR_EACH_EXTREME(SCANLENS_INSTANTIATE_LOCATE)

}  // namespace scanlens::cpu
