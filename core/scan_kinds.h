// The scans that the library holds compiled, and their options.
#pragma once

#include <cstdint>
#include <optional>

#include "core/half.h"
#include "core/operators.h"

namespace scanlens {

/// Options of scans whose results are T. Each call says which options it takes, and refuses all others.
template <class T>
struct ScanOptions {
  /// Stands before the first element, or the first of every row, column or segment. By default the
  /// operator's identity.
  std::optional<T> initial = {};
  /// The same, read from memory of the context's backend, in the order of the stream. One of both at most.
  const T* initial_at = nullptr;
  /// One number in memory of the context's backend, read in the order of the stream. Only that many elements
  /// are read and written; it is at most the length.
  const std::uint64_t* length = nullptr;
  bool reverse = false;  ///< from the last element to the first
};

// The scans that the library holds compiled: X(name, In, Out, Op). These are what the program calls, and what
// NumPy and PyTorch make of cumsum, cumprod, cummin and cummax: short integers are summed into 64 bits, and
// extremes keep their type. int32_t and int64_t go by the unsigned type where the bits are the same.
#define SCANLENS_SCANS(X)     \
  SCANLENS_SEGMENTED_SCANS(X) \
  SCANLENS_WIDENING_SCANS(X) SCANLENS_PRODUCT_SCANS(X) SCANLENS_WIDE_SCANS(X) SCANLENS_HALF_SCANS(X)
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
  X(ProductU64, std::uint64_t, std::uint64_t, ::scanlens::Product) \
  X(ProductF32, float, float, ::scanlens::Product)                 \
  X(ProductF64, double, double, ::scanlens::Product)
// Results of 64 bits, from what has fewer, and of int64_t and uint64_t.
#define SCANLENS_WIDE_SCANS(X)                                 \
  X(WideSumU8, std::uint8_t, std::uint64_t, ::scanlens::Sum)   \
  X(WideSumU16, std::uint16_t, std::uint64_t, ::scanlens::Sum) \
  X(WideSumU32, std::uint32_t, std::uint64_t, ::scanlens::Sum) \
  X(WideSumI8, std::int8_t, std::uint64_t, ::scanlens::Sum)    \
  X(WideSumI16, std::int16_t, std::uint64_t, ::scanlens::Sum)  \
  X(WideSumI32, std::int32_t, std::uint64_t, ::scanlens::Sum)  \
  X(MinI64, std::int64_t, std::int64_t, ::scanlens::Min)       \
  X(MaxI64, std::int64_t, std::int64_t, ::scanlens::Max)       \
  X(MinU64, std::uint64_t, std::uint64_t, ::scanlens::Min)     \
  X(MaxU64, std::uint64_t, std::uint64_t, ::scanlens::Max)
#define SCANLENS_HALF_SCANS(X)                                   \
  X(SumF16, ::scanlens::Half, ::scanlens::Half, ::scanlens::Sum) \
  X(SumBF16, ::scanlens::BFloat16, ::scanlens::BFloat16, ::scanlens::Sum)

// Rows and columns of arrays with a pitch are what pictures are scanned by: X(T, Op). All that NumPy and
// PyTorch scan along axes goes by the axis scans.
#define SCANLENS_ROW_SCANS(X) SCANLENS_UNSIGNED_ROW_SUMS(X) SCANLENS_FLOAT_ROW_SCANS(X)
#define SCANLENS_UNSIGNED_ROW_SUMS(X) X(std::uint32_t, ::scanlens::Sum) X(std::uint64_t, ::scanlens::Sum)
#define SCANLENS_FLOAT_ROW_SCANS(X) \
  X(float, ::scanlens::Sum) X(float, ::scanlens::Max) X(double, ::scanlens::Sum)
#define SCANLENS_AXIS_SCANS(X) \
  SCANLENS_SEGMENTED_SCANS(X) SCANLENS_PRODUCT_SCANS(X) SCANLENS_WIDE_SCANS(X) SCANLENS_HALF_SCANS(X)

}  // namespace scanlens
