// The light of integer codes by a tone curve, in whole numbers, as depth of field sums it; and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace scanlens {

/// Tables as those of sRGB in color_tables.h, for codes of 1 or 2 bytes.
struct CodeLight {
  std::shared_ptr<const std::vector<std::uint32_t>> decode;  ///< by code, up to kLinear16 or kLinear24
  std::shared_ptr<const std::vector<std::uint8_t>> encode8;  ///< of codes of 1 byte: kLinear16 + 1 entries
  std::shared_ptr<const std::vector<float>> encode16;        ///< of 2 bytes: as many

  int sample_bytes() const { return encode8 ? 1 : 2; }
  std::size_t bytes() const;
};

/// Makes the tables from the light of each code of 16 bits, 0 .. 1. Returns nothing where they do not give
/// every code back, of 2 bytes to a quarter of a step of 10 bits: curves with more shadows than these numbers
/// tell apart (PQ, HLG, pure powers).
std::optional<CodeLight> code_light(std::span<const float> light_of_16_bits, int sample_bytes);

}  // namespace scanlens
