// Counts of pixels on the CPU: every thread reads a strip of the picture once and counts in counters of its
// own.
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>

#include "filters/parts/channels.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/statistics/backends.h"
#include "filters/statistics/groups.h"

namespace scanlens::cpu {
namespace {

/// Counts the groups first .. end - 1.
template <class T, int C>
void count_groups(const PixelSources<T>& sources, const Selection& selection, const PixelNotes& notes,
                  std::int64_t first_group, std::int64_t end_group, std::uint64_t* counters) {
  using Group = PixelGroup<T, C>;
  const std::int64_t pixels = sources.image.width * sources.image.height;
  for (std::int64_t k = first_group; k < end_group; ++k) {
    const std::int64_t first = k * Group::kPixels;
    const int count = static_cast<int>(std::min<std::int64_t>(pixels - first, Group::kPixels));
    const Group group(sources, first, count);
    const unsigned chosen = group.chosen(selection);
    note(group, first, count, chosen, notes);
    for (unsigned left = chosen; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      for (int c = 0; c < C; ++c) ++counters[c * kCodes<T> + group.sample(i, c)];
      if constexpr (C > 1) ++counters[C * kCodes<T> + group.luma(i)];
    }
  }
}

}  // namespace

template <class T>
void count_pixels(Context& context, const PixelSources<T>& sources, const Selection& selection,
                  const PixelNotes& notes, std::uint64_t* counts) {
  const std::int64_t pixels = sources.image.width * sources.image.height;
  const std::int64_t groups = groups_of(sources.image);
  const std::int64_t strips = std::clamp<std::int64_t>(pixels / (kPixelsPerCode * kCodes<T>), 1,
                                                       tbb::this_task_arena::max_concurrency());
  const std::int64_t size = count_planes(sources.image.channels) * kCodes<T>;
  Workspace workspace(context);
  auto* const counters = workspace.take<std::uint64_t>(strips * size);
  for_each_rows(strips, [&](std::int64_t strip, std::int64_t end) {
    for (; strip < end; ++strip) {
      std::uint64_t* const own = counters + strip * size;
      std::fill_n(own, size, 0);
      for_channels(sources.image.channels, [&]<int C>(std::integral_constant<int, C>) {
        count_groups<T, C>(sources, selection, notes, groups * strip / strips, groups * (strip + 1) / strips,
                           own);
      });
    }
  });
  std::fill_n(counts, size, 0);
  for (std::int64_t strip = 0; strip < strips; ++strip)
    for (std::int64_t i = 0; i < size; ++i) counts[i] += counters[strip * size + i];
}

SCANLENS_INSTANTIATE_COUNT_PIXELS

}  // namespace scanlens::cpu
