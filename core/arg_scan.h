// Running extremes and where they stand: cummax and cummin with indices.
#pragma once

#include <cstdint>
#include <span>

#include "core/array.h"
#include "core/context.h"
#include "core/half.h"
#include "core/scan_axis.h"
#include "core/scan_kinds.h"

namespace scanlens {

/// The index of several equal extremes that counts, in the order of the scan.
enum class Ties {
  last,   ///< PyTorch's cummax
  first,  ///< NumPy's argmax
};

// The types that the library holds compiled.
#define SCANLENS_ARG_SCANNED_TYPES(X) \
  X(std::int32_t)                     \
  X(std::uint32_t)                    \
  X(std::int64_t) X(std::uint64_t) X(float) X(double) X(::scanlens::Half) X(::scanlens::BFloat16)

namespace compiled {
#define SCANLENS_OR_ARG_SCANNED(T) , T
template <class T>
inline constexpr bool kHoldsArgScan = kOneOf<T SCANLENS_ARG_SCANNED_TYPES(SCANLENS_OR_ARG_SCANNED)>;
#undef SCANLENS_OR_ARG_SCANNED

template <class T>
void arg_scan(Context& context, const char* call, bool greatest, std::span<const T> in, std::span<T> values,
              std::span<std::int64_t> indices, const Axis& axis, Ties ties, const ScanOptions<T>& options);
}  // namespace compiled

/// True of the types that the library holds the scans compiled for.
template <class T>
concept ArgScanInLibrary = compiled::kHoldsArgScan<T>;

/// values[i] = the greatest (least) of in[0] … in[i], and indices[i] = where it stands.
///
/// NaN counts as greatest (least), and stays: indices are those of NaN from then on. -0 and 0 are equal, and
/// may be written as 0.
/// Shapes: all arrays have the same length, any from 0 to beyond 2^32. Types: those of
/// SCANLENS_ARG_SCANNED_TYPES. Options: `reverse` alone; then it is the extremes of in[i] … in[n - 1],
/// and the scan begins at the last.
/// Aliasing: `values` may be `in` itself; any other overlap is an error.
/// Determinism: always the same. Bytes moved: each element is read once, or twice where there are fewer lines
/// than multiprocessors, and both results written once.
template <ContiguousArray In, ContiguousArray Values>
void argmax_scan(Context& context, const In& in, Values&& values, std::span<std::int64_t> indices,
                 Ties ties = Ties::last, const ScanOptions<ElementOf<In>>& options = {}) {
  argmax_scan_axis(context, in, values, indices, Axis{1, std::ssize(elements_of(in)), 1}, ties, options);
}
template <ContiguousArray In, ContiguousArray Values>
void argmin_scan(Context& context, const In& in, Values&& values, std::span<std::int64_t> indices,
                 Ties ties = Ties::last, const ScanOptions<ElementOf<In>>& options = {}) {
  argmin_scan_axis(context, in, values, indices, Axis{1, std::ssize(elements_of(in)), 1}, ties, options);
}

/// The same along an axis (core/scan_axis.h); indices count along it.
template <ContiguousArray In, ContiguousArray Values>
void argmax_scan_axis(Context& context, const In& in, Values&& values, std::span<std::int64_t> indices,
                      Axis axis, Ties ties = Ties::last, const ScanOptions<ElementOf<In>>& options = {}) {
  static_assert(ArgScanInLibrary<ElementOf<In>>, "argmax_scan: not of the types that core/arg_scan.h names");
  compiled::arg_scan(context, "argmax_scan", true, elements_of(in), room_of(values), indices, axis, ties,
                     options);
}
template <ContiguousArray In, ContiguousArray Values>
void argmin_scan_axis(Context& context, const In& in, Values&& values, std::span<std::int64_t> indices,
                      Axis axis, Ties ties = Ties::last, const ScanOptions<ElementOf<In>>& options = {}) {
  static_assert(ArgScanInLibrary<ElementOf<In>>, "argmin_scan: not of the types that core/arg_scan.h names");
  compiled::arg_scan(context, "argmin_scan", false, elements_of(in), room_of(values), indices, axis, ties,
                     options);
}

}  // namespace scanlens
