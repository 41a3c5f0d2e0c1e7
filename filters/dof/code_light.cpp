#include "filters/code_light.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "filters/color_tables.h"
#include "filters/dof/light_formula.h"

namespace scanlens {
namespace {

constexpr std::size_t kCodes16 = 65536;

std::vector<std::uint32_t> decoding(std::span<const float> light, int sample_bytes) {
  const std::size_t codes = sample_bytes == 1 ? 256 : kCodes16, step = (kCodes16 - 1) / (codes - 1);
  const double white = sample_bytes == 1 ? kLinear16 : kLinear24;
  std::vector<std::uint32_t> table;
  table.reserve(codes);
  for (std::size_t code = 0; code < codes; ++code)
    table.push_back(static_cast<std::uint32_t>(static_cast<double>(light[code * step]) * white + 0.5));
  return table;
}

/// Returns the 16-bit code of each light in steps of kLinear16, with its fraction.
std::vector<float> encoding(std::span<const float> light) {
  std::vector<float> table;
  table.reserve(kLinear16 + 1);
  std::size_t code = 0;
  for (std::uint32_t entry = 0; entry <= kLinear16; ++entry) {
    const float here = static_cast<float>(entry) / kLinear16;
    while (code + 2 < kCodes16 && light[code + 1] <= here) ++code;
    const float step = light[code + 1] - light[code];
    const float part = step > 0 ? std::clamp((here - light[code]) / step, 0.f, 1.f) : 0.f;
    table.push_back(static_cast<float>(code) + part);
  }
  return table;
}

std::vector<std::uint8_t> rounded(const std::vector<float>& codes16) {
  constexpr float kStep = 257;
  std::vector<std::uint8_t> table;
  table.reserve(codes16.size());
  for (const float code : codes16) table.push_back(static_cast<std::uint8_t>(code / kStep + 0.5f));
  return table;
}

bool gives_back8(const std::vector<std::uint32_t>& decode, const std::vector<std::uint8_t>& encode) {
  for (std::size_t code = 0; code < decode.size(); ++code)
    if (encode[decode[code]] != code) return false;
  return true;
}

/// BT.709's light falls at its joint, so that 13 codes there have the light of others.
bool gives_back16(const std::vector<std::uint32_t>& decode, const std::vector<float>& encode) {
  constexpr long kMostOff = 16;  // a quarter of a step of 10 bits
  for (std::size_t code = 0; code < decode.size(); ++code) {
    const float place = place_of_light(static_cast<float>(decode[code]) / kLinear24);
    const auto at = static_cast<std::size_t>(entry_at_place(place));
    const auto back = static_cast<long>(code_at_place(place, encode[at], encode[at + 1]));
    if (std::labs(back - static_cast<long>(code)) > kMostOff) return false;
  }
  return true;
}

}  // namespace

std::size_t CodeLight::bytes() const {
  return decode->size() * sizeof(std::uint32_t) +
         (encode8 ? encode8->size() : encode16->size() * sizeof(float));
}

std::optional<CodeLight> code_light(std::span<const float> light_of_16_bits, int sample_bytes) {
  std::vector<std::uint32_t> decode = decoding(light_of_16_bits, sample_bytes);
  std::vector<float> codes16 = encoding(light_of_16_bits);
  CodeLight light;
  if (sample_bytes == 1) {
    std::vector<std::uint8_t> codes8 = rounded(codes16);
    if (!gives_back8(decode, codes8)) return std::nullopt;
    light.encode8 = std::make_shared<const std::vector<std::uint8_t>>(std::move(codes8));
  } else {
    if (!gives_back16(decode, codes16)) return std::nullopt;
    light.encode16 = std::make_shared<const std::vector<float>>(std::move(codes16));
  }
  light.decode = std::make_shared<const std::vector<std::uint32_t>>(std::move(decode));
  return light;
}

}  // namespace scanlens
