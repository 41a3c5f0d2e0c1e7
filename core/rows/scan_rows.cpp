#include "core/scan_rows.h"

#include "core/rows/checked.h"

namespace scanlens {

template <class T, class Op>
void compiled::scan_columns(Context& context, View<const T> in, View<T> out, std::int64_t images, Op op) {
  require_rows("scan_columns", in, out);
  SCANLENS_REQUIRE(
      images >= 1 && in.height % images == 0,
      fmt::format("scan_columns: {} rows are not {} images of the same height", in.height, images));
  if (in.empty()) return;
  if (in.width == 1 && in.pitch == 1 && out.pitch == 1) {  // each image is a row
    const std::int64_t length = in.height / images;
    compiled::scan_rows<T, Op>(context, View<const T>(in.data, length, images),
                               View<T>(out.data, length, images), op);
    return;
  }
  SCANLENS_DISPATCH(context, scan_columns, in, out, images, op);
}

#define SCANLENS_INSTANTIATE_COLUMNS(T, Op) \
  template void compiled::scan_columns(Context&, View<const T>, View<T>, std::int64_t, Op);
SCANLENS_ROW_SCANS(SCANLENS_INSTANTIATE_COLUMNS)
SCANLENS_FLOAT_ROW_SCANS(SCANLENS_INSTANTIATE_ROWS)

}  // namespace scanlens
