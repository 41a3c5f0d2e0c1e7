#include <algorithm>

#include "core/sat.h"
#include "filters/box/floats.h"
#include "filters/parts/for_each_pixel.h"

namespace scanlens {
namespace {

struct Mean {
  View<const double> table;
  int radius;
  int first;
  View<float> out;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const Box box =
        clipped_box(x, first + y, radius, static_cast<int>(table.width), static_cast<int>(table.height));
    for (int c = 0; c < out.channels; ++c)
      out(x, y, c) = static_cast<float>(box_mean(table, box.x0, box.y0, box.x1, box.y1, c));
  }
};

}  // namespace

void box_of_floats(Context& context, std::int64_t radius, const BandTask<float>& task) {
  const View<const float>& rows = task.rows;
  Workspace workspace(context);
  const View<double> table(workspace.take<double>(rows.width * rows.height * rows.channels), rows.width,
                           rows.height, rows.channels);
  summed_area_table(context, rows, table);
  for_each_pixel(context, task.out.width, task.out.height,
                 Mean{table, static_cast<int>(std::min(radius, std::max(rows.width, rows.height))),
                      static_cast<int>(task.first), task.out});
}

std::int64_t box_of_floats_bytes(const RowFormat& rows) {
  return rows.width * rows.height * rows.channels * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace scanlens
