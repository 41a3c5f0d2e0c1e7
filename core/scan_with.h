// The scans of core/scan.h for operators and types of your own. Included from a .cu file they serve both
// backends, from a .cpp file the CPU alone.
#pragma once

#include "core/runtime/dispatch_own.h"
#include "core/scan.h"
#include "core/scan/backends.h"
#include "core/scan/checks.h"
#include "core/scan/cpu.h"
#if defined(__CUDACC__)
#include "core/scan/cuda.cuh"
#include "core/scan/segmented.cuh"
#endif

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

/// Types and operators that the library does not hold compiled. core/scan.h serves all others.
template <class In, class Out, class Op>
concept OwnScan =
    ScanOperator<Op, CombinedIn<Out>> && std::is_trivially_copyable_v<In> && !ScanInLibrary<In, Out, Op>;
template <class T, class Op>
concept OwnSegmentedScan = ScanOperator<Op, T> && !SegmentedScanInLibrary<T, Op>;

/// As in core/scan.h, for any ScanOperator (core/operators.h). It may hold values of its own, and must not
/// throw. Each element becomes an Out by static_cast before it is combined.
template <class In, class Out, class Op = Sum>
requires OwnScan<In, Out, Op>
void inclusive_scan(Context& context, std::span<const In> in, std::span<Out> out, Op op = {},
                    const ScanOptions<Out>& options = {}) {
  require_scannable("inclusive_scan", {"in", in}, {"out", out});
  require_options("inclusive_scan", options, {"out", out});
  const auto n = static_cast<std::int64_t>(in.size());
  if (n > 0)
    SCANLENS_DISPATCH_OWN("inclusive_scan", context, scan, in.data(), out.data(), n,
                          scan_form<Op>(true, options), op);
}

template <class In, class Out, class Op = Sum>
requires OwnScan<In, Out, Op>
void exclusive_scan(Context& context, std::span<const In> in, std::span<Out> out, Op op = {},
                    const ScanOptions<Out>& options = {}) {
  require_scannable("exclusive_scan", {"in", in}, {"out", out});
  require_options("exclusive_scan", options, {"out", out});
  const auto n = static_cast<std::int64_t>(in.size());
  if (n > 0)
    SCANLENS_DISPATCH_OWN("exclusive_scan", context, scan, in.data(), out.data(), n,
                          scan_form<Op>(false, options), op);
}

template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
requires OwnScan<ElementOf<In>, ElementOf<Out>, Op>
void inclusive_scan(Context& context, const In& in, Out&& out, Op op = {},
                    const ScanOptions<ElementOf<Out>>& options = {}) {
  inclusive_scan<ElementOf<In>, ElementOf<Out>, Op>(context, in, out, op, options);
}
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
requires OwnScan<ElementOf<In>, ElementOf<Out>, Op>
void exclusive_scan(Context& context, const In& in, Out&& out, Op op = {},
                    const ScanOptions<ElementOf<Out>>& options = {}) {
  exclusive_scan<ElementOf<In>, ElementOf<Out>, Op>(context, in, out, op, options);
}

template <class T, class Op = Sum>
requires OwnSegmentedScan<T, Op>
void segmented_inclusive_scan(Context& context, std::span<const T> in, std::span<const std::uint8_t> heads,
                              std::span<T> out, Op op = {}, const ScanOptions<T>& options = {}) {
  require_scannable("segmented_inclusive_scan", {"in", in}, {"heads", heads}, {"out", out});
  require_options("segmented_inclusive_scan", options, {"out", out}, Refused::reverse);
  const auto n = static_cast<std::int64_t>(in.size());
  if (n > 0)
    SCANLENS_DISPATCH_OWN("segmented_inclusive_scan", context, segmented_scan, in.data(), heads.data(),
                          out.data(), n, scan_form<Op>(true, options), op);
}

template <class T, class Op = Sum>
requires OwnSegmentedScan<T, Op>
void segmented_exclusive_scan(Context& context, std::span<const T> in, std::span<const std::uint8_t> heads,
                              std::span<T> out, Op op = {}, const ScanOptions<T>& options = {}) {
  require_scannable("segmented_exclusive_scan", {"in", in}, {"heads", heads}, {"out", out});
  require_options("segmented_exclusive_scan", options, {"out", out}, Refused::reverse);
  const auto n = static_cast<std::int64_t>(in.size());
  if (n > 0)
    SCANLENS_DISPATCH_OWN("segmented_exclusive_scan", context, segmented_scan, in.data(), heads.data(),
                          out.data(), n, scan_form<Op>(false, options), op);
}

template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
requires OwnSegmentedScan<ElementOf<In>, Op>
void segmented_inclusive_scan(Context& context, const In& in, std::span<const std::uint8_t> heads, Out&& out,
                              Op op = {}, const ScanOptions<ElementOf<Out>>& options = {}) {
  segmented_inclusive_scan<ElementOf<In>, Op>(context, in, heads, out, op, options);
}
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
requires OwnSegmentedScan<ElementOf<In>, Op>
void segmented_exclusive_scan(Context& context, const In& in, std::span<const std::uint8_t> heads, Out&& out,
                              Op op = {}, const ScanOptions<ElementOf<Out>>& options = {}) {
  segmented_exclusive_scan<ElementOf<In>, Op>(context, in, heads, out, op, options);
}

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
