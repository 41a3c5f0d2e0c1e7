#include "core/sat_classic.h"

#include "core/checks.h"
#include "core/dispatch.h"
#include "core/rows_backends.h"
#include "core/scan_rows.h"
#include "core/transpose.h"

namespace scanlens {
namespace {

template <class T, class Sum>
void check(const View<const T>& image, const View<Sum>& table, const Terms& terms) {
  require_valid(image, "classic_summed_area_table", "image");
  require_valid(table, "classic_summed_area_table", "table");
  const bool bordered = table.width == image.width + 1 && table.height == image.height + 1;
  require(
      bordered || same_size(image, table),
      fmt::format(
          "classic_summed_area_table: a table of {} fits neither the image of {} nor one column and row more",
          shape(table), shape(image)));
  const bool counted = image.channels == 1 || image.channels == 3 || image.channels == 4;
  require(counted && (table.channels == image.channels || (image.channels == 3 && table.channels == 4)),
          fmt::format("classic_summed_area_table: {} channels into {} are not supported", image.channels,
                      table.channels));
  require(!terms.weigh_by_alpha || (image.channels == 4 && sizeof(Sum) == 8),
          "classic_summed_area_table: weighing by alpha takes four channels and a table of uint64_t");
  require(!overlap(image, table), "classic_summed_area_table: the views overlap");
}

}  // namespace

template <class T, class Sum>
void classic_summed_area_table(Context& context, View<const T> image, View<Sum> table, const Terms& terms) {
  check(image, table, terms);
  if (table.empty()) return;

  // Channel c lies in rows c * height .. of `planes`, and its transpose in rows c * width .. of `columns`.
  const std::int64_t width = image.width, height = image.height, channels = table.channels;
  Workspace workspace(context);
  const View<Sum> planes(workspace.take<Sum>(width * height * channels), width, height * channels);
  const View<Sum> columns(workspace.take<Sum>(width * height * channels), height, width * channels);

  if (!image.empty()) SCANLENS_DISPATCH(context, deinterleave, image, planes, terms);
  scan_rows<Sum>(context, planes, planes);
  for (std::int64_t c = 0; c < channels; ++c)
    transpose<Sum>(context, planes.region(0, c * height, width, height),
                   columns.region(0, c * width, height, width));
  scan_rows<Sum>(context, columns, columns);
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
