// Rows weighed for the wide Gaussian on the CPU, by vectors. Called by filters/blur/wide.cu only.
#pragma once

#include <cstdint>

#include "filters/blur/wide.h"

namespace scanlens::cpu {

/// Rows of `in`, of the points of one line, are weighed for each point of another; those of a point's
/// channels lie side by side. `alpha`: samples are pixels of four, whose colours are multiplied by it.
template <class T>
void weigh_rows(const View<const T>& in, bool alpha, const WideGaussian& gaussian, const LinePoints& from,
                const LinePoints& to, int channels, const View<float>& out);

/// The same for the last pass, whose sums are finished.
template <class T>
void finish_rows(const WideRows<T>& rows);

/// Some rows and their weights.
template <class T>
struct WeighedRows {
  static constexpr int kMost = 64;
  const T* rows[kMost];
  float weights[kMost];
  int count;
};

/// sums[i] += what sample first + i of the rows weigh, one row after the other.
template <class T>
void add_weighed(const WeighedRows<T>& rows, bool alpha, std::int64_t first, std::int64_t length,
                 float* sums);

/// out[i] = finish_sums() of each pixel.
template <class T>
void finish_sums_row(const float* sums, float down, const float* along, int channels, std::int64_t length,
                     const T* own, T* out);

#define SCANLENS_FOR_EACH_WIDE_SAMPLE(X) \
  X(U8, std::uint8_t)                    \
  X(U16, std::uint16_t)                  \
  X(F32, float)

}  // namespace scanlens::cpu
