// Scans by LogSumExp: the calls and the CPU.
#include "core/lines/backends.h"
#include "core/lines/cpu.h"
#include "core/lines/elements.h"
#include "core/lines/log_sum.h"
#include "core/log_sum_exp.h"
#include "core/rows/checked.h"
#include "core/runtime/dispatch.h"
#include "core/scan/checks.h"

namespace scanlens {
namespace {

template <class T>
void scan_logs(Context& context, const char* call, bool inclusive, std::span<const T> in, std::span<T> out,
               const Axis& axis, const ScanOptions<T>& options) {
  require_scannable(call, {"in", in}, {"out", out});
  require_axis(call, axis, std::ssize(in));
  const LogElements<T> elements{in.data(), out.data(), scan_form<LogSumExp>(inclusive, options), {}};
  if (!in.empty()) SCANLENS_DISPATCH(context, scan_lines, elements, axis);
}

}  // namespace

#define SCANLENS_DEFINE(name, In, Out, Op)                                                              \
  template <>                                                                                           \
  void compiled::scan(Context& context, const char* call, bool inclusive, std::span<const In> in,       \
                      std::span<Out> out, Op, const ScanOptions<Out>& options) {                        \
    require_options(call, options, {"out", out});                                                       \
    scan_logs<Out>(context, call, inclusive, in, out, Axis{1, std::ssize(in), 1}, options);             \
  }                                                                                                     \
  template <>                                                                                           \
  void compiled::scan_axis(Context& context, const char* call, bool inclusive, std::span<const In> in,  \
                           std::span<Out> out, const Axis& axis, Op, const ScanOptions<Out>& options) { \
    require_options(call, options, {"out", out}, Refused::length);                                      \
    scan_logs<Out>(context, call, inclusive, in, out, axis, options);                                   \
  }
SCANLENS_LOG_SCANS(SCANLENS_DEFINE)

}  // namespace scanlens
