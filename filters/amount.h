// Numbers as people write them, with their units: 2.5m, f/1.4, 2 %. Options, filters and scripts read values
// by this parser alone. It does not depend on the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scanlens {

enum class Unit { none, f_number, millimetres, metres, share, pixels, percent, degrees, seconds };

/// A number, and the unit that it was written with.
struct Amount {
  constexpr Amount(double number = 0, Unit written = Unit::none) : value(number), unit(written) {}

  double value;
  Unit unit;
};

/// The measure of a value, which decides the units that it may have. Lengths come in the unit of the name.
enum class Measure {
  number,
  share,            ///< 0.8, or 80%
  f_number,         ///< 1.4, f/1.4 or inf
  millimetres,      ///< 50, 50mm, 5cm or 0.05m
  metres,           ///< 2.5, 2.5m, 250cm, 2500mm or inf
  metres_or_share,  ///< a length as above (Unit::metres), 80% (Unit::share), or a number that is either
  pixels,
  pixels_or_percent,            ///< 24, 24px, or 2% (Unit::percent, not divided)
  pixels_or_percent_of_height,  ///< the same, where percent are the picture's height's
  percent,                      ///< 50 or 50%
  degrees,
  seconds,
  ratio,  ///< 1.5, or 3/2
  colour  ///< white, black, grey or #rrggbb as its number, edge as kEdgeColour
};

/// The colour of the nearest pixel of a picture's edge.
inline constexpr double kEdgeColour = -1;

/// Reads all of the text: a number, and a unit that the measure has, with blanks between them at most.
/// Returns nothing for all else: NaN, a number beyond the range of double, or infinity where the measure does
/// not allow it.
std::optional<Amount> parse_amount(std::string_view text, Measure measure = Measure::number);

/// Reads all of the text, which is a whole number: digits and a sign.
std::optional<std::int64_t> parse_whole(std::string_view text);

// Cut a number off the front of the text, and leave what is behind it.
std::optional<double> take_number(std::string_view& text);
std::optional<std::int64_t> take_whole(std::string_view& text);

/// Cuts a unit of the measure, if one is there, off the front of the text, and converts the number.
Amount take_unit(std::string_view& text, double number, Measure measure);

/// Reads white, black, grey, edge or #rrggbb.
std::optional<double> colour_of(std::string_view text);

/// Returns "white", or "#ff8000".
std::string name_of_colour(double colour);

/// Says what a value of this measure is: "a number of millimetres", "an f-number", "a whole number".
std::string name_of(Measure measure, std::string_view adjective = "");

/// Returns ", as in 50, 50mm or 5cm"; nothing for bare numbers.
std::string_view examples_of(Measure measure);

/// Returns "2.5 m", "f/1.4", "2 %".
std::string text_of(const Amount& amount);

}  // namespace scanlens
