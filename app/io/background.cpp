#include "app/io/background.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "app/io/samples.h"

namespace scanlens {
namespace {

constexpr std::pair<std::string_view, Colour> kColours[] = {
    {"white", {255, 255, 255}}, {"black", {0, 0, 0}}, {"grey", {128, 128, 128}}};

}  // namespace

std::optional<Colour> parse_colour(const std::string& text) {
  for (const auto& [name, colour] : kColours)
    if (name == text) return colour;
  constexpr std::size_t kLength = 7;
  std::uint32_t digits = 0;
  if (text.size() != kLength || text[0] != '#') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + kLength, digits, 16);
  if (error != std::errc() || end != text.data() + kLength) return std::nullopt;
  const auto byte = [&](int shift) { return static_cast<std::uint8_t>(digits >> shift & 255); };
  return Colour{byte(16), byte(8), byte(0)};
}

std::string name_of(const Colour& colour) {
  for (const auto& [name, known] : kColours)
    if (known == colour) return std::string(name);
  return fmt::format("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]);
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
