// Scans along an axis on CUDA: which kernels serve it.
#include "core/rows/backends.h"
#include "core/rows/long_axis.cuh"
#include "core/rows/narrow.cuh"
#include "core/scan/backends.h"

namespace scanlens::gpu {

template <class In, class Out, class Op>
void scan_axis(Context& context, const In* in, Out* out, const Axis& axis, const ScanForm<Out>& form, Op op) {
  if (axis.outer == 1 && axis.inner == 1) return scan(context, in, out, axis.length, form, op);
  const int most_rows =
      Narrow<In, Out, Op>::most_rows(static_cast<std::size_t>(traits_of(context).shared_bytes));
  // From 128 bytes of a row on, columns are read well as they lie.
  const bool narrow =
      axis.inner <= kMostNarrowColumns && axis.inner * static_cast<std::int64_t>(sizeof(Out)) <= 128;
  const bool is_short = narrow && fits_narrow_tile(axis, most_rows);
  if (axis.inner == 1 && !is_short)
    scan_in_pipeline(context, View<const In>(in, axis.length, axis.outer),
                     View<Out>(out, axis.length, axis.outer), form, op);
  else if (is_short)
    scan_narrow(context, in, out, axis, form, op);
  else if (narrow)
    scan_long_axis(context, in, out, axis, form, op);
  else
    scan_columns(context, View<const In>(in, axis.inner, axis.outer * axis.length),
                 View<Out>(out, axis.inner, axis.outer * axis.length), axis.outer, form, op);
}

#define SCANLENS_INSTANTIATE(name, In, Out, Op) \
  template void scan_axis(Context&, const In*, Out*, const Axis&, const ScanForm<Out>&, Op);
SCANLENS_AXIS_SCANS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
