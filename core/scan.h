// Scans (prefix sums) of one-dimensional arrays.
#pragma once

#include <cstdint>
#include <span>

#include "core/array.h"
#include "core/context.h"
#include "core/operators.h"

namespace scanlens {

/// out[i] = in[0] op … op in[i] (inclusive), or identity op in[0] op … op in[i - 1] (exclusive).
///
/// Lengths: both the same, any from 0 to beyond 2^32. Memory: what the context's backend can read and write.
/// Types here: int32_t, uint32_t, uint64_t, float and double, each with Sum, Product, Min and Max; uint8_t
/// and uint16_t into uint32_t with Sum. Integers wrap around. For operators and types of your own include
/// core/scan_with.h.
/// Aliasing: `out` may be `in` itself when the types are the same; any other overlap is an error.
/// Determinism: the order in which operands are paired depends on the length, the alignment and the device
/// alone, so floats come out with the same bits on every run. A float sum is off by no more than
/// (24 + log2 n) * epsilon * (|in[0]| + … + |in[i]|) on CUDA and on the CPU.
/// Bytes moved: each element is read once and written once. Alignment of both arrays to 16 bytes is fastest;
/// anything the type allows works.
/// Source: Blelloch, "Prefix Sums and Their Applications", 1990; Merrill and Garland, "Single-pass Parallel
/// Prefix Scan with Decoupled Look-back", 2016, from which it differs (core/pipeline/README.md).
template <class In, class Out, class Op = Sum>
void inclusive_scan(Context& context, std::span<const In> in, std::span<Out> out, Op op = {});
template <class In, class Out, class Op = Sum>
void exclusive_scan(Context& context, std::span<const In> in, std::span<Out> out, Op op = {});

/// The same, begun afresh at every element whose head is not 0, and at the first: one array holds many
/// segments of any length. Exclusive: the first element of a segment gets the identity.
/// Types here: int32_t, uint32_t, uint64_t, float, double with Sum, Min and Max. As many heads as elements.
/// Aliasing, determinism and, segment by segment, the bound of float sums are as above; `heads` must not
/// overlap `out`. Bytes moved: the heads besides, once.
/// Source: Schwartz, "Ultracomputers", 1980; Sengupta et al., "Scan Primitives for GPU Computing", 2007.
template <class T, class Op = Sum>
void segmented_inclusive_scan(Context& context, std::span<const T> in, std::span<const std::uint8_t> heads,
                              std::span<T> out, Op op = {});
template <class T, class Op = Sum>
void segmented_exclusive_scan(Context& context, std::span<const T> in, std::span<const std::uint8_t> heads,
                              std::span<T> out, Op op = {});

// The same for other arrays: inclusive_scan(context, vector, span).
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void inclusive_scan(Context& context, const In& in, Out&& out, Op op = {}) {
  inclusive_scan<ElementOf<In>, ElementOf<Out>, Op>(context, in, out, op);
}
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void exclusive_scan(Context& context, const In& in, Out&& out, Op op = {}) {
  exclusive_scan<ElementOf<In>, ElementOf<Out>, Op>(context, in, out, op);
}
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void segmented_inclusive_scan(Context& context, const In& in, std::span<const std::uint8_t> heads, Out&& out,
                              Op op = {}) {
  segmented_inclusive_scan<ElementOf<In>, Op>(context, in, heads, out, op);
}
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void segmented_exclusive_scan(Context& context, const In& in, std::span<const std::uint8_t> heads, Out&& out,
                              Op op = {}) {
  segmented_exclusive_scan<ElementOf<In>, Op>(context, in, heads, out, op);
}

/// Whether the library holds the scan compiled.
template <class In, class Out, class Op>
inline constexpr bool kScanInLibrary =
    (std::same_as<In, Out> && kOneOf<Out, std::int32_t, std::uint32_t, std::uint64_t, float, double> &&
     kOneOf<Op, Sum, Product, Min, Max>) ||
    (kOneOf<In, std::uint8_t, std::uint16_t> && std::same_as<Out, std::uint32_t> && std::same_as<Op, Sum>);
template <class T, class Op>
inline constexpr bool kSegmentedScanInLibrary = kScanInLibrary<T, T, Op>&& kOneOf<Op, Sum, Min, Max>;

namespace compiled {
template <class In, class Out, class Op>
void inclusive_scan(Context& context, std::span<const In> in, std::span<Out> out, Op op);
template <class In, class Out, class Op>
void exclusive_scan(Context& context, std::span<const In> in, std::span<Out> out, Op op);
template <class T, class Op>
void segmented_inclusive_scan(Context& context, std::span<const T> in, std::span<const std::uint8_t> heads,
                              std::span<T> out, Op op);
template <class T, class Op>
void segmented_exclusive_scan(Context& context, std::span<const T> in, std::span<const std::uint8_t> heads,
                              std::span<T> out, Op op);
}  // namespace compiled

template <class In, class Out, class Op>
void inclusive_scan(Context& context, std::span<const In> in, std::span<Out> out, Op op) {
  static_assert(
      kScanInLibrary<In, Out, Op>,
      "inclusive_scan: not of the types and operators that core/scan.h names; core/scan_with.h takes others");
  compiled::inclusive_scan(context, in, out, op);
}
template <class In, class Out, class Op>
void exclusive_scan(Context& context, std::span<const In> in, std::span<Out> out, Op op) {
  static_assert(
      kScanInLibrary<In, Out, Op>,
      "exclusive_scan: not of the types and operators that core/scan.h names; core/scan_with.h takes others");
  compiled::exclusive_scan(context, in, out, op);
}
template <class T, class Op>
void segmented_inclusive_scan(Context& context, std::span<const T> in, std::span<const std::uint8_t> heads,
                              std::span<T> out, Op op) {
  static_assert(kSegmentedScanInLibrary<T, Op>,
                "segmented_inclusive_scan: not of the types and operators that core/scan.h names; "
                "core/scan_with.h takes others");
  compiled::segmented_inclusive_scan(context, in, heads, out, op);
}
template <class T, class Op>
void segmented_exclusive_scan(Context& context, std::span<const T> in, std::span<const std::uint8_t> heads,
                              std::span<T> out, Op op) {
  static_assert(kSegmentedScanInLibrary<T, Op>,
                "segmented_exclusive_scan: not of the types and operators that core/scan.h names; "
                "core/scan_with.h takes others");
  compiled::segmented_exclusive_scan(context, in, heads, out, op);
}

}  // namespace scanlens
