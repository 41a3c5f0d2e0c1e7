#include "core/scan.h"

#include "core/runtime/dispatch.h"
#include "core/scan/checks.h"
#include "core/scan/cpu.h"

namespace scanlens {

template <class In, class Out, class Op>
void compiled::inclusive_scan(Context& context, std::span<const In> in, std::span<Out> out, Op op) {
  require_scannable("inclusive_scan", {"in", in}, {"out", out});
  const auto n = static_cast<std::int64_t>(in.size());
  if (n > 0) SCANLENS_DISPATCH(context, scan, in.data(), out.data(), n, true, op);
}

template <class In, class Out, class Op>
void compiled::exclusive_scan(Context& context, std::span<const In> in, std::span<Out> out, Op op) {
  require_scannable("exclusive_scan", {"in", in}, {"out", out});
  const auto n = static_cast<std::int64_t>(in.size());
  if (n > 0) SCANLENS_DISPATCH(context, scan, in.data(), out.data(), n, false, op);
}

template <class T, class Op>
void compiled::segmented_inclusive_scan(Context& context, std::span<const T> in,
                                        std::span<const std::uint8_t> heads, std::span<T> out, Op op) {
  require_scannable("segmented_inclusive_scan", {"in", in}, {"heads", heads}, {"out", out});
  const auto n = static_cast<std::int64_t>(in.size());
  if (n > 0) SCANLENS_DISPATCH(context, segmented_scan, in.data(), heads.data(), out.data(), n, true, op);
}

template <class T, class Op>
void compiled::segmented_exclusive_scan(Context& context, std::span<const T> in,
                                        std::span<const std::uint8_t> heads, std::span<T> out, Op op) {
  require_scannable("segmented_exclusive_scan", {"in", in}, {"heads", heads}, {"out", out});
  const auto n = static_cast<std::int64_t>(in.size());
  if (n > 0) SCANLENS_DISPATCH(context, segmented_scan, in.data(), heads.data(), out.data(), n, false, op);
}

#define SCANLENS_INSTANTIATE(name, In, Out, Op)                                              \
  template void compiled::inclusive_scan(Context&, std::span<const In>, std::span<Out>, Op); \
  template void compiled::exclusive_scan(Context&, std::span<const In>, std::span<Out>, Op);
SCANLENS_SCANS(SCANLENS_INSTANTIATE)
#define SCANLENS_INSTANTIATE_SEGMENTED(name, In, T, Op)                                              \
  template void compiled::segmented_inclusive_scan(Context&, std::span<const T>,                     \
                                                   std::span<const std::uint8_t>, std::span<T>, Op); \
  template void compiled::segmented_exclusive_scan(Context&, std::span<const T>,                     \
                                                   std::span<const std::uint8_t>, std::span<T>, Op);
SCANLENS_SEGMENTED_SCANS(SCANLENS_INSTANTIATE_SEGMENTED)

}  // namespace scanlens
