// Columns of an array that are folded side by side on the CPU: one state for each, which takes row after row.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/half.h"
#include "core/moments.h"
#include "core/operators.h"
#include "core/reduce/extremes.h"
#include "core/runtime/compensated_sum.h"

namespace scanlens::cpu {

/// Neighbouring elements of several rows.
template <class T>
struct Rows {
  const T* data;
  std::int64_t step;   ///< elements from row to row
  std::int64_t count;  ///< of rows
  std::int64_t width;  ///< elements of a row
  std::int64_t first;  ///< number of the first row along the axis
};

/// Folds each column's elements into its state.
template <class In, class State, class Op>
void take_rows(const Rows<In>& rows, State* state, Op op);

/// Keeps each column's least, or greatest, element and the row where it stands first.
template <class T, bool kLeast>
void place_rows(const Rows<T>& rows, T* best, std::int64_t* at);

/// Halves and floats are summed as double, double at twice its precision.
template <class In, class Out, class Op>
using StateOf = std::conditional_t<!std::is_same_v<Op, Sum> || std::is_integral_v<Out>, SameBits<Out, Op>,
                                   std::conditional_t<std::is_same_v<Out, double>, CompensatedSum, double>>;

/// X(name, In, State, Op)
#define SCANLENS_COLUMN_FOLDS(X)                       \
  X(SumI8, std::int8_t, std::uint64_t, Sum)            \
  X(SumU8, std::uint8_t, std::uint64_t, Sum)           \
  X(SumI16, std::int16_t, std::uint64_t, Sum)          \
  X(SumU16, std::uint16_t, std::uint64_t, Sum)         \
  X(SumI32, std::int32_t, std::uint64_t, Sum)          \
  X(SumU32, std::uint32_t, std::uint64_t, Sum)         \
  X(SumU64, std::uint64_t, std::uint64_t, Sum)         \
  X(SumOfU32, std::uint32_t, std::uint32_t, Sum)       \
  X(SumF16, Half, double, Sum)                         \
  X(SumB16, BFloat16, double, Sum)                     \
  X(SumF32, float, double, Sum)                        \
  X(SumOfF32, float, CompensatedSum, Sum)              \
  X(SumF64, double, CompensatedSum, Sum)               \
  X(ProductU32, std::uint32_t, std::uint32_t, Product) \
  X(ProductU64, std::uint64_t, std::uint64_t, Product) \
  X(ProductF32, float, float, Product)                 \
  X(ProductF64, double, double, Product)               \
  SCANLENS_COLUMN_EXTREMES(X, I8, std::int8_t)         \
  SCANLENS_COLUMN_EXTREMES(X, U8, std::uint8_t)        \
  SCANLENS_COLUMN_EXTREMES(X, I16, std::int16_t)       \
  SCANLENS_COLUMN_EXTREMES(X, U16, std::uint16_t)      \
  SCANLENS_COLUMN_EXTREMES(X, I32, std::int32_t)       \
  SCANLENS_COLUMN_EXTREMES(X, U32, std::uint32_t)      \
  SCANLENS_COLUMN_EXTREMES(X, I64, std::int64_t)       \
  SCANLENS_COLUMN_EXTREMES(X, U64, std::uint64_t)      \
  SCANLENS_COLUMN_EXTREMES(X, F32, float)              \
  SCANLENS_COLUMN_EXTREMES(X, F64, double)
#define SCANLENS_COLUMN_EXTREMES(X, name, T) X(Min##name, T, T, Min) X(Max##name, T, T, Max)

}  // namespace scanlens::cpu
