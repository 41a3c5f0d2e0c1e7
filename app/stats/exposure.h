// Hints about a picture's exposure, from the statistics of its pixels.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "filters/statistics.h"

namespace scanlens {

/// Holds stops, which are factors of two of light: positive ones would have been brighter.
struct Exposure {
  /// The share of pixels whose least or greatest code stands in the channel that has the most of them;
  /// nothing for floats, which have no such codes.
  std::optional<double> at_black, at_white;
  std::optional<double>
      to_middle_grey;  ///< would bring the median luma to 18 % of white; nothing where it is black
  std::optional<double> before_clipping;  ///< leaves 99 % of the pixels' luma below white
  std::optional<double> suggested;        ///< the lesser of both

  /// Returns one sentence for people.
  std::string sentence() const;
};

/// Returns hints; nothing where no pixel was chosen. Codes are taken for sRGB's. The statistics of floats
/// must hold the median and the 99th percentile as their first two.
std::optional<Exposure> exposure_of(std::span<const ChannelStatistics> channels);

}  // namespace scanlens
