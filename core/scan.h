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
/// Types and operators here: those of SCANLENS_SCANS, below. Integers wrap around. For others, and operators
/// and types of your own, include core/scan_with.h. Aliasing: `out` may be `in` itself when the types are the
/// same; any other overlap is an error. Determinism: the order in which operands are paired depends on the
/// length, the alignment and the device alone, so floats come out with the same bits on every run. A float
/// sum is off by no more than (24 + log2 n) * epsilon * (|in[0]| + … + |in[i]|) on CUDA and on the CPU. Bytes
/// moved: each element is read once and written once. Alignment of both arrays to 16 bytes is fastest;
/// anything the type allows works.
/// Source: Blelloch, "Prefix Sums and Their Applications", 1990; Merrill and Garland, "Single-pass Parallel
/// Prefix Scan with Decoupled Look-back", 2016, from which it differs (core/pipeline/README.md).
template <class In, class Out, class Op = Sum>
void inclusive_scan(Context& context, std::span<const In> in, std::span<Out> out, Op op = {});
template <class In, class Out, class Op = Sum>
void exclusive_scan(Context& context, std::span<const In> in, std::span<Out> out, Op op = {});

/// The same, begun afresh at every element whose head is not 0, and at the first: one array holds many
/// segments of any length. Exclusive: the first element of a segment gets the identity.
/// Types and operators here: those of SCANLENS_SEGMENTED_SCANS. As many heads as elements.
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

// The scans that the library holds compiled: X(name, In, Out, Op). int32_t goes by uint32_t where the bits
// are the same.
#define SCANLENS_SCANS(X) SCANLENS_SEGMENTED_SCANS(X) SCANLENS_WIDENING_SCANS(X) SCANLENS_PRODUCT_SCANS(X)
#define SCANLENS_SEGMENTED_SCANS(X) \
  SCANLENS_UNSIGNED_SUMS(X) SCANLENS_INTEGER_EXTREMES(X) SCANLENS_FLOAT_SCANS(X)
#define SCANLENS_UNSIGNED_SUMS(X)                          \
  X(SumU32, std::uint32_t, std::uint32_t, ::scanlens::Sum) \
  X(SumU64, std::uint64_t, std::uint64_t, ::scanlens::Sum)
#define SCANLENS_INTEGER_EXTREMES(X)                       \
  X(MinI32, std::int32_t, std::int32_t, ::scanlens::Min)   \
  X(MaxI32, std::int32_t, std::int32_t, ::scanlens::Max)   \
  X(MinU32, std::uint32_t, std::uint32_t, ::scanlens::Min) \
  X(MaxU32, std::uint32_t, std::uint32_t, ::scanlens::Max)
#define SCANLENS_FLOAT_SCANS(X)              \
  X(SumF32, float, float, ::scanlens::Sum)   \
  X(MinF32, float, float, ::scanlens::Min)   \
  X(MaxF32, float, float, ::scanlens::Max)   \
  X(SumF64, double, double, ::scanlens::Sum) \
  X(MinF64, double, double, ::scanlens::Min) \
  X(MaxF64, double, double, ::scanlens::Max)
#define SCANLENS_WIDENING_SCANS(X)                       \
  X(SumU8, std::uint8_t, std::uint32_t, ::scanlens::Sum) \
  X(SumU16, std::uint16_t, std::uint32_t, ::scanlens::Sum)
#define SCANLENS_PRODUCT_SCANS(X)                                  \
  X(ProductU32, std::uint32_t, std::uint32_t, ::scanlens::Product) \
  X(ProductF32, float, float, ::scanlens::Product)

namespace compiled {
template <class In, class Out, class Op>
inline constexpr bool kHoldsScan = false;
template <class T, class Op>
inline constexpr bool kHoldsSegmentedScan = false;
#define SCANLENS_HOLDS_SCAN(name, In, Out, Op) \
  template <>                                  \
  inline constexpr bool kHoldsScan<In, Out, Op> = true;
SCANLENS_SCANS(SCANLENS_HOLDS_SCAN)
#undef SCANLENS_HOLDS_SCAN
#define SCANLENS_HOLDS_SEGMENTED_SCAN(name, In, Out, Op) \
  template <>                                            \
  inline constexpr bool kHoldsSegmentedScan<Out, Op> = true;
SCANLENS_SEGMENTED_SCANS(SCANLENS_HOLDS_SEGMENTED_SCAN)
#undef SCANLENS_HOLDS_SEGMENTED_SCAN
}  // namespace compiled

/// True if the library holds the scan compiled.
template <class In, class Out, class Op>
inline constexpr bool kScanInLibrary = compiled::kHoldsScan<In, Out, Op>;
template <class T, class Op>
inline constexpr bool kScanInLibrary<T, T, Op> = compiled::kHoldsScan<SameBits<T, Op>, SameBits<T, Op>, Op>;
template <class T, class Op>
inline constexpr bool kSegmentedScanInLibrary = compiled::kHoldsSegmentedScan<SameBits<T, Op>, Op>;

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
  using As = SameBits<Out, Op>;
  if constexpr (std::same_as<In, Out>)
    compiled::inclusive_scan(context, elements_as<As>(in), elements_as<As>(out), op);
  else
    compiled::inclusive_scan(context, in, out, op);
}
template <class In, class Out, class Op>
void exclusive_scan(Context& context, std::span<const In> in, std::span<Out> out, Op op) {
  static_assert(
      kScanInLibrary<In, Out, Op>,
      "exclusive_scan: not of the types and operators that core/scan.h names; core/scan_with.h takes others");
  using As = SameBits<Out, Op>;
  if constexpr (std::same_as<In, Out>)
    compiled::exclusive_scan(context, elements_as<As>(in), elements_as<As>(out), op);
  else
    compiled::exclusive_scan(context, in, out, op);
}
template <class T, class Op>
void segmented_inclusive_scan(Context& context, std::span<const T> in, std::span<const std::uint8_t> heads,
                              std::span<T> out, Op op) {
  static_assert(kSegmentedScanInLibrary<T, Op>,
                "segmented_inclusive_scan: not of the types and operators that core/scan.h names; "
                "core/scan_with.h takes others");
  using As = SameBits<T, Op>;
  compiled::segmented_inclusive_scan(context, elements_as<As>(in), heads, elements_as<As>(out), op);
}
template <class T, class Op>
void segmented_exclusive_scan(Context& context, std::span<const T> in, std::span<const std::uint8_t> heads,
                              std::span<T> out, Op op) {
  static_assert(kSegmentedScanInLibrary<T, Op>,
                "segmented_exclusive_scan: not of the types and operators that core/scan.h names; "
                "core/scan_with.h takes others");
  using As = SameBits<T, Op>;
  compiled::segmented_exclusive_scan(context, elements_as<As>(in), heads, elements_as<As>(out), op);
}

}  // namespace scanlens
