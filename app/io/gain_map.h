// Gain maps (Ultra HDR, ISO 21496-1): the light above white that a picture of codes carries beside it.
#pragma once

#include <array>

#include "app/io/picture.h"
#include "core/image.h"

namespace scanlens {

/// Holds what tells light from the light of codes: light = (light of codes + offset) x 2^gain - light_offset.
/// The gain goes from least to most as samples to the power of 1 / gamma do. It is stretched to the picture.
struct GainMap {
  Image<std::uint8_t> samples = {};  ///< 1 or 3 channels
  std::array<double, 3> least = {}, most = {}, gamma = {1, 1, 1};
  std::array<double, 3> offset = {1. / 64, 1. / 64, 1. / 64}, light_offset = offset;
  double least_headroom = 0, most_headroom = 0;  ///< in stops: where a display begins to use it, uses all
};

using AnySamples = decltype(Picture::samples);

/// Returns the light of codes by their profile, diffuse white being 1.
Image<float> light_of_codes(const AnySamples& codes, const std::vector<std::byte>& icc);

/// Returns the light of codes that have a gain map: floats, with metadata for that.
Picture light_of(const AnySamples& codes, const Metadata& metadata);

/// Returns the map that makes `light` of the codes of 8 bits that were written, all of one size, of 1 or 3
/// channels. There is no gain where `codes`, before their losses, tell the light. A cell of the map is the
/// mean of cell x cell pixels.
GainMap gain_between(const AnySamples& codes, const AnySamples& written, const std::vector<std::byte>& icc,
                     View<const float> light, std::int64_t cell);

/// True if what is written there can have light beside codes, or has light alone.
bool takes_light(const Metadata& metadata, const std::filesystem::path& path, const WriteOptions& options);

}  // namespace scanlens
