// Summed-area tables of slabs: each rank totals the columns of its slab, all get the totals, and each goes on
// from the sum of those above.
#include "core/sat.h"

#include "core/ranks/group.h"
#include "core/ranks/sat_backends.h"
#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"
#include "core/sat/checks.h"
#include "core/sat/terms.h"

namespace scanlens {
namespace cpu {

template <class T, class S>
void column_totals(Context&, const SatTask<T, S>& task, S* totals) {
  const int in = task.image.channels;
  std::fill_n(totals, row_sums(task), S{0});
  for (std::int64_t y = 0; y < task.height; ++y)
    for (std::int64_t x = 0; x < task.image.width; ++x)
      for (int c = 0; c < task.channels; ++c)
        totals[x * task.channels + c] += term<S>(task.image.row(y) + x * in, in, c, task.terms);
}

template <class T, class S>
void first_row(Context&, const SatTask<T, S>& task, const S* totals, int above) {
  for (int c = 0; c < task.channels; ++c) {
    if (task.zeros_left) task.table.at(0, -1, -1, c) = 0;
    S sum = 0;
    for (std::int64_t x = 0; x < task.image.width; ++x) {
      for (int rank = 0; rank < above; ++rank) sum += totals[rank * row_sums(task) + x * task.channels + c];
      task.table.at(0, x, -1, c) = sum;
    }
  }
}

}  // namespace cpu

template <class T, class S>
requires TableInLibrary<T, S>
void summed_area_table(Ranks& ranks, std::span<const View<const T>> slabs, std::span<const View<S>> tables,
                       const Terms& terms) {
  constexpr const char* kCall = "summed_area_table";
  Ranks::Impl& impl = ranks.impl();
  require_parts(impl, kCall, slabs.size(), "slabs");
  require_parts(impl, kCall, tables.size(), "tables");
  std::vector<SatTask<T, S>> tasks;
  std::vector<std::uint64_t> widths;
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    tasks.push_back(sat_task<T, S>(kCall, slabs[i], tables[i], nullptr, terms, 1, true));
    require_held(kCall, tasks[i]);
    SCANLENS_REQUIRE(row_sums(tasks[i]) == row_sums(tasks[0]) && slabs[i].channels == slabs[0].channels,
                     fmt::format("{}: slabs are {} and {} large; cut one image by rows", kCall,
                                 shape(slabs[0]), shape(slabs[i])));
    widths.push_back(static_cast<std::uint64_t>(row_sums(tasks[i]) * 8 + slabs[i].channels));
  }
  require_agreement(impl, kCall, names_of_types<T, S>(), widths);
  const std::int64_t sums = row_sums(tasks[0]);
  if (sums == 0) return;

  Scratch scratch(impl);
  Gathered<S> totals(impl, scratch, sums);
  for (int i = 0; i < impl.local() && impl.count > 1; ++i)
    SCANLENS_DISPATCH(impl.context(i), column_totals, tasks[static_cast<std::size_t>(i)], totals.mine(i));
  totals.gather();
  for (int i = 0; i < impl.local(); ++i) {
    const auto part = static_cast<std::size_t>(i);
    SCANLENS_DISPATCH(impl.context(i), first_row, tasks[part], totals.all(i), impl.first + i);
    continue_summed_area_table<T, S>(impl.context(i), slabs[part], tables[part], terms);
  }
}

#define SCANLENS_INSTANTIATE(T, S, ...)                                                                   \
  template void summed_area_table<T, S>(Ranks&, std::span<const View<const T>>, std::span<const View<S>>, \
                                        const Terms&);
SCANLENS_FOR_EACH_TABLE(SCANLENS_INSTANTIATE)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
