// Scans (prefix sums) of one-dimensional arrays.
#pragma once

#include <span>
#include <type_traits>

#include "core/runtime/dispatch_own.h"
#include "core/scan/checks.h"
#include "core/scan/cpu.h"
#include "core/scan_kinds.h"
#if defined(__CUDACC__)
#include "core/scan/cuda.cuh"
#include "core/scan/segmented.cuh"
#endif

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

/// Scans of other kinds than the library holds compiled: they are compiled where they are called.
template <class In, class Out, class Op>
concept OwnScan =
    ScanOperator<Op, CombinedIn<Out>> && std::is_trivially_copyable_v<In> && !ScanInLibrary<In, Out, Op>;
template <class T, class Op>
concept OwnSegmentedScan = ScanOperator<Op, T> && !SegmentedScanInLibrary<T, Op>;

template <class In, class Out, class Op>
void scan_by_kind(const char* call, bool inclusive, Context& context, std::span<const In> in,
                  std::span<Out> out, Op op, const ScanOptions<Out>& options) {
  if constexpr (ScanInLibrary<In, Out, Op>) {
    using As = SameBits<Out, Op>;
    compiled::scan(context, call, inclusive, elements_as<compiled::ScannedIn<In, Out, Op>>(in),
                   elements_as<As>(out), op, options_as<As>(options));
  } else if constexpr (!OwnScan<In, Out, Op>) {
    static_assert(std::is_trivially_copyable_v<In>, "scan: elements have to be trivially copyable");
    static_assert(Combines<Op, CombinedIn<Out>>, SCANLENS_DOES_NOT_COMBINE);
    static_assert(HasIdentity<Op, CombinedIn<Out>>, SCANLENS_NEEDS_IDENTITY);
  } else {
    require_scannable(call, {"in", in}, {"out", out});
    require_options(call, options, {"out", out});
    if (!in.empty())
      SCANLENS_DISPATCH_OWN(call, context, scan, in.data(), out.data(), std::ssize(in),
                            scan_form<Op>(inclusive, options), op);
  }
}

template <class T, class Op>
void segmented_scan_by_kind(const char* call, bool inclusive, Context& context, std::span<const T> in,
                            std::span<const std::uint8_t> heads, std::span<T> out, Op op,
                            const ScanOptions<T>& options) {
  if constexpr (SegmentedScanInLibrary<T, Op>) {
    using As = SameBits<T, Op>;
    compiled::segmented_scan(context, call, inclusive, elements_as<As>(in), heads, elements_as<As>(out), op,
                             options_as<As>(options));
  } else if constexpr (!OwnSegmentedScan<T, Op>) {
    static_assert(Combines<Op, T>, SCANLENS_DOES_NOT_COMBINE);
    static_assert(HasIdentity<Op, T>, SCANLENS_NEEDS_IDENTITY);
  } else {
    require_scannable(call, {"in", in}, {"heads", heads}, {"out", out});
    require_options(call, options, {"out", out}, Refused::reverse);
    if (!in.empty())
      SCANLENS_DISPATCH_OWN(call, context, segmented_scan, in.data(), heads.data(), out.data(),
                            std::ssize(in), scan_form<Op>(inclusive, options), op);
  }
}

/// out[i] = in[0] op … op in[i] (inclusive), or identity op in[0] op … op in[i - 1] (exclusive).
///
/// Lengths: both the same, any from 0 to beyond 2^32. Memory: what the context's backend can read and write.
/// Types and operators: those of SCANLENS_SCANS are compiled in the library. All others are compiled here:
/// any trivially copyable type under any ScanOperator (core/operators.h), which may hold values and must not
/// throw. In a .cu file they serve both backends, elsewhere the CPU alone. Each element becomes an Out by
/// static_cast before it is combined. Integers wrap around. Half and BFloat16 are combined in float, and
/// rounded once for each result. Options: all; the operator's identity is replaced by an initial value, and
/// comes first in inclusive scans, too. In reverse, out[i] is made of in[n - 1], in[n - 2] … in this order.
/// Aliasing: `out` may be `in` itself when the types are the same; any other overlap is an error, and so is
/// one of `out` with what options point at. Determinism: operands are paired in an order that depends on the
/// length, the alignment and the device alone. So floats have the same bits on every run. A float sum is off
/// by no more than (24 + log2 n) * epsilon * (|initial| + |in[0]| + … + |in[i]|) on CUDA and on the CPU; of
/// Half and BFloat16 with float's epsilon, and half a unit in the last place of their own. Bytes moved: each
/// element is read once and written once. Alignment of both arrays to 16 bytes is fastest; anything the type
/// allows works. Source: Blelloch, "Prefix Sums and Their Applications", 1990; Merrill and Garland,
/// "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016, from which it differs
/// (core/pipeline/README.md).
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void inclusive_scan(Context& context, const In& in, Out&& out, Op op = {},
                    const ScanOptions<ElementOf<Out>>& options = {}) {
  scan_by_kind("inclusive_scan", true, context, elements_of(in), room_of(out), op, options);
}
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void exclusive_scan(Context& context, const In& in, Out&& out, Op op = {},
                    const ScanOptions<ElementOf<Out>>& options = {}) {
  scan_by_kind("exclusive_scan", false, context, elements_of(in), room_of(out), op, options);
}

/// The same, begun afresh at every element whose head is not 0, and at the first: one array holds many
/// segments of any length. Exclusive: the first element of a segment gets the identity. Types and operators:
/// those of SCANLENS_SEGMENTED_SCANS are compiled in the library. As many heads as elements. Options: all but
/// `reverse`; an initial value begins every segment. Aliasing, determinism and, segment by segment, the bound
/// of float sums are as above; `heads` must not overlap `out`. Bytes moved: as above, plus the heads once.
/// Source: Schwartz, "Ultracomputers", 1980; Sengupta et al., "Scan Primitives for GPU Computing", 2007.
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void inclusive_segmented_scan(Context& context, const In& in, std::span<const std::uint8_t> heads, Out&& out,
                              Op op = {}, const ScanOptions<ElementOf<Out>>& options = {}) {
  segmented_scan_by_kind("inclusive_segmented_scan", true, context, elements_of(in), heads, room_of(out), op,
                         options);
}
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void exclusive_segmented_scan(Context& context, const In& in, std::span<const std::uint8_t> heads, Out&& out,
                              Op op = {}, const ScanOptions<ElementOf<Out>>& options = {}) {
  segmented_scan_by_kind("exclusive_segmented_scan", false, context, elements_of(in), heads, room_of(out), op,
                         options);
}

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
