// Linear recurrences: the call and the CPU.
#include "core/linear_recurrence.h"
#include "core/lines/backends.h"
#include "core/lines/cpu.h"
#include "core/lines/elements.h"
#include "core/rows/checked.h"
#include "core/runtime/dispatch.h"
#include "core/scan/checks.h"

namespace scanlens {

template <class T>
void compiled::linear_recurrence(Context& context, std::span<const T> a, std::span<const T> b, std::span<T> h,
                                 const Axis& axis, const ScanOptions<T>& options) {
  const char* call = "linear_recurrence";
  require_scannable(call, {"a", a}, {"h", h});
  require_scannable(call, {"b", b}, {"h", h});
  require_options(call, options, {"h", h}, Refused::length);
  require_axis(call, axis, std::ssize(a), "a");
  const RecurrenceElements<T> elements{a.data(), b.data(), h.data(), scan_form<Sum>(true, options),
                                       Compose{}};
  if (!a.empty()) SCANLENS_DISPATCH(context, scan_lines, elements, axis);
}

#define SCANLENS_INSTANTIATE(T)                                                                             \
  template void compiled::linear_recurrence(Context&, std::span<const T>, std::span<const T>, std::span<T>, \
                                            const Axis&, const ScanOptions<T>&);
SCANLENS_RECURRENCE_TYPES(SCANLENS_INSTANTIATE)

}  // namespace scanlens
