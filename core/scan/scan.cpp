#include "core/held/scans.h"
#include "core/runtime/dispatch.h"
#include "core/scan/checks.h"
#include "core/scan/cpu.h"

namespace scanlens {

template <class In, class Out, class Op>
void compiled::scan(Context& context, const char* call, bool inclusive, std::span<const In> in,
                    std::span<Out> out, Op op, const ScanOptions<Out>& options) {
  require_scannable(call, {"in", in}, {"out", out});
  require_options(call, options, {"out", out});
  const auto n = static_cast<std::int64_t>(in.size());
  if (n > 0)
    SCANLENS_DISPATCH(context, scan, in.data(), out.data(), n, scan_form<Op>(inclusive, options), op);
}

template <class T, class Op>
void compiled::segmented_scan(Context& context, const char* call, bool inclusive, std::span<const T> in,
                              std::span<const std::uint8_t> heads, std::span<T> out, Op op,
                              const ScanOptions<T>& options) {
  require_scannable(call, {"in", in}, {"heads", heads}, {"out", out});
  require_options(call, options, {"out", out}, Refused::reverse);
  const auto n = static_cast<std::int64_t>(in.size());
  if (n > 0)
    SCANLENS_DISPATCH(context, segmented_scan, in.data(), heads.data(), out.data(), n,
                      scan_form<Op>(inclusive, options), op);
}

#define SCANLENS_INSTANTIATE(name, In, Out, Op)                                                      \
  template void compiled::scan(Context&, const char*, bool, std::span<const In>, std::span<Out>, Op, \
                               const ScanOptions<Out>&);
SCANLENS_SCANS(SCANLENS_INSTANTIATE)
#define SCANLENS_INSTANTIATE_SEGMENTED(name, In, T, Op)                                   \
  template void compiled::segmented_scan(Context&, const char*, bool, std::span<const T>, \
                                         std::span<const std::uint8_t>, std::span<T>, Op, \
                                         const ScanOptions<T>&);
SCANLENS_SEGMENTED_SCANS(SCANLENS_INSTANTIATE_SEGMENTED)

}  // namespace scanlens
