// Tables from codes to light and back, for filters in linear light.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace scanlens {

/// The tone curves of a picture, of the same length for each colour: one for all, or three.
struct Tones {
  int colours = 1;
  int codes = 256;                   ///< 256 or 65536
  int buckets = 0;                   ///< equal parts of the square root of light
  std::vector<double> light;         ///< light of each code, 0..1, never falling
  std::vector<float> above;          ///< by code: light from here on belongs to the next code
  std::vector<std::uint16_t> first;  ///< smallest code of each bucket, and of light 1
};

/// Makes the tables for samples of 1 or 2 bytes from the light of each 16-bit code, by colour.
Tones make_tones(std::span<const std::vector<float>> light_of_16_bits, int sample_bytes);

/// Returns those of sRGB, which last as long as the program.
const Tones& srgb_tones(int sample_bytes);

}  // namespace scanlens
