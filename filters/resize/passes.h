// The two passes of a resized picture: along its rows into light, then down its columns into samples.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/view.h"
#include "filters/parts/light.h"
#include "filters/resize/taps.h"

namespace scanlens {

/// Taps in the context's memory.
struct TapView {
  const TapRun* runs = nullptr;  ///< of the first sample that is made
  const double* weights = nullptr;
  bool may_ring = false;  ///< weights may be negative
};

/// Rows of light in a ring, packed: row y of the picture at y modulo `rows`. Colours are multiplied by alpha,
/// the fourth channel. Floats would show in codes of 16 bits: beside bright light rings end near black, where
/// the curve is steep.
struct LightRing {
  double* data = nullptr;
  std::int64_t row_samples = 0;
  std::int64_t rows = 0;

  SCANLENS_HOST_DEVICE std::int64_t place_of(std::int64_t y) const { return y % rows; }
  SCANLENS_HOST_DEVICE std::int64_t next(std::int64_t place) const {
    return place + 1 < rows ? place + 1 : 0;
  }
  SCANLENS_HOST_DEVICE double* row(std::int64_t y) const { return data + place_of(y) * row_samples; }
};

/// Pixels of a row whose light a thread of the CPU holds at a time: more would leave the cache.
inline constexpr std::int64_t kLightRun = 2048;

/// Makes rows `first` .. of the ring from rows of the picture.
template <class T>
void resize_along(Context& context, View<const T> rows, const TapView& taps, const ToneView& tones,
                  std::int64_t first, const LightRing& ring);

/// Makes rows of the result, whose taps are given, from the ring.
template <class T>
void resize_down(Context& context, const LightRing& ring, const TapView& taps, const ToneView& tones,
                 View<T> out);

}  // namespace scanlens
