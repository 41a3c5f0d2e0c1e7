#include "core/rows/checked.h"
#include "core/scan_axis.h"

namespace scanlens {

template <class T, class Op>
void compiled::scan_columns(Context& context, const char* call, bool inclusive, View<const T> in, View<T> out,
                            std::int64_t images, Op op, const ScanOptions<T>& options) {
  require_rows(call, in, out);
  require_row_options(call, options, out);
  SCANLENS_REQUIRE(images >= 1 && in.height % images == 0,
                   fmt::format("{}: {} rows are not {} images of the same height", call, in.height, images));
  if (in.empty()) return;
  const ScanForm<T> form = scan_form<Op>(inclusive, options);
  if (in.width == 1 && in.pitch == 1 && out.pitch == 1) {  // each image is a row
    const std::int64_t length = in.height / images;
    SCANLENS_DISPATCH(context, scan_rows, View<const T>(in.data, length, images),
                      View<T>(out.data, length, images), form, op);
    return;
  }
  SCANLENS_DISPATCH(context, scan_columns, in, out, images, form, op);
}

#define SCANLENS_INSTANTIATE_COLUMNS(T, Op)                                                               \
  template void compiled::scan_columns(Context&, const char*, bool, View<const T>, View<T>, std::int64_t, \
                                       Op, const ScanOptions<T>&);
SCANLENS_ROW_SCANS(SCANLENS_INSTANTIATE_COLUMNS)
SCANLENS_FLOAT_ROW_SCANS(SCANLENS_INSTANTIATE_ROWS)

}  // namespace scanlens
