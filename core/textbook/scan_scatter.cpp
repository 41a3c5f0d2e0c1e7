#include "core/textbook/scan_scatter.h"

#include <limits>

#include "core/compact/checks.h"
#include "core/error.h"
#include "core/held/compactions.h"
#include "core/runtime/dispatch.h"
#include "core/textbook/backends.h"

namespace scanlens {

template <class T>
void compiled::compact_scan_scatter(Context& context, std::span<const T> in,
                                    std::span<const std::uint8_t> flags, std::span<T> out,
                                    std::uint64_t* count) {
  require_compactable("compact_scan_scatter", {"in", in}, {"out", out}, count);
  require_flags("compact_scan_scatter", {"in", in}, {"flags", flags}, {"out", out}, count);
  if (in.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error(
        ErrorKind::usage,
        "compact_scan_scatter: `in` has more than 2^32 - 1 elements, whose places do not fit 32 bits; use "
        "compact_flagged");
  const auto n = static_cast<std::int64_t>(in.size());
  SCANLENS_DISPATCH(context, compact_scan_scatter, in.data(), flags.data(), out.data(), count, n);
}

#define SCANLENS_INSTANTIATE(name, T)                                                                       \
  template void compiled::compact_scan_scatter(Context&, std::span<const T>, std::span<const std::uint8_t>, \
                                               std::span<T>, std::uint64_t*);
SCANLENS_COMPACTED_BITS(SCANLENS_INSTANTIATE)

}  // namespace scanlens
