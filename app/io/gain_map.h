// Gain maps (Ultra HDR, ISO 21496-1): the light above white that a picture of codes carries beside it.
#pragma once

#include <array>
#include <cstdint>

#include "app/io/picture.h"
#include "core/image.h"

namespace scanlens {

using AnySamples = decltype(Picture::samples);

/// Holds what tells light from the light of codes: light = (light of codes + offset) x 2^gain - light_offset.
/// The gain goes from least to most as samples to the power of 1 / gamma do. It is stretched to the picture.
struct GainMap {
  AnySamples samples = {};  ///< 1 or 3 channels
  std::array<double, 3> least = {}, most = {}, gamma = {1, 1, 1};
  std::array<double, 3> offset = {1. / 64, 1. / 64, 1. / 64}, light_offset = offset;
  double least_headroom = 0, most_headroom = 0;  ///< in stops: where a display begins to use it, uses all
  bool by_apple = false;  ///< 2^gain goes from 1 to 2^most as the light of samples does by BT.709

  std::int64_t width() const {
    return std::visit([](const auto& image) { return image.width(); }, samples);
  }
  std::int64_t height() const {
    return std::visit([](const auto& image) { return image.height(); }, samples);
  }
  int channels() const {
    return std::visit([](const auto& image) { return image.channels(); }, samples);
  }
};

/// Returns the light of codes by their profile, diffuse white being 1.
Image<float> light_of_codes(const AnySamples& codes, const std::vector<std::byte>& icc);

/// Returns how many float samples of a picture are above white.
std::int64_t samples_beyond_white(const Picture& picture);

/// Returns the light of codes, with their gain map where they have one: floats, with metadata for that.
Picture light_of(const AnySamples& codes, const Metadata& metadata);

/// Returns the bytes of light while it is worked on: as it is read, made and written.
std::int64_t light_bytes(std::int64_t samples);

/// Says how a map is made.
struct GainCells {
  std::int64_t side = 1;  ///< pixels; a cell is the mean of side x side
  bool is_exact = false;  ///< it also makes up for losses of the codes, and takes half as many bytes again
};

/// Returns the map that makes `light` of the codes of 8 bits that were written, all of one size, of 1 or 3
/// channels. One that is not exact has no gain where `codes`, before their losses, tell the light.
GainMap gain_between(const AnySamples& codes, const AnySamples& written, const std::vector<std::byte>& icc,
                     View<const float> light, const GainCells& how);

/// True if what is written there can have light beside codes, or has light alone.
bool takes_light(const Metadata& metadata, const std::filesystem::path& path, const WriteOptions& options);

}  // namespace scanlens
