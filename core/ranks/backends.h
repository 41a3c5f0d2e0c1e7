// The work of ranks between their exchanges, per backend. Called by core/ranks alone.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/half.h"
#include "core/moments.h"
#include "core/ranks/partial.h"
#include "core/scan_kinds.h"

namespace scanlens {

/// A rank's extreme element, and how many elements it has.
template <class T>
struct LocatedPart {
  Located<T> extreme;
  std::uint64_t count;
};

// The backends declare the same functions.
//   fold_gathered   *result = identity op all[0] op … op all[count - 1], in that order
//   continue_scan   the scan of n >= 1 elements that goes on from *start
//   fold_located    the first extreme of all ranks' elements, numbered through
//   fold_moments    the moments of all ranks' elements
//   add_rows        result[i] = all[i] + all[width + i] + …, of `count` rows
//   set_count       *where = count
#define SCANLENS_DECLARE_RANKS                                                                        \
  template <class Part, class Result, class Op>                                                       \
  void fold_gathered(Context& context, const Part* all, int count, Result* result, Op op);            \
  template <class In, class Out, class Op>                                                            \
  void continue_scan(Context& context, const In* in, Out* out, std::int64_t n, bool inclusive, Op op, \
                     const StartOf<Out, Op>* start);                                                  \
  template <class T, bool kLeast>                                                                     \
  void fold_located(Context& context, const LocatedPart<T>* all, int count, Located<T>* result);      \
  void fold_moments(Context& context, const Moments* all, int count, Moments* result);                \
  void add_rows(Context& context, const std::uint64_t* all, int count, std::int64_t width,            \
                std::uint64_t* result);                                                               \
  void set_count(Context& context, std::uint64_t* where, std::uint64_t count);

namespace cpu {
SCANLENS_DECLARE_RANKS
}
namespace gpu {
SCANLENS_DECLARE_RANKS
}

#undef SCANLENS_DECLARE_RANKS

/// The folds of library scans and reductions: X(Part, Result, Op).
#define SCANLENS_FOR_EACH_RANK_FOLD(X)     \
  X(std::uint32_t, std::uint32_t, Sum)     \
  X(std::uint64_t, std::uint64_t, Sum)     \
  X(std::uint64_t, std::uint32_t, Sum)     \
  X(double, double, Sum)                   \
  X(double, float, Sum)                    \
  X(Half, Half, Sum)                       \
  X(BFloat16, BFloat16, Sum)               \
  X(std::uint32_t, std::uint32_t, Product) \
  X(std::uint64_t, std::uint64_t, Product) \
  X(float, float, Product)                 \
  X(double, double, Product)               \
  SCANLENS_RANK_EXTREMES(X, std::int32_t)  \
  SCANLENS_RANK_EXTREMES(X, std::int64_t)  \
  SCANLENS_RANK_EXTREMES(X, std::uint32_t) \
  SCANLENS_RANK_EXTREMES(X, std::uint64_t) \
  SCANLENS_RANK_EXTREMES(X, float)         \
  SCANLENS_RANK_EXTREMES(X, double)
#define SCANLENS_RANK_EXTREMES(X, T) X(T, T, Min) X(T, T, Max)

}  // namespace scanlens
