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

namespace {

/// Returns how many elements the array has.
std::int64_t elements_of(const char* call, const Axis& axis) {
  SCANLENS_REQUIRE(axis.outer >= 0 && axis.length >= 0 && axis.inner >= 0,
                   fmt::format("{}: an axis of {} x {} x {} elements is not possible", call, axis.outer,
                               axis.length, axis.inner));
  std::int64_t elements = 0;
  const bool too_many = __builtin_mul_overflow(axis.outer, axis.length, &elements) ||
                        __builtin_mul_overflow(elements, axis.inner, &elements);
  SCANLENS_REQUIRE(!too_many, fmt::format("{}: {} x {} x {} elements are beyond what an address can hold",
                                          call, axis.outer, axis.length, axis.inner));
  return elements;
}

}  // namespace

template <class In, class Out, class Op>
void compiled::scan_axis(Context& context, const char* call, bool inclusive, std::span<const In> in,
                         std::span<Out> out, const Axis& axis, Op op, const ScanOptions<Out>& options) {
  require_scannable(call, {"in", in}, {"out", out});
  require_options(call, options, {"out", out}, Refused::length);
  const std::int64_t elements = elements_of(call, axis);
  SCANLENS_REQUIRE(elements == std::ssize(in),
                   fmt::format("{}: `in` has {} elements, but its axes {} x {} x {}", call, in.size(),
                               axis.outer, axis.length, axis.inner));
  if (elements > 0)
    SCANLENS_DISPATCH(context, scan_axis, in.data(), out.data(), axis, scan_form<Op>(inclusive, options), op);
}

#define SCANLENS_INSTANTIATE(name, In, Out, Op)                                                       \
  template void compiled::scan_axis(Context&, const char*, bool, std::span<const In>, std::span<Out>, \
                                    const Axis&, Op, const ScanOptions<Out>&);
SCANLENS_AXIS_SCANS(SCANLENS_INSTANTIATE)

}  // namespace scanlens
