// Look-up tables between sRGB codes and linear light as integers, made from the formulas of color.h at first
// use.
#pragma once

#include <cstdint>

namespace scanlens {

inline constexpr std::uint32_t kLinear16 = 65535;  ///< white, for 8-bit pictures
inline constexpr std::uint32_t kLinear24 =
    16777215;  ///< white, for 16-bit pictures: keeps the darkest codes apart

const std::uint32_t* srgb8_to_linear16();   ///< 256 entries
const std::uint32_t* srgb16_to_linear24();  ///< 65536 entries
const std::uint8_t* linear16_to_srgb8();    ///< 65536 entries
/// 65536 entries of 16-bit codes with their fractions. A line from one to the next is off by 0.01 codes at
/// most.
const float* linear16_to_srgb16();

}  // namespace scanlens
