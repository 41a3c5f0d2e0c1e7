#include "core/scan_rows.h"

#include "core/checks.h"
#include "core/dispatch.h"
#include "core/rows_backends.h"

namespace scanlens {

template <class T>
void scan_rows(Context& context, View<const T> in, View<T> out) {
  require_valid(in, "scan_rows", "in");
  require_valid(out, "scan_rows", "out");
  require(in.channels == 1 && out.channels == 1, "scan_rows: the views must have one channel");
  require(same_size(in, out), fmt::format("scan_rows: `in` is {} but `out` is {}", shape(in), shape(out)));
  const bool in_place = in.data == out.data && in.pitch == out.pitch;
  require(in_place || !overlap(in, out), "scan_rows: `in` and `out` overlap without being the same view");
  if (in.empty()) return;
  SCANLENS_DISPATCH(context, scan_rows, in, out);
}

template void scan_rows(Context&, View<const std::uint32_t>, View<std::uint32_t>);
template void scan_rows(Context&, View<const std::uint64_t>, View<std::uint64_t>);

}  // namespace scanlens
