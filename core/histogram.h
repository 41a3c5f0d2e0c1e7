// Histograms of an array.
#pragma once

#include <cstdint>
#include <span>

#include "core/array.h"
#include "core/context.h"

namespace scanlens {

/// True of the types that the library holds histograms compiled for.
template <class T>
concept HistogramInLibrary = kOneOf<T, std::uint8_t, std::uint16_t, std::uint32_t, float, double>;

namespace compiled {
template <class T>
void histogram(Context& context, std::span<const T> in, double lower, double upper,
               std::span<std::uint64_t> bins);
template <class T>
void histogram(Context& context, std::span<const T> in, std::span<const T> edges,
               std::span<std::uint64_t> bins);
}  // namespace compiled

/// bins[k] = how many elements fall into bin k of bins.size() bins of equal width over [lower, upper); those
/// outside, and NaN, are not counted. Bins: 1 … 65536. Types: uint8_t, uint16_t, uint32_t, float, double.
/// uint8_t with 256 bins over [0, 256) and uint16_t with 65536 bins over [0, 65536) count every value. The
/// bin of x is floor((x - lower) * scale), at most the last, with scale = bins / (upper - lower); in double
/// for uint32_t and double, and otherwise in float, to which `lower` and `scale` are rounded. The same on
/// both backends. Holds its speed on skewed data. Bytes moved: the array once.
template <ContiguousArray In>
void histogram(Context& context, const In& in, double lower, double upper, std::span<std::uint64_t> bins) {
  static_assert(HistogramInLibrary<ElementOf<In>>, "histogram: not of the types that core/histogram.h names");
  compiled::histogram(context, elements_of(in), lower, upper, bins);
}

/// The same of bins between neighbours of ascending `edges`, one more than bins: bin k has the elements from
/// edges[k] to before edges[k + 1]. Types: int32_t, uint32_t, int64_t, uint64_t, float, double. Bytes moved:
/// the array once, and on CUDA 8 bytes an element written and read in workspace.
template <ContiguousArray In, ContiguousArray Edges>
void histogram(Context& context, const In& in, const Edges& edges, std::span<std::uint64_t> bins) {
  static_assert(NumberInLibrary<ElementOf<In>>,
                "histogram by edges: not of the types that core/histogram.h names");
  compiled::histogram(context, elements_of(in), elements_of(edges), bins);
}

}  // namespace scanlens
