// Rows weighed for the wide Gaussian on the CPU, by vectors. Called by filters/blur/wide.cu only.
#pragma once

#include <cstdint>

#include "filters/blur/wide.h"

namespace scanlens::cpu {

/// Samples of a row that are taken at once: a multiple of whole pixels and of vectors.
inline constexpr std::int64_t kWidePart = 768;

/// Rows of `in`, of the points of one line, are weighed for each point of another; those of a point's
/// channels lie side by side. `alpha`: samples are pixels of four, whose colours are multiplied by it.
template <class T>
void weigh_rows(const View<const T>& in, bool alpha, const DistanceWeights& weights, const LinePoints& from,
                const LinePoints& to, int channels, const View<float>& out);

/// The same for the last pass, whose sums are finished.
template <class T>
void finish_rows(const WideRows<T>& rows);

/// Rows around a place and their weights: some before it, one there or none, and some behind it. Those of
/// either side begin with the farthest.
template <class T>
struct RowsAround {
  const T* const* rows;
  const float* weights;
  std::int64_t before, there, behind;
};

/// sums[i] = what DistanceWeights::sum() makes of samples first + i of the rows.
template <class T>
void weigh_row(const RowsAround<T>& around, bool alpha, std::int64_t first, std::int64_t length, float* sums);

/// The pixels that finish_sums() makes of `length` sums.
template <class T>
void finish_sums_row(const float* sums, float down, const float* along, int channels, std::int64_t length,
                     const T* own, T* out);

#define SCANLENS_FOR_EACH_WIDE_SAMPLE(X) \
  X(U8, std::uint8_t)                    \
  X(U16, std::uint16_t)                  \
  X(F32, float)

}  // namespace scanlens::cpu
