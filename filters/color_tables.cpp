#include "filters/color_tables.h"

#include <array>
#include <memory>

#include "filters/color.h"

namespace scanlens {
namespace {

template <std::size_t kEntries, std::uint32_t kWhite>
const std::uint32_t* decoding_table() {
  static const auto table = [] {
    auto entries = std::make_unique<std::array<std::uint32_t, kEntries>>();
    for (std::size_t code = 0; code < kEntries; ++code)
      (*entries)[code] = static_cast<std::uint32_t>(
          static_cast<double>(srgb_to_linear(static_cast<float>(code) / (kEntries - 1))) * kWhite + 0.5);
    return entries;
  }();
  return table->data();
}

}  // namespace

const std::uint32_t* srgb8_to_linear16() {
  return decoding_table<256, kLinear16>();
}
const std::uint32_t* srgb16_to_linear24() {
  return decoding_table<65536, kLinear24>();
}

const std::uint8_t* linear16_to_srgb8() {
  static const auto table = [] {
    auto entries = std::make_unique<std::array<std::uint8_t, kLinear16 + 1>>();
    for (std::uint32_t light = 0; light <= kLinear16; ++light)
      (*entries)[light] =
          static_cast<std::uint8_t>(linear_to_srgb(static_cast<float>(light) / kLinear16) * 255.f + 0.5f);
    return entries;
  }();
  return table->data();
}

const float* linear16_to_srgb16() {
  static const auto table = [] {
    auto entries = std::make_unique<std::array<float, kLinear16 + 1>>();
    for (std::uint32_t light = 0; light <= kLinear16; ++light)
      (*entries)[light] = linear_to_srgb(static_cast<float>(light) / kLinear16) * 65535.f;
    return entries;
  }();
  return table->data();
}

}  // namespace scanlens
