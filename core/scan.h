// Scans (prefix sums) of one-dimensional arrays.
#pragma once

#include <cstdint>
#include <span>

#include "core/held/own_scans.h"

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

/// out[i] = in[0] op … op in[i] (inclusive), or identity op in[0] op … op in[i - 1] (exclusive).
///
/// `in` may be computed (core/computed.h). Types and operators: those of SCANLENS_SCANS are compiled in the
/// library. All others are compiled here: any trivially copyable type under any ScanOperator
/// (core/operators.h), which may hold values and must not throw. Each element becomes an Out by static_cast
/// before it is combined. Options: all; an initial value replaces the operator's identity, and comes first in
/// inclusive scans, too. In reverse, out[i] is made of in[n - 1], in[n - 2] … in this order. Aliasing: `out`
/// may be `in` itself when the types are the same. Determinism: operands are paired in an order that depends
/// on the length, the alignment and the device alone. A float sum is off by no more than (24 + log2 n) *
/// epsilon * (|initial| + |in[0]| + … + |in[i]|). Bytes moved: each element is read once and written once.
/// Alignment of both arrays to 16 bytes is fastest. Source: Blelloch, "Prefix Sums and Their Applications",
/// 1990; Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016, from which
/// it differs (core/pipeline/README.md).
template <Readable In, ContiguousArray Out, class Op = Sum>
void inclusive_scan(Context& context, const In& in, Out&& out, Op op = {},
                    const ScanOptions<ElementOf<Out>>& options = {}) {
  scan_by_kind("inclusive_scan", true, context, elements_of(in), room_of(out), op, options);
}
template <Readable In, ContiguousArray Out, class Op = Sum>
void exclusive_scan(Context& context, const In& in, Out&& out, Op op = {},
                    const ScanOptions<ElementOf<Out>>& options = {}) {
  scan_by_kind("exclusive_scan", false, context, elements_of(in), room_of(out), op, options);
}

/// The same, begun afresh at every element whose head is not 0, and at the first: one array holds many
/// segments of any length. Exclusive: the first element of a segment gets the identity. Types and operators:
/// those of SCANLENS_SEGMENTED_SCANS are compiled in the library. As many heads as elements. Options: all but
/// `reverse`; an initial value begins every segment. Bytes moved: as above, plus the heads once. Source:
/// Schwartz, "Ultracomputers", 1980; Sengupta et al., "Scan Primitives for GPU Computing", 2007.
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
