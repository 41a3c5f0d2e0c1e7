#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"
#include "core/sat/checks.h"
#include "core/sat/classic_backends.h"
#include "core/sat_classic.h"
#include "core/scan_axis.h"
#include "core/transpose.h"

namespace scanlens {

template <class T, class Sum>
requires ClassicTableInLibrary<T, Sum>
void classic_summed_area_table(Context& context, View<const T> image, View<Sum> table, const Terms& terms) {
  const char* call = "classic_summed_area_table";
  const SatTask<T, Sum> task = sat_task<T, Sum>(call, image, table, nullptr, terms, 1, false);
  SCANLENS_REQUIRE(table.channels == task.channels && !terms.packed,
                   fmt::format("{}: planar and packed tables are not supported", call));
  if (table.empty()) return;

  // Channel c lies in rows c * height .. of `planes`, and its transpose in rows c * width .. of `columns`.
  const std::int64_t width = image.width, height = image.height, channels = table.channels;
  Workspace workspace(context);
  const View<Sum> planes(workspace.take<Sum>(width * height * channels), width, height * channels);
  const View<Sum> columns(workspace.take<Sum>(width * height * channels), height, width * channels);

  if (!image.empty()) SCANLENS_DISPATCH(context, deinterleave, image, planes, terms);
  inclusive_scan_rows<Sum>(context, planes, planes);
  for (std::int64_t c = 0; c < channels; ++c)
    transpose<Sum>(context, planes.region(0, c * height, width, height),
                   columns.region(0, c * width, height, width));
  inclusive_scan_rows<Sum>(context, columns, columns);
  SCANLENS_DISPATCH(context, interleave_transposed, View<const Sum>(columns), table);
}

std::int64_t classic_summed_area_table_workspace(std::int64_t width, std::int64_t height, int channels,
                                                 int sum_bytes) {
  return 2 * width * height * channels * sum_bytes;
}

#define SCANLENS_INSTANTIATE(T)                                                                        \
  template void classic_summed_area_table(Context&, View<const T>, View<std::uint32_t>, const Terms&); \
  template void classic_summed_area_table(Context&, View<const T>, View<std::uint64_t>, const Terms&);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
