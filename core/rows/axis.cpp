// Scans along an axis: the call and the CPU.
#include "core/rows/checked.h"

namespace scanlens {
namespace cpu {

template <class In, class Out, class Op>
void scan_axis(Context& context, const In* in, Out* out, const Axis& axis, const ScanForm<Out>& form, Op op) {
  if (axis.inner > 1)
    return scan_columns(context, View<const In>(in, axis.inner, axis.outer * axis.length),
                        View<Out>(out, axis.inner, axis.outer * axis.length), axis.outer, form, op);
  scan_each_row(context, View<const In>(in, axis.length, axis.outer), View<Out>(out, axis.length, axis.outer),
                form, op);
}

}  // namespace cpu

template <class In, class Out, class Op>
void compiled::scan_axis(Context& context, const char* call, bool inclusive, std::span<const In> in,
                         std::span<Out> out, const Axis& axis, Op op, const ScanOptions<Out>& options) {
  require_scannable(call, {"in", in}, {"out", out});
  require_options(call, options, {"out", out}, Refused::length);
  require_axis(call, axis, std::ssize(in));
  if (!in.empty())
    SCANLENS_DISPATCH(context, scan_axis, in.data(), out.data(), axis, scan_form<Op>(inclusive, options), op);
}

#define SCANLENS_INSTANTIATE(name, In, Out, Op)                                                       \
  template void compiled::scan_axis(Context&, const char*, bool, std::span<const In>, std::span<Out>, \
                                    const Axis&, Op, const ScanOptions<Out>&);
SCANLENS_AXIS_SCANS(SCANLENS_INSTANTIATE)

}  // namespace scanlens
