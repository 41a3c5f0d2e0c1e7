// Running extremes with their places: the call and the CPU.
#include "core/arg_scan.h"

#include "core/lines/backends.h"
#include "core/lines/cpu.h"
#include "core/lines/elements.h"
#include "core/rows/checked.h"
#include "core/runtime/dispatch.h"
#include "core/scan/checks.h"

namespace scanlens {

template <class T>
void compiled::arg_scan(Context& context, const char* call, bool greatest, std::span<const T> in,
                        std::span<T> values, std::span<std::int64_t> indices, const Axis& axis, Ties ties,
                        const ScanOptions<T>& options) {
  require_scannable(call, {"in", in}, {"values", values});
  require_same_length(call, {"in", in}, {"indices", indices});
  require_apart(call, {"in", in}, {"indices", indices});
  require_apart(call, {"values", values}, {"indices", indices});
  SCANLENS_REQUIRE(!options.initial && !options.initial_at && !options.length,
                   fmt::format("{}: `reverse` is the only option; leave out all others", call));
  require_axis(call, axis, std::ssize(in));
  ScanForm<T> form{};
  form.reverse = options.reverse;
  if (in.empty()) return;
  const bool first = ties == Ties::first;
  const ExtremeElements<T> lines{in.data(), values.data(), indices.data(), axis.length, form};
  if constexpr (sizeof(T) <= 4)
    if (axis.length <= 0xFFFFFFFF) {
      const RankedElements<T> elements{lines, greatest, first, Max{}};
      SCANLENS_DISPATCH(context, scan_lines, elements, axis);
      return;
    }
  const ChosenElements<T> elements{lines, Choose{greatest, first}};
  SCANLENS_DISPATCH(context, scan_lines, elements, axis);
}

#define SCANLENS_INSTANTIATE(T)                                                                   \
  template void compiled::arg_scan(Context&, const char*, bool, std::span<const T>, std::span<T>, \
                                   std::span<std::int64_t>, const Axis&, Ties, const ScanOptions<T>&);
SCANLENS_ARG_SCANNED_TYPES(SCANLENS_INSTANTIATE)

}  // namespace scanlens
