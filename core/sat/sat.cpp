#include "core/sat.h"

#include <algorithm>

#include "core/cpu/pieces.h"
#include "core/runtime/count.h"
#include "core/runtime/dispatch.h"
#include "core/sat/checks.h"
#include "core/sat/limits.h"
#include "core/sat/plan.h"

namespace scanlens {
namespace {

template <class T, class S>
void make(Context& context, const SatTask<T, S>& task) {
  if (!counts(context)) {
    SCANLENS_DISPATCH(context, summed_area_table, task);
    return;
  }
  const int sum_bytes = sizeof(S) + (task.squares.origin ? sizeof(SquareSum<S>) : 0);
  // Each thread makes one of many images, or a band of a high one.
  const std::int64_t height = std::max(task.height, task.images * kLeastCpuBand);
  Workspace(context).take<std::byte>(
      summed_area_table_workspace(task.image.width, height, task.channels, sum_bytes));
}

}  // namespace

template <class T, class S>
requires TableInLibrary<T, S>
void summed_area_table(Context& context, View<const T> image, View<S> table, const Terms& terms,
                       std::int64_t images) {
  const SatTask<T, S> task = sat_task<T, S>("summed_area_table", image, table, nullptr, terms, images, false);
  require_held("summed_area_table", task);
  if (!table.empty()) make(context, task);
}

template <class T, class S>
requires TableInLibrary<T, S> && SquaresInLibrary<T, S>
void summed_area_tables(Context& context, View<const T> image, View<S> table, View<SquareSum<S>> squares,
                        const Terms& terms, std::int64_t images) {
  const SatTask<T, S> task =
      sat_task<T, S>("summed_area_tables", image, table, &squares, terms, images, false);
  require_held("summed_area_tables", task);
  if (!table.empty()) make(context, task);
}

template <class T, class S>
requires TableInLibrary<T, S>
void continue_summed_area_table(Context& context, View<const T> band, View<S> table, const Terms& terms) {
  const SatTask<T, S> task =
      sat_task<T, S>("continue_summed_area_table", band, table, nullptr, terms, 1, true);
  require_held("continue_summed_area_table", task);
  if (band.height > 0 && !table.empty()) make(context, task);
}

template <class T, class S>
TablePlan summed_area_table_plan(const Context& context, View<const T> image, View<S> table,
                                 const Terms& terms, std::int64_t images) requires TableInLibrary<T, S> {
  const SatTask<T, S> task =
      sat_task<T, S>("summed_area_table_plan", image, table, nullptr, terms, images, false);
  require_held("summed_area_table_plan", task);
  if (!context.on_cuda()) return TablePlan::bands;
  return sat_plan(features_of(task), gpu::traits_of(context)).schedule;
}

std::int64_t summed_area_table_workspace(std::int64_t width, std::int64_t height, int channels,
                                         int sum_bytes) {
  // On CUDA what tiles tell each other: for each row and column of a tile a word of 16 bytes, which holds one
  // sum of 64 bits or three of 32. From compute capability 9.0 on tiles are between 64 x 16 and 128 x 128.
  // Or what stripes do, or resident tiles. On the CPU two rows of sums a thread.
  const auto tiles = [&](std::int64_t tile_width, std::int64_t tile_height) {
    return ((width + tile_width - 1) / tile_width) * ((height + tile_height - 1) / tile_height);
  };
  const auto sums = [&](std::int64_t tile_width, std::int64_t tile_height) {
    return tiles(tile_width, tile_height) * (tile_width + tile_height + 2) * channels;
  };
  const std::int64_t by_tiles = (sums(64, 16) + sums(128, 128)) * 16 / (sum_bytes == 4 ? 3 : 1);
  const std::int64_t stripe_count =
      std::min<std::int64_t>(width * channels / stripes::span_values(channels) + 1, stripes::kMost);
  const std::int64_t by_stripes = sum_bytes == 4 ? stripe_count * stripes::kMostWords * 16 : 0;
  const std::int64_t resident = std::min<std::int64_t>(
      tiles(resident_tiles::width(channels), resident_tiles::kLeastHeight), resident_tiles::kMost);
  const std::int64_t by_resident = sum_bytes == 4 ? resident * resident_tiles::most_words(channels) * 16 : 0;
  const std::int64_t on_cuda = std::max({by_tiles, by_stripes, by_resident});
  const std::int64_t on_cpu =
      (2 * cpu::workers_for(height, kLeastCpuBand) + 2) * (width + 64) * channels * sum_bytes;
  constexpr std::int64_t kStep = 1 << 16;
  return std::max(on_cuda, on_cpu) + kStep;
}

#define SCANLENS_INSTANTIATE(T, S, ...)                                                           \
  template void summed_area_table(Context&, View<const T>, View<S>, const Terms&, std::int64_t);  \
  template void continue_summed_area_table(Context&, View<const T>, View<S>, const Terms&);       \
  template TablePlan summed_area_table_plan(const Context&, View<const T>, View<S>, const Terms&, \
                                            std::int64_t);
SCANLENS_FOR_EACH_TABLE(SCANLENS_INSTANTIATE)
#undef SCANLENS_INSTANTIATE
#define SCANLENS_INSTANTIATE_WITH_SQUARES(T, S)                                                        \
  template void summed_area_tables(Context&, View<const T>, View<S>, View<SquareSum<S>>, const Terms&, \
                                   std::int64_t);
SCANLENS_INSTANTIATE_WITH_SQUARES(std::uint8_t, std::uint32_t)
SCANLENS_INSTANTIATE_WITH_SQUARES(std::uint8_t, std::uint64_t)
SCANLENS_INSTANTIATE_WITH_SQUARES(std::uint16_t, std::uint32_t)
SCANLENS_INSTANTIATE_WITH_SQUARES(std::uint16_t, std::uint64_t)
SCANLENS_INSTANTIATE_WITH_SQUARES(float, double)
#undef SCANLENS_INSTANTIATE_WITH_SQUARES

}  // namespace scanlens
