// Scans by LogSumExp: the calls and the CPU.
#include "core/lines/backends.h"
#include "core/lines/cpu.h"
#include "core/lines/elements.h"
#include "core/lines/log_sum.h"
#include "core/log_sum_exp.h"
#include "core/rows/checked.h"
#include "core/runtime/dispatch.h"
#include "core/scan/checks.h"
#include "core/scan/cpu.h"

namespace scanlens {

#define SCANLENS_DEFINE(name, In, Out, Op)                                                                   \
  template <>                                                                                                \
  void compiled::scan(Context& context, const char* call, bool inclusive, std::span<const In> in,            \
                      std::span<Out> out, Op op, const ScanOptions<Out>& options) {                          \
    require_scannable(call, {"in", in}, {"out", out});                                                       \
    require_options(call, options, {"out", out});                                                            \
    const std::int64_t n = std::ssize(in);                                                                   \
    if (n > 0)                                                                                               \
      SCANLENS_DISPATCH(context, scan, in.data(), out.data(), n, scan_form<Op>(inclusive, options), op);     \
  }                                                                                                          \
  template <>                                                                                                \
  void compiled::scan_axis(Context& context, const char* call, bool inclusive, std::span<const In> in,       \
                           std::span<Out> out, const Axis& axis, Op op, const ScanOptions<Out>& options) {   \
    require_options(call, options, {"out", out}, Refused::length);                                           \
    require_axis(call, axis, std::ssize(in));                                                                \
    if (axis.outer == 1 && axis.inner == 1) return scan(context, call, inclusive, in, out, op, options);     \
    require_scannable(call, {"in", in}, {"out", out});                                                       \
    const PlainElements<In, Out, Op> elements{in.data(), out.data(), scan_form<Op>(inclusive, options), op}; \
    if (!in.empty()) SCANLENS_DISPATCH(context, scan_lines, elements, axis);                                 \
  }
SCANLENS_LOG_SCANS(SCANLENS_DEFINE)

}  // namespace scanlens
