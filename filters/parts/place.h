// Places of a rectangle in another: top-left, centre, and so on.
#pragma once

#include <cstdint>
#include <string_view>

namespace scanlens {

inline constexpr std::string_view kPlaces[] = {"centre",   "top",       "bottom",      "left",        "right",
                                               "top-left", "top-right", "bottom-left", "bottom-right"};

/// Returns the beginning of `length` pixels in a line of `whole`, for a side of -1, 0 (the middle) or 1.
/// `offset` leads from that side inwards, and from the middle towards the line's end.
inline std::int64_t begin_at(int side, double offset, std::int64_t length, std::int64_t whole) {
  const auto by = static_cast<std::int64_t>(offset);
  return side < 0 ? by : side > 0 ? whole - length - by : (whole - length) / 2 + by;
}

/// Returns the sides along a row, and down a column, of the place with this number in kPlaces.
inline int column_side(double place) {
  constexpr int kSides[] = {0, 0, 0, -1, 1, -1, 1, -1, 1};
  return kSides[static_cast<int>(place)];
}
inline int row_side(double place) {
  constexpr int kSides[] = {0, -1, 1, 0, 0, -1, -1, 1, 1};
  return kSides[static_cast<int>(place)];
}

}  // namespace scanlens
