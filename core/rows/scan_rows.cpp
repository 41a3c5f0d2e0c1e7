#include "core/scan_rows.h"

#include "core/rows/backends.h"
#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"

namespace scanlens {
namespace {

template <class T>
bool same_view(const View<const T>& in, const View<T>& out) {
  return in.data == out.data && (in.pitch == out.pitch || in.height <= 1);
}

template <class T>
void check(const char* call, const View<const T>& in, const View<T>& out) {
  require_valid(in, call, "in");
  require_valid(out, call, "out");
  SCANLENS_REQUIRE(in.channels == 1 && out.channels == 1,
                   fmt::format("{}: the views must have one channel", call));
  SCANLENS_REQUIRE(same_size(in, out),
                   fmt::format("{}: `in` is {} but `out` is {}", call, shape(in), shape(out)));
  SCANLENS_REQUIRE(same_view(in, out) || !overlap(in, out),
                   fmt::format("{}: `in` and `out` overlap without being the same view", call));
}

}  // namespace

template <class T, class Op>
void compiled::scan_rows(Context& context, View<const T> in, View<T> out, Op op) {
  check("scan_rows", in, out);
  if (in.empty()) return;
  SCANLENS_DISPATCH(context, scan_rows, in, out, op);
}

template <class T, class Op>
void compiled::scan_columns(Context& context, View<const T> in, View<T> out, std::int64_t images, Op op) {
  check("scan_columns", in, out);
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

#define SCANLENS_INSTANTIATE(T, Op)                                        \
  static_assert(kRowScanInLibrary<T, Op>);                                 \
  template void compiled::scan_rows(Context&, View<const T>, View<T>, Op); \
  template void compiled::scan_columns(Context&, View<const T>, View<T>, std::int64_t, Op);
SCANLENS_FOR_EACH_ROW_SCAN(SCANLENS_INSTANTIATE)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
