// Running extremes and recurrences as the library holds them compiled.
#pragma once

#include <cstdint>
#include <span>

#include "core/array.h"
#include "core/context.h"
#include "core/half.h"
#include "core/scan_kinds.h"

namespace scanlens {

enum class Ties;

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

template <class T>
void scan_held_extremes(Context& context, const char* call, bool greatest, std::span<const T> in,
                        std::span<T> values, std::span<std::int64_t> indices, const Axis& axis, Ties ties,
                        const ScanOptions<T>& options) {
  static_assert(ArgScanInLibrary<T>, "argmax_scan, argmin_scan: not of the types that core/arg_scan.h names");
  compiled::arg_scan(context, call, greatest, in, values, indices, axis, ties, options);
}

// The types that the library holds compiled.
#define SCANLENS_RECURRENCE_TYPES(X) X(float) X(double) X(::scanlens::Half) X(::scanlens::BFloat16)

/// True of the types that the library holds the recurrences compiled for.
template <class T>
concept RecurrenceInLibrary = kOneOf<T, float, double, Half, BFloat16>;

namespace compiled {
template <class T>
void linear_recurrence(Context& context, std::span<const T> a, std::span<const T> b, std::span<T> h,
                       const Axis& axis, const ScanOptions<T>& options);
}  // namespace compiled

}  // namespace scanlens
