#include "app/io/background.h"

#include <fmt/format.h>

#include <limits>
#include <type_traits>

#include "app/io/samples.h"
#include "filters/amount.h"

namespace scanlens {

std::optional<Colour> parse_colour(const std::string& text) {
  const std::optional<double> colour = colour_of(text);
  if (!colour || *colour == kEdgeColour) return std::nullopt;
  const auto byte = [&](int shift) {
    return static_cast<std::uint8_t>(static_cast<std::uint32_t>(*colour) >> shift & 255);
  };
  return Colour{byte(16), byte(8), byte(0)};
}

std::string name_of(const Colour& colour) {
  return name_of_colour(colour[0] << 16 | colour[1] << 8 | colour[2]);
}

template <class T>
void OverBackground::mix(const T* from, T* to, std::int64_t pixels) {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, float, std::uint32_t>;
  constexpr Wide kFull = std::is_floating_point_v<T> ? Wide{1} : Wide{std::numeric_limits<T>::max()};
  constexpr Wide kHalf = std::is_floating_point_v<T> ? Wide{0} : kFull / 2;
  Wide under[3];
  for (std::size_t c = 0; c < 3; ++c) {
    if constexpr (sizeof(T) == 1)
      under[c] = background_.colour[c];
    else
      under[c] = converted_sample<T>(background_.colour[c], false);
  }
  for (std::int64_t i = 0; i < pixels; ++i, from += 4, to += 3) {
    const Wide alpha = from[3];
    is_seen_ |= alpha < kFull;
    for (int c = 0; c < 3; ++c)
      to[c] = static_cast<T>((from[c] * alpha + under[c] * (kFull - alpha) + kHalf) / kFull);
  }
}

void OverBackground::convert(const std::byte* from, std::byte* to, std::int64_t pixels) {
  const auto as = [&]<class T>(T) {
    mix(reinterpret_cast<const T*>(from), reinterpret_cast<T*>(to), pixels);
  };
  if (sample_bytes_ == 1)
    as(std::uint8_t{});
  else if (sample_bytes_ == 2)
    as(std::uint16_t{});
  else
    as(float{});
}

void OverBackground::tell(const Remarks& say) const {
  if (!is_seen_ || !say) return;
  const std::string colour = name_of(background_.colour);
  if (background_.is_assumed)
    say({true, fmt::format("alpha is laid over {}; --background chooses the colour", colour)});
  else
    say({false, fmt::format("alpha is laid over {}", colour)});
}

}  // namespace scanlens
